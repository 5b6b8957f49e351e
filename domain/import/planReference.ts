import {
  type AttributeDefinition,
  definitions,
  readPlaces,
  succeeding,
  takePlace,
} from '../attributes/attributeDefinition.ts'
import { attachmentItems, attachmentsOf, channels, checkActive, newChannel } from '../channels/channel.ts'
import {
  newOrganisation,
  normalizedOrganisation,
  type Organisation,
  organisationFaults,
  organisations,
  patchedOrganisation,
} from '../organisation/organisation.ts'
import { countRoleUse, roles } from '../roles/role.ts'
import { SHARDS } from '../table/counters.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action, Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import { type Lookup, lookup } from './importStore.ts'
import { checkFixed, checkNamed, checkRule, merged, mergedRecord, noting, type Plan, planChange } from './plan.ts'
import { assignmentsIn } from './planAssignments.ts'
import { planGroups } from './planGroups.ts'
import { checkRole, complete, isPredefinedAttribute, planRoles, predefinedKeys } from './planRoles.ts'

/** Decides what becomes of everything but people and their work. */
export async function planReference(plan: Plan, before: Organisation | undefined): Promise<void> {
  const { store } = plan.context
  const stored = await lookup(store, [...predefinedKeys(before ?? newOrganisation), ...keysIn(plan.file)])
  const predefined = complete(plan.file, before?.predefined ?? {}, stored)
  takeIn(plan, stored)
  planOrganisation(plan, before, predefined)
  planRoles(plan, predefined, stored)
  await planGroups(plan, predefined, stored)
  await planDefinitions(plan, stored)
  planChannels(plan, stored)
  planAttachments(plan, stored)
}

/** The ids of the roles and channels, and the names of the attributes, that the file defines or names. */
const namedIn = (file: DirectoryFile) => ({
  roles: new Set([
    ...file.roles.map(({ value }) => value.id),
    ...file.channels.map(({ value }) => value.default_role_id),
    ...file.channel_user_groups.map(({ value }) => value.role_id),
    ...assignmentsIn(file).map(({ role }) => role),
  ]),
  channels: new Set([
    ...file.channels.map(({ value }) => value.id),
    ...file.channel_user_groups.map(({ value }) => value.channel_id),
    ...file.channel_assignments.map(({ value }) => value.channel_id),
  ]),
  attributes: new Set([
    ...file.attribute_definitions.map(({ value }) => value.technical_name),
    ...file.users.flatMap(({ value }) => (value.attributes ?? []).map(({ name }) => name)),
  ]),
})

/** The keys of these, and of what else is asked about the records that the file defines. */
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

/** Takes in the stored records that the file names; those of the file replace them later. */
function takeIn(plan: Plan, stored: Lookup): void {
  const named = namedIn(plan.file)
  for (const id of named.roles) add(plan.roles, id, roles.of(stored(keys.roleKey(id))))
  for (const id of named.channels) add(plan.channels, id, channels.of(stored(keys.channelKey(id))))
  for (const name of named.attributes) add(plan.definitions, name, definitions.of(stored(keys.attributeKey(name))))
}

/** What the file has defined stays. */
function add<T>(known: Map<string, T>, id: string, record: T | undefined): void {
  if (record && !known.has(id)) known.set(id, record)
}

/** Takes in the stored records that another part of the same file names. */
export const findReferred = async (plan: Plan): Promise<void> =>
  takeIn(plan, await lookup(plan.context.store, keysIn(plan.file)))

function planOrganisation(
  plan: Plan,
  before: Organisation | undefined,
  predefined: Required<Organisation['predefined']>,
): void {
  const wanted = { ...patchedOrganisation(before ?? newOrganisation, plan.file.organisation), predefined }
  const normalized = normalizedOrganisation(wanted)
  const { data, verdict } = merged(normalized, before, normalized, plan.context.now)
  const note = noting(plan, 'organisation', null)
  for (const { fault } of organisationFaults(wanted)) note(fault.property, fault.message)
  plan.organisation = data
  planChange(plan, 'organisation', { write: organisations.replace(before, data), verdict, first: true })
}

