import { refuse } from '../../base/errors.ts'
import type { Actor } from '../../request/actor.ts'
import type { Context, Input, Localized, RecordAnswer } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { changedOrSame, mergePatch } from '../../request/patch.ts'
import { createRecord, itemOf, removeRecord, replaceRecord, requireFields } from '../../table/changes.ts'
import { a, declareFields, type RecordOf } from '../../table/fields.ts'
import { isAt } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineRecord } from '../../table/records.ts'
import type { Action, Item, Store } from '../../table/store.ts'
import { type Group, groupReference, requireActiveGroup, statusVerb } from './group.ts'
import { type Counting, countRoleUse } from './heldRoles.ts'
import type { Role } from './role.ts'
import { mayAssign } from './roleRules.ts'
import type { UserRecord } from './user.ts'

// Pure, as the record is: functions that only need rules of channels do not load it.
export const channelFields = /* @__PURE__ */ declareFields({
  id: { type: a<string>() },
  title: { type: a<Localized[]>(), set: 'ALWAYS', initial: [] },
  description: { type: a<Localized[]>(), set: 'ALWAYS', default: [] },
  status: { type: a<'ACTIVE' | 'ARCHIVED'>(), initial: 'ACTIVE' },
  /** Null and nothing mean the predefined role of members, see channelFrom and patchedChannel. */
  default_role_id: { type: a<string>() },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
})

/** A channel as it is stored. */
export type Channel = RecordOf<typeof channelFields>

export const channels = /* @__PURE__ */ defineRecord<Channel>({
  key: keys.channelKey,
  fields: channelFields,
  idOf: ({ id }) => [id],
  catalogue: 'CHANNELS',
  events: {
    kind: 'channel',
    verb: statusVerb,
  },
})

/** The channel that a path names, which must exist. */
export function requireChannel<T>(channel: T | undefined): T {
  if (!channel) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  return channel
}

/** A channel as it is now, which must exist. */
export const existingChannel = async (store: Store, id: string): Promise<Channel> =>
  requireChannel(await channels.read(store, id))

/** Stale unless the channel is active. */
export const requireActive = (channel: string): Action => requireFields(channels, [channel], { status: 'ACTIVE' })

/** A user group attached to a channel: its members hold the role on the channel. */
export type Attachment = { group_id: string; role_id: string }

/** The own fields of an attachment, which make its version. */
export const ownOfAttachment = (channel: string, { group_id, role_id }: Attachment) => ({ channel, group_id, role_id })

/** The groups attached to a channel. */
export const attachmentsOf = (channel: string) =>
  defineRecord<Attachment>({
    key: (group) => keys.channelGroupKey(channel, group),
    idOf: ({ group_id }) => [group_id],
    events: { kind: 'channel_user_group', id: ({ group_id }) => keys.joinedId(channel, group_id) },
  })

/** The items of a group attached to a channel: the record, and a pointer by which the group finds the channel. */
export const attachmentItems = (channel: string, attachment: Attachment): [Item, Item] => [
  itemOf(attachmentsOf(channel), attachment),
  keys.groupChannelKey(attachment.group_id, channel),
]

/** Attaches a group to a channel while both are active. */
export const attach = (channel: string, attachment: Attachment, counting: Counting): Action[] => [
  requireActive(channel),
  requireActiveGroup(attachment.group_id),
  createRecord(attachmentsOf(channel), attachment, { code: 'ASSIGNMENT_ALREADY_EXISTS', property: 'user_group_id' }),
  { put: keys.groupChannelKey(attachment.group_id, channel) },
  ...countRoleUse(attachment.role_id, 1, counting),
]

/** Detaches a group; stale if the attachment has changed since it was read. Without an event if the group itself is deleted. */
export const detach = (
  channel: string,
  attachment: Attachment,
  counting: Counting,
  remove: typeof removeRecord = removeRecord,
): Action[] => [
  remove(attachmentsOf(channel), attachment),
  { delete: keys.groupChannelKey(attachment.group_id, channel) },
  ...countRoleUse(attachment.role_id, -1, counting),
]

