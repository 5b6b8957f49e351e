import {
  type AttributeDefinition,
  definitionFields,
  definitions,
  readSlots,
  succeeding,
  takeSlot,
} from '../people/records/attributeDefinition.ts'
import { attachmentItems, attachmentsOf, channelFields, channels, checkActive } from '../people/records/channel.ts'
import { treeRows } from '../people/records/group.ts'
import { readTreeVersion } from '../people/records/groupTree.ts'
import { countRoleUse } from '../people/records/heldRoles.ts'
import { newOrganisation, type Organisation, organisations } from '../people/records/organisation.ts'
import { normalizedOrganisation, organisationFaults, patchedOrganisation } from '../people/records/organisationRules.ts'
import { roles } from '../people/records/role.ts'
import { attributesIn } from '../people/rules/matching.ts'
import { createOverTombstone, replaceRecord } from '../table/changes.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { SHARDS } from '../table/keys.ts'
import { all } from '../table/reader.ts'
import type { Action, Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import {
  checkFixed,
  checkNamed,
  checkRule,
  type Draft,
  draftChange,
  noteFor,
  patchedRecord,
  type Reference,
  wantedRecord,
} from './draft.ts'
import { draftGroups } from './draftGroups.ts'
import { checkRole, draftRoles } from './draftRoles.ts'
import type { ImportContext } from './importContext.ts'
import { assignmentsIn } from './importedAssignment.ts'
import { type Lookup, lookup } from './lookup.ts'
import { isPredefinedAttribute, predefinedKeys, withPredefined } from './predefined.ts'

/** Reads what every part of a file refers to: the organisation and the tree of groups. */
export async function readReference({ store }: ImportContext): Promise<Reference> {
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

/** Adds the stored records that the draft's file names to its reference. A fresh table has none. */
export async function addNamed(draft: Draft): Promise<void> {
  if (draft.reference.storedOrganisation) addStored(draft, await lookup(draft.context.store, keysIn(draft.file)))
}

/** Decides what becomes of the records that users refer to, and adds what every directory has. */
export async function draftReference(draft: Draft): Promise<void> {
  const stored = await readDefined(draft)
  const { storedOrganisation, organisation } = draft.reference
  const { file, predefined } = withPredefined(draft.file, organisation.predefined, stored)
  draft.file = file
  addStored(draft, stored)
  draftOrganisation(draft, storedOrganisation, predefined)
  draftRoles(draft, predefined, stored)
  await draftGroups(draft, predefined, stored)
  await draftDefinitions(draft, stored)
  draftChannels(draft, stored)
  draftAttachments(draft, stored)
}

/**
 * Reads the records that the file and every directory define. If another import has created the organisation since it was read,
 * what this draft has read does not fit together: it reads all again.
 */
async function readDefined(draft: Draft): Promise<Lookup> {
  const { context, file, reference } = draft
  const stored = await lookup(context.store, [...predefinedKeys(reference.organisation), ...keysIn(file)])
  if (reference.storedOrganisation || !(await context.store.get(keys.organisationKey))) return stored
  draft.reference = await readReference(context)
  return readDefined(draft)
}

/** The ids of the roles and channels, and the names of the attributes, that the file defines or names. */
const namedIn = (file: DirectoryFile) => ({
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
  const named = namedIn(file)
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

function addStored({ file, reference }: Draft, stored: Lookup): void {
  const named = namedIn(file)
  for (const id of named.roles) addMissing(reference.roles, id, roles.of(stored(keys.roleKey(id))))
  for (const id of named.channels) addMissing(reference.channels, id, channels.of(stored(keys.channelKey(id))))
  for (const name of named.attributes)
    addMissing(reference.definitions, name, definitions.of(stored(keys.attributeKey(name))))
}

/** Adds a record, unless another part of the file has defined it. */
function addMissing<T>(records: Map<string, T>, id: string, record: T | undefined): void {
  if (record && !records.has(id)) records.set(id, record)
}

function draftOrganisation(
  draft: Draft,
  before: Organisation | undefined,
  predefined: Required<Organisation['predefined']>,
): void {
  const wanted = { ...patchedOrganisation(before ?? newOrganisation, draft.file.organisation), predefined }
  const normalized = normalizedOrganisation(wanted)
  const { data, verdict } = patchedRecord(normalized, before, normalized, draft.context.now)
  const note = noteFor(draft, 'organisation', null)
  for (const { fault } of organisationFaults(wanted)) note(fault.property, fault.message)
  draft.reference.organisation = data
  draftChange(draft, 'organisation', { write: replaceRecord(organisations, before, data), verdict, first: true })
}

function draftChannels(draft: Draft, stored: Lookup): void {
  const { now } = draft.context
  for (const record of draft.file.channels) {
    const { id } = record.value
    const fresh = channelFields.create({}, { id, default_role_id: '', created_at: now, updated_at: now })
    const versions = { before: channels.of(stored(keys.channelKey(id))), fresh }
    const { note, before, data, verdict } = wantedRecord(draft, 'channels', record, versions)
    const isGiven = data.default_role_id !== before?.default_role_id
    checkRole(draft, { role_id: data.default_role_id, scope: 'CHANNELS', isGiven }, note, 'default_role_id')
    const isChanged = verdict === 'updated' && before?.status === data.status
    if (isChanged) checkRule(() => checkActive(before), note, 'status')
    draft.reference.channels.set(data.id, data)
    const also = usesOf(draft, before?.default_role_id, data.default_role_id)
    draftChange(draft, 'channels', { write: replaceRecord(channels, before, data), verdict, also })
  }
}

/**
 * Decides what becomes of user groups attached to channels. As in the API, an attachment keeps its role. The channel may be
 * archived.
 */
function draftAttachments(draft: Draft, stored: Lookup): void {
  for (const { index, value } of draft.file.channel_user_groups) {
    const { channel_id, ...attachment } = value
    const note = noteFor(draft, 'channel_user_groups', index)
    checkNamed(draft, 'channels', channel_id, note, 'channel_id')
    checkNamed(draft, 'user_groups', value.group_id, note, 'group_id')
    const before = attachmentsOf(channel_id).of(stored(keys.channelGroupKey(channel_id, value.group_id)))
    const { data, verdict } = patchedRecord(attachment, before, attachment, draft.context.now)
    checkRole(draft, { role_id: data.role_id, scope: 'CHANNELS', isGiven: !before }, note)
    checkFixed(['role_id'], { data, stored: before }, note)
    const [, pointer] = attachmentItems(channel_id, data)
    const exist = { check: keys.groupTreeKey(data.group_id), if: exists }
    const also = [{ put: pointer }, exist, ...usesOf(draft, before?.role_id, data.role_id)]
    draftChange(draft, 'channel_user_groups', {
      write: replaceRecord(attachmentsOf(channel_id), before, data),
      verdict,
      also,
    })
  }
}

/** Actions that count that a record uses another role than before. */
function usesOf({ reference, changes }: Draft, before: string | undefined, after: string): Action[] {
  if (before === after) return []
  // Each change counts in the next shard: two changes of one transaction seldom meet.
  const counting = { ...reference.organisation, shard: changes.length % SHARDS }
  const ended = before === undefined ? [] : countRoleUse(before, -1, counting)
  return [...countRoleUse(after, 1, counting), ...ended]
}

/** Each new attribute definition of the file takes a slot that is free. */
async function draftDefinitions(draft: Draft, stored: Lookup): Promise<void> {
  const { store, now } = draft.context
  const { names, free } = await readSlots(store)
  for (const record of draft.file.attribute_definitions) {
    const { technical_name } = record.value
    const item = stored(keys.attributeKey(technical_name))
    const versions = { before: definitions.of(item), fresh: succeeding(newDefinition(technical_name, now), item) }
    const { note, before, data, verdict } = wantedRecord(draft, 'attribute_definitions', record, versions)
    checkFixed(['attribute_type'], { data, stored: before }, note)
    draft.reference.definitions.set(data.technical_name, data)
    draftChange(draft, 'attribute_definitions', {
      write: before ? replaceRecord(definitions, before, data) : createOverTombstone(definitions, item, data),
      verdict,
      also: before ? [] : [takeSlot(free.shift() ?? keys.DEFINITION_SLOTS, data.technical_name)],
      first: data.predefined,
    })
  }
  const taken = new Set([...draft.reference.definitions.keys(), ...names])
  const note = noteFor(draft, 'attribute_definitions', null)
  if (taken.size > keys.DEFINITION_SLOTS) note('', `would be ${taken.size}, and ${keys.DEFINITION_SLOTS} are allowed`)
}

const newDefinition = (technical_name: string, now: string): AttributeDefinition =>
  definitionFields.create(
    { technical_name, title: [], attribute_type: 'TEXT' },
    { id: technical_name, predefined: isPredefinedAttribute(technical_name), created_at: now },
  )
