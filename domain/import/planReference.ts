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
import { attributeKey, DEFINITION_PLACES, groupExternalIdKey, roleUseKey } from '../table/keys.ts'
import type { Action, Key } from '../table/store.ts'
import { type Lookup, lookup } from './importStore.ts'
import { checkFixed, checkNamed, checkRule, checkTexts, merged, noting, type Plan, planChange } from './plan.ts'
import { planGroups } from './planGroups.ts'
import { checkRole, complete, isPredefinedAttribute, planRoles, predefinedKeys } from './planRoles.ts'

/** Decides what becomes of everything but people and their work. */
export async function planReference(plan: Plan, before: Organisation | undefined): Promise<void> {
  const { store } = plan.context
  const stored = await lookup(store, [...predefinedKeys(before ?? newOrganisation), ...keysIn(plan)])
  const predefined = complete(plan.file, before?.predefined ?? {}, stored)
  takeIn(plan, stored)
  planOrganisation(plan, before, predefined)
  planRoles(plan, predefined, stored)
  await planGroups(plan, predefined, stored)
  await planDefinitions(plan, stored)
  planChannels(plan, stored)
  planAttachments(plan, stored)
}

/** The keys of the records that the file defines or names. */
function* keysIn({ file }: Plan): Generator<Key> {
  for (const { value } of file.roles) {
    yield keys.roleKey(value.id)
    yield roleUseKey(value.id, 0)
  }
  const withRoles: { value: { role_id: string } }[][] = [
    file.user_group_assignments,
    file.channel_user_groups,
    file.channel_assignments,
  ]
  for (const role of new Set(withRoles.flatMap((entries) => entries.map(({ value }) => value.role_id))))
    yield keys.roleKey(role)
  for (const { value } of file.user_groups) {
    yield keys.groupKey(value.id)
    yield keys.groupCountKey(value.id, 0)
    if (value.external_id) yield groupExternalIdKey(value.external_id)
  }
  for (const { value } of file.attribute_definitions) yield attributeKey(value.technical_name)
  for (const name of new Set(file.users.flatMap(({ value }) => (value.attributes ?? []).map((one) => one.name))))
    yield attributeKey(name)
  for (const { value } of file.channels) {
    yield keys.channelKey(value.id)
    yield keys.roleKey(value.default_role_id)
  }
  for (const { value } of file.channel_user_groups) {
    yield keys.channelKey(value.channel_id)
    yield keys.channelGroupKey(value.channel_id, value.group_id)
  }
  for (const { value } of file.channel_assignments) yield keys.channelKey(value.channel_id)
}

/** Takes in the stored records that the file names; those of the file replace them later. */
function takeIn(plan: Plan, stored: Lookup): void {
  for (const key of keysIn(plan)) {
    const item = stored(key)
    const [role, channel] = [roles.of(item), channels.of(item)]
    if (key.sk === 'ROLE') add(plan.roles, role?.id, role)
    if (key.sk === 'CHANNEL') add(plan.channels, channel?.id, channel)
    const definition = key.sk === 'ATTRIBUTE' ? definitions.of(item) : undefined
    add(plan.definitions, definition?.technical_name, definition)
  }
}

/** What the file has defined stays. */
function add<T>(known: Map<string, T>, id: string | undefined, record: T | undefined): void {
  if (id !== undefined && record && !known.has(id)) known.set(id, record)
}

/** Takes in the stored records that another part of the same file names. */
export const findReferred = async (plan: Plan): Promise<void> =>
  takeIn(plan, await lookup(plan.context.store, keysIn(plan)))

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
  const { now } = plan.context
  for (const entry of plan.file.channels) {
    const { index, value } = entry
    const note = noting(plan, 'channels', index)
    const before = channels.of(stored(keys.channelKey(value.id)))
    const { data, verdict } = merged(value, before, newChannel(value.id, '', now), now)
    checkTexts(plan, { index, value: data }, note, before)
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
    const { index, value } = entry
    const note = noting(plan, 'attribute_definitions', index)
    const item = stored(attributeKey(value.technical_name))
    const before = definitions.of(item)
    const fresh = succeeding(newDefinition(value.technical_name, now), item)
    const { data, verdict } = merged(value, before, fresh, now)
    checkTexts(plan, { index, value: data }, note, before)
    checkFixed(['attribute_type'], { data, stored: before }, note)
    plan.definitions.set(data.technical_name, data)
    planChange(plan, 'attribute_definitions', {
      write: before ? definitions.replace(before, data) : definitions.succeed(item, data),
      verdict,
      beside: before ? [] : [takePlace(free.shift() ?? DEFINITION_PLACES, data.technical_name)],
      first: data.predefined,
    })
  }
  const all = new Set([...plan.definitions.keys(), ...names])
  if (all.size > DEFINITION_PLACES)
    noting(plan, 'attribute_definitions', null)('', `would be ${all.size}, and ${DEFINITION_PLACES} are allowed`)
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
