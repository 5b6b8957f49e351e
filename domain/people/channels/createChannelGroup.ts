import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import {
  attach,
  attachmentsOf,
  checkAssignableRole,
  checkAttachable,
  existingChannel,
  ownOfAttachment,
  viewAttachment,
} from '../records/channel.ts'
import { groups } from '../records/group.ts'
import { readNamedRole, roles } from '../records/role.ts'

/** Attaches a user group to a channel, with the channel's default role if no other is named. */
export async function createChannelGroup(context: Context, { path, body }: Input<'createChannelGroup'>) {
  const { store, shard } = context
  const [channel, wanted, named, actor, { predefined }] = await Promise.all([
    existingChannel(store, path.channel_id),
    groups.read(store, body.user_group_id),
    readNamedRole(store, body.role_id),
    context.actor(),
    context.organisation(),
  ])
  const group = checkAttachable(channel, wanted)
  const role = body.role_id ? named : await roles.read(store, channel.default_role_id)
  const { id: role_id } = checkAssignableRole(role, actor, 'role_id')
  const attachment = { group_id: group.id, role_id }
  const actions = [
    ...reserveIdempotencyKey(context, group.id),
    ...attach(channel.id, attachment, { predefined, shard }),
  ]
  const view = await writeAndShow(store.write(actions), () => viewAttachment(context, role_id, group))
  return { status: 201, body: view, own: ownOfAttachment(channel.id, attachment) }
}

/** An attached group as it is now. */
export async function showChannelGroup(context: Context, channel: string, id: string) {
  const { store } = context
  const [attachment, group] = await Promise.all([
    attachmentsOf(channel).read(store, id),
    groups.read(store, id),
    existingChannel(store, channel),
  ])
  if (!attachment || !group) throw refuse('CHANNEL_USER_GROUP_NOT_FOUND', 'user_group_id')
  const view = await viewAttachment(context, attachment.role_id, group)
  return { status: 200, body: view, own: ownOfAttachment(channel, attachment) }
}