/** An attached group as it is answered. */
export const viewAttachment = async (context: Context, role_id: string, group: Group) => ({
  id: group.id,
  role_id,
  user_group: await groupReference(context, group),
})

/** A channel with the groups attached to it, and how many users hold each role directly. */
export type WholeChannel = { channel: Channel; attachments: Attachment[]; direct: Map<string, number> }

/** A channel and everything under its key, in one read. */
export async function readWholeChannel(store: Store, id: string): Promise<WholeChannel | undefined> {
  const items = await all(store, keys.wholeChannel(id))
  const channel = channels.of(items.find(isAt(channels.key(id))))
  if (!channel) return undefined
  const { of } = attachmentsOf(id)
  return {
    channel,
    attachments: items.filter(keys.isChannelGroup).flatMap((item) => of(item) ?? []),
    direct: new Map(
      items.filter(keys.isChannelCount).map((item) => [keys.roleOfChannelCount(item), Number(item.count)]),
    ),
  }
}

/** Refuses an archived channel. */
export function checkActive(channel: Channel): void {
  if (channel.status === 'ARCHIVED') throw refuse('CHANNEL_ARCHIVED', 'channel_id')
}

type Creation = Input<'createChannel'>['body']
type Patch = Input<'updateChannel'>['body']

/** The channel that a creation asks for. */
export const channelFrom = (
  body: Creation,
  { id, memberRole, now }: { id: string; memberRole: string; now: string },
): Channel =>
  channelFields.create(body, {
    id,
    default_role_id: body.default_role_id ?? memberRole,
    created_at: now,
    updated_at: now,
  })

/** The channel after a merge patch; the same object if nothing changes. Refuses an archived channel. */
export function patchedChannel(channel: Channel, patch: Patch, memberRole: string, now: string): Channel {
  checkActive(channel)
  const forNull = { ...channelFields.valueForNull, default_role_id: memberRole }
  return changedOrSame(channel, mergePatch(channel, patch, forNull), { updated_at: now })
}

/** The channel with this status; refuses a channel that has it already. */
export function channelIn(status: Channel['status'], channel: Channel, now: string): Channel {
  if (status === channel.status)
    throw refuse(status === 'ARCHIVED' ? 'CHANNEL_ARCHIVED' : 'CHANNEL_NOT_ARCHIVED', 'channel_id')
  return { ...channel, status, updated_at: now }
}

/** The operation that gives a channel this status. */
export function changeStatus(status: Channel['status']) {
  return async (context: Context, { path }: Input<'archiveChannel'>): Promise<RecordAnswer<Channel>> => {
    const before = await existingChannel(context.store, path.channel_id)
    const after = changeIfMatch(
      context,
      before,
      () => channelIn(status, before, context.now),
      channelFields.own(before),
    )
    await context.store.write([replaceRecord(channels, before, after)])
    return channelFields.answer(after)
  }
}

/** Returns the role to be given on a channel; refuses a role that does not exist, or that the actor may not give. */
export function checkAssignableRole(role: Role | undefined, actor: Actor, property: string): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', property)
  if (!mayAssign(actor, role, 'CHANNELS')) throw refuse('ROLE_NOT_ASSIGNABLE', property)
  return role
}

type RecordsOfAssignment = { channel: Channel; user: UserRecord | undefined; role: Role | undefined; actor: Actor }

/** Returns the user who is to get a role, and the role. Checks the channel first, then the user, then the role. */
export function checkAssignment({ channel, user, role, actor }: RecordsOfAssignment): { user: UserRecord; role: Role } {
  checkActive(channel)
  if (user?.status !== 'ACTIVE') throw refuse('USER_NOT_ASSIGNABLE', 'user_id')
  return { user, role: checkAssignableRole(role, actor, 'role_id') }
}

/** Returns the group that is to be attached to a channel, or refuses. The role is not checked here. */
export function checkAttachable(channel: Channel, group: Group | undefined): Group {
  checkActive(channel)
  if (group?.status !== 'ACTIVE') throw refuse('INVALID_USER_GROUP', 'user_group_id')
  return group
}
