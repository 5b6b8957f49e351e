import { type Context, type Input, writeAndShow } from '../request/context.ts'
import { remember } from '../request/preconditions.ts'
import { countRoleUse, roles } from '../roles/role.ts'
import { channelAssignmentKey } from '../table/keys.ts'
import { readUser } from '../users/user.ts'
import { channels, checkAssignment, requireChannel } from './channel.ts'
import { channelAssignmentCreation, ownOfHolding, viewChannelAssignment } from './channelAssignment.ts'

/** Gives a user a role on a channel. A role that they hold directly already is answered as it is. */
export async function createChannelAssignment(
  context: Context,
  { path, body, query }: Input<'createChannelAssignment'>,
) {
  const { store, now, shard } = context
  const id = { ...path, role_id: body.role_id }
  const [channel, user, role, held, actor, { predefined }] = await Promise.all([
    channels.read(store, id.channel_id),
    readUser(store, id.user_id, now),
    roles.read(store, id.role_id),
    store.get(channelAssignmentKey(id.user_id, id.channel_id, id.role_id)),
    context.actor(),
    context.organisation(),
  ])
  const parties = checkAssignment({ channel: requireChannel(channel), user, role, actor })
  const actions = [
    ...remember(context, id.user_id),
    ...channelAssignmentCreation(id, parties.user),
    ...countRoleUse(predefined, id.role_id, 1, shard),
  ]
  const view = await writeAndShow(held ? undefined : store.write(actions), () =>
    viewChannelAssignment(context, { id, source: 'MANUAL', ...parties }, query.embed),
  )
  return { status: held ? 200 : 201, body: view, own: ownOfHolding({ id, source: 'MANUAL' }) }
}
