import { definitions } from '../people/records/attributeDefinition.ts'
import { channels } from '../people/records/channel.ts'
import { treeRows } from '../people/records/group.ts'
import { readTreeVersion } from '../people/records/groupTree.ts'
import { newOrganisation, organisations } from '../people/records/organisation.ts'
import { roles } from '../people/records/role.ts'
import { attributesIn } from '../people/rules/matching.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/reader.ts'
import type { Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import type { Draft, Structure } from './draft.ts'
import type { ImportContext } from './importContext.ts'
import { assignmentsIn } from './importedAssignment.ts'
import { type Lookup, lookup } from './lookup.ts'
import { predefinedKeys } from './predefined.ts'

// Reads the stored records that users refer to, as far as a file names them.

/** Reads what every part of a file refers to: the organisation and the tree of groups. */
export async function readStructure({ store }: ImportContext): Promise<Structure> {
  const storedOrganisation = organisations.of(await store.get(keys.organisationKey))
  // The version comes before the tree: so a move between the two reads, or a later one, makes the write of groups fail.
  const treeVersion = await readTreeVersion(store)
  const rows = await all(store, { ...keys.groupTree, consistent: true })
  return {
    storedOrganisation,
    organisation: storedOrganisation ?? newOrganisation,
    roles: new Map(),
    groups: new Map(rows.map((row) => [row.sk, treeRows.of(row)])),
    treeVersion,
    definitions: new Map(),
    channels: new Map(),
  }
}

/** Adds the stored records that the draft's file names to its structure. A fresh table has none. */
export async function addNamed(draft: Draft): Promise<void> {
  if (draft.structure.storedOrganisation) addStored(draft, await lookup(draft.context.store, keysIn(draft.file)))
}

/**
 * Reads the records that the file and every directory define. If another import has created the organisation since it was read,
 * what this draft has read does not fit together: it reads all again.
 */
export async function readDefined(draft: Draft): Promise<Lookup> {
  const { context, file, structure } = draft
  const stored = await lookup(context.store, [...predefinedKeys(structure.organisation), ...keysIn(file)])
  if (structure.storedOrganisation || !(await context.store.get(keys.organisationKey))) return stored
  draft.structure = await readStructure(context)
  return readDefined(draft)
}

/** The ids of the roles and channels, and the names of the attributes, that the file defines or names. */
const referencesIn = (file: DirectoryFile) => ({
  roles: new Set([
    ...file.roles.map(({ value }) => value.id),
    ...file.channels.map(({ value }) => value.default_role_id),
    ...file.channel_user_groups.map(({ value }) => value.role_id),
    ...file.user_group_rules.map(({ value }) => value.role_id),
    ...assignmentsIn(file).map(({ role }) => role),
  ]),
  channels: new Set([
    ...file.channels.map(({ value }) => value.id),
    ...file.channel_user_groups.map(({ value }) => value.channel_id),
    ...file.channel_assignments.map(({ value }) => value.channel_id),
  ]),
  attributes: new Set([
    ...file.attribute_definitions.map(({ value }) => value.technical_name),
    ...file.user_group_rules.flatMap(({ value }) => attributesIn(value.conditions)),
    ...file.users.flatMap(({ value }) => (value.attributes ?? []).map(({ name }) => name)),
  ]),
})

/** The keys of these records, and of further items that a draft needs about the records that the file defines. */
function keysIn(file: DirectoryFile): Key[] {
  const named = referencesIn(file)
  return [
    ...[...named.roles].map(keys.roleKey),
    ...[...named.channels].map(keys.channelKey),
    ...[...named.attributes].map(keys.attributeKey),
    ...file.roles.map(({ value }) => keys.roleUseKey(value.id, 0)),
    ...file.user_groups.flatMap(({ value: { id, external_id } }) => [
      keys.groupKey(id),
      keys.groupCountKey(id, 0),
      ...(external_id ? [keys.groupExternalIdKey(external_id)] : []),
    ]),
    ...file.channel_user_groups.map(({ value }) => keys.channelGroupKey(value.channel_id, value.group_id)),
  ]
}

export function addStored({ file, structure }: Draft, stored: Lookup): void {
  const named = referencesIn(file)
  for (const id of named.roles) addMissing(structure.roles, id, roles.of(stored(keys.roleKey(id))))
  for (const id of named.channels) addMissing(structure.channels, id, channels.of(stored(keys.channelKey(id))))
  for (const name of named.attributes)
    addMissing(structure.definitions, name, definitions.of(stored(keys.attributeKey(name))))
}

/** Adds a record, unless another part of the file has defined it. */
function addMissing<T>(records: Map<string, T>, id: string, record: T | undefined): void {
  if (record && !records.has(id)) records.set(id, record)
}
