import type { Context, Input } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { checkAssignment, existingChannel, requireActive } from '../records/channel.ts'
import { channelAssignments, ownOfHolding, viewChannelAssignment } from '../records/channelAssignment.ts'
import { roles } from '../records/role.ts'
import { readUser } from '../records/user.ts'

/** Gives a user a role on a channel. If they hold it directly already, nothing changes, and the answer is 200. */
export async function createChannelAssignment(
  context: Context,
  { path, body, query }: Input<'createChannelAssignment'>,
) {
  const { store, now, shard } = context
  const id = { ...path, role_id: body.role_id }
  const [channel, user, role, held, actor, { predefined }] = await Promise.all([
    existingChannel(store, id.channel_id),
    readUser(store, id.user_id, now),
    roles.read(store, id.role_id),
    channelAssignments.read(store, id),
    context.actor(),
    context.organisation(),
  ])
  const given = checkAssignment({ channel, user, role, actor })
  const actions = [
    ...reserveIdempotencyKey(context, id.user_id),
    ...channelAssignments.give(id, given.user, 'MANUAL', { predefined, shard }),
    requireActive(id.channel_id),
  ]
  const view = await writeAndShow(held ? undefined : store.write(actions), () =>
    viewChannelAssignment(context, { id, source: 'MANUAL', ...given }, query.embed),
  )
  return { status: held ? 200 : 201, body: view, own: ownOfHolding({ id, source: 'MANUAL' }) }
}