function planChannels(plan: Plan, stored: Lookup): void {
  for (const entry of plan.file.channels) {
    const { id } = entry.value
    const stores = { before: channels.of(stored(keys.channelKey(id))), fresh: newChannel(id, '', plan.context.now) }
    const { note, before, data, verdict } = mergedRecord(plan, 'channels', entry, stores)
    const isGiven = data.default_role_id !== before?.default_role_id
    checkRole(plan, { role_id: data.default_role_id, scope: 'CHANNELS', isGiven }, note, 'default_role_id')
    const isChanged = verdict === 'updated' && before?.status === data.status
    if (isChanged) checkRule(() => checkActive(before), note, 'status')
    plan.channels.set(data.id, data)
    const beside = usesOf(plan, before?.default_role_id, data.default_role_id)
    planChange(plan, 'channels', { write: channels.replace(before, data), verdict, beside })
  }
}

/** User groups attached to channels. As in the API an attachment does not change its role; it may be on an archived channel. */
function planAttachments(plan: Plan, stored: Lookup): void {
  for (const { index, value } of plan.file.channel_user_groups) {
    const { channel_id, ...attachment } = value
    const note = noting(plan, 'channel_user_groups', index)
    checkNamed(plan, 'channels', channel_id, note, 'channel_id')
    checkNamed(plan, 'user_groups', value.group_id, note, 'group_id')
    const before = attachmentsOf(channel_id).of(stored(keys.channelGroupKey(channel_id, value.group_id)))
    const { data, verdict } = merged(attachment, before, attachment, plan.context.now)
    checkRole(plan, { role_id: data.role_id, scope: 'CHANNELS', isGiven: !before }, note)
    checkFixed(['role_id'], { data, stored: before }, note)
    const [, pointer] = attachmentItems(channel_id, data)
    const exist = { check: keys.groupTreeKey(data.group_id), if: exists }
    const beside = [{ put: pointer }, exist, ...usesOf(plan, before?.role_id, data.role_id)]
    planChange(plan, 'channel_user_groups', { write: attachmentsOf(channel_id).replace(before, data), verdict, beside })
  }
}

/** Counts that a record uses another role than before. */
function usesOf({ organisation, changes }: Plan, before: string | undefined, after: string): Action[] {
  if (before === after) return []
  // Each change counts in the next shard: two changes of one transaction seldom meet.
  const counting = { ...organisation, shard: changes.length % SHARDS }
  const ended = before === undefined ? [] : countRoleUse(before, -1, counting)
  return [...countRoleUse(after, 1, counting), ...ended]
}

/** Each new attribute definition of the file takes a place that is free. */
async function planDefinitions(plan: Plan, stored: Lookup): Promise<void> {
  const { store, now } = plan.context
  const { names, free } = await readPlaces(store)
  for (const entry of plan.file.attribute_definitions) {
    const { technical_name } = entry.value
    const item = stored(keys.attributeKey(technical_name))
    const stores = { before: definitions.of(item), fresh: succeeding(newDefinition(technical_name, now), item) }
    const { note, before, data, verdict } = mergedRecord(plan, 'attribute_definitions', entry, stores)
    checkFixed(['attribute_type'], { data, stored: before }, note)
    plan.definitions.set(data.technical_name, data)
    planChange(plan, 'attribute_definitions', {
      write: before ? definitions.replace(before, data) : definitions.createOverMark(item, data),
      verdict,
      beside: before ? [] : [takePlace(free.shift() ?? keys.DEFINITION_PLACES, data.technical_name)],
      first: data.predefined,
    })
  }
  const all = new Set([...plan.definitions.keys(), ...names])
  if (all.size > keys.DEFINITION_PLACES)
    noting(plan, 'attribute_definitions', null)('', `would be ${all.size}, and ${keys.DEFINITION_PLACES} are allowed`)
}

const newDefinition = (technical_name: string, now: string): AttributeDefinition => ({
  id: technical_name,
  technical_name,
  title: [],
  attribute_type: 'TEXT',
  user_permission: 'VIEW',
  predefined: isPredefinedAttribute(technical_name),
  created_at: now,
})
