import { refuse } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { wrongTexts } from '../request/localization.ts'
import { remember } from '../request/preconditions.ts'
import { countRoleUse, readNamedRole } from '../roles/role.ts'
import { readUser } from '../users/user.ts'
import { channelFrom, channels, checkAssignableRole } from './channel.ts'
import { channelAssignments } from './channelAssignment.ts'

/** Creates a channel. Its creator becomes an owner. */
export async function createChannel(context: Context, { body }: Input<'createChannel'>) {
  const { store, now, shard, actorId } = context
  const id = body.id ?? context.newId()
  const [{ predefined }, creator, fault, role] = await Promise.all([
    context.organisation(),
    readUser(store, actorId, now),
    wrongTexts(context, body),
    readNamedRole(store, body.default_role_id),
  ])
  if (fault) throw fault
  if (body.default_role_id) checkAssignableRole(role, await context.actor(), 'default_role_id')
  if (creator?.status !== 'ACTIVE') throw refuse('ACTOR_NOT_ACTIVE')
  const channel = channelFrom(body, { id, memberRole: predefined.CHANNEL_MEMBER ?? '', now })
  const ownership = { channel_id: id, user_id: creator.id, role_id: predefined.CHANNEL_OWNER ?? '' }
  await store.write([
    ...remember(context, id),
    channels.create(channel, { code: 'DUPLICATE_ID', property: 'id' }),
    ...channelAssignments.give(ownership, creator, 'MANUAL', { predefined, shard }),
    ...countRoleUse(channel.default_role_id, 1, { predefined, shard }),
  ])
  return { status: 201, body: channel, own: channel }
}
