import { type AttributeDefinition, definitionFields, definitions } from '../people/records/attributeDefinition.ts'
import { attachmentItems, attachmentsOf, channelFields, channels, checkActive } from '../people/records/channel.ts'
import { succeeding } from '../people/records/definitionEditions.ts'
import { readSlots, takeSlot } from '../people/records/definitionSlots.ts'
import { countRoleUse } from '../people/records/heldRoles.ts'
import { newOrganisation, type Organisation, organisations } from '../people/records/organisation.ts'
import { normalizedOrganisation, organisationFaults, patchedOrganisation } from '../people/records/organisationRules.ts'
import { createOverTombstone, replaceRecord } from '../table/changes.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { SHARDS } from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { type Draft, draftChange } from './draft.ts'
import { addFaultTo, checkFixed, checkNamed, checkRule } from './draftFaults.ts'
import { draftGroups } from './draftGroups.ts'
import { checkRole, draftRoles } from './draftRoles.ts'
import type { Lookup } from './lookup.ts'
import { isPredefinedAttribute, withPredefined } from './predefined.ts'
import { addStored, readDefined } from './readStructure.ts'
import { patchedRecord, wantedRecord } from './wantedRecord.ts'

// What becomes of the records that users refer to: organisation, definitions, channels. Roles and groups are in separate files.

/** Decides what becomes of the records that users refer to, and adds what every directory has. */
export async function draftStructure(draft: Draft): Promise<void> {
  const stored = await readDefined(draft)
  const { storedOrganisation, organisation } = draft.structure
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

function draftOrganisation(
  draft: Draft,
  before: Organisation | undefined,
  predefined: Required<Organisation['predefined']>,
): void {
  const wanted = { ...patchedOrganisation(before ?? newOrganisation, draft.file.organisation), predefined }
  const normalized = normalizedOrganisation(wanted)
  const { data, outcome } = patchedRecord(normalized, before, normalized, draft.context.now)
  const addFault = addFaultTo(draft, 'organisation', null)
  for (const { fault } of organisationFaults(wanted)) addFault(fault.property, fault.message)
  draft.structure.organisation = data
  draftChange(draft, 'organisation', { write: replaceRecord(organisations, before, data), outcome, first: true })
}

function draftChannels(draft: Draft, stored: Lookup): void {
  const { now } = draft.context
  for (const record of draft.file.channels) {
    const { id } = record.value
    const fresh = channelFields.create({}, { id, default_role_id: '', created_at: now, updated_at: now })
    const versions = { before: channels.of(stored(keys.channelKey(id))), fresh }
    const { addFault, before, data, outcome } = wantedRecord(draft, 'channels', record, versions)
    const isGiven = data.default_role_id !== before?.default_role_id
    checkRole(draft, { role_id: data.default_role_id, scope: 'CHANNELS', isGiven }, addFault, 'default_role_id')
    const isChanged = outcome === 'updated' && before?.status === data.status
    if (isChanged) checkRule(() => checkActive(before), addFault, 'status')
    draft.structure.channels.set(data.id, data)
    const also = usesOf(draft, before?.default_role_id, data.default_role_id)
    draftChange(draft, 'channels', { write: replaceRecord(channels, before, data), outcome, also })
  }
}

/**
 * Decides what becomes of user groups attached to channels. As in the API, an attachment keeps its role. The channel may be
 * archived.
 */
function draftAttachments(draft: Draft, stored: Lookup): void {
  for (const { index, value } of draft.file.channel_user_groups) {
    const { channel_id, ...attachment } = value
    const addFault = addFaultTo(draft, 'channel_user_groups', index)
    checkNamed(draft, 'channels', channel_id, addFault, 'channel_id')
    checkNamed(draft, 'user_groups', value.group_id, addFault, 'group_id')
    const before = attachmentsOf(channel_id).of(stored(keys.channelGroupKey(channel_id, value.group_id)))
    const { data, outcome } = patchedRecord(attachment, before, attachment, draft.context.now)
    checkRole(draft, { role_id: data.role_id, scope: 'CHANNELS', isGiven: !before }, addFault)
    checkFixed(['role_id'], { data, stored: before }, addFault)
    const [, pointer] = attachmentItems(channel_id, data)
    const exist = { check: keys.groupTreeKey(data.group_id), if: exists }
    const also = [{ put: pointer }, exist, ...usesOf(draft, before?.role_id, data.role_id)]
    draftChange(draft, 'channel_user_groups', {
      write: replaceRecord(attachmentsOf(channel_id), before, data),
      outcome,
      also,
    })
  }
}

/** Actions that count that a record uses another role than before. */
function usesOf({ structure, changes }: Draft, before: string | undefined, after: string): Action[] {
  if (before === after) return []
  // Each change counts in the next shard: two changes of one transaction seldom meet.
  const counting = { ...structure.organisation, shard: changes.length % SHARDS }
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
    const { addFault, before, data, outcome } = wantedRecord(draft, 'attribute_definitions', record, versions)
    checkFixed(['attribute_type'], { data, stored: before }, addFault)
    draft.structure.definitions.set(data.technical_name, data)
    draftChange(draft, 'attribute_definitions', {
      write: before ? replaceRecord(definitions, before, data) : createOverTombstone(definitions, item, data),
      outcome,
      also: before ? [] : [takeSlot(free.shift() ?? keys.DEFINITION_SLOTS, data.technical_name)],
      first: data.predefined,
    })
  }
  const taken = new Set([...draft.structure.definitions.keys(), ...names])
  const addFault = addFaultTo(draft, 'attribute_definitions', null)
  if (taken.size > keys.DEFINITION_SLOTS)
    addFault('', `would be ${taken.size}, and ${keys.DEFINITION_SLOTS} are allowed`)
}

const newDefinition = (technical_name: string, now: string): AttributeDefinition =>
  definitionFields.create(
    { technical_name, title: [], attribute_type: 'TEXT' },
    { id: technical_name, predefined: isPredefinedAttribute(technical_name), created_at: now },
  )
