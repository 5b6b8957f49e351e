import { refuse } from '../../base/errors.ts'
import { userOf } from '../../request/actor.ts'
import type { Context, Input } from '../../request/context.ts'
import { wrongTexts } from '../../request/localizedTexts.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { createRecord } from '../../table/changes.ts'
import { channelFields, channelFrom, channels, checkAssignableRole } from '../records/channel.ts'
import { channelAssignments } from '../records/channelAssignment.ts'
import { countRoleUse } from '../records/heldRoles.ts'
import { readNamedRole } from '../records/role.ts'
import { readUser } from '../records/user.ts'

/** Creates a channel. The user who creates it becomes an owner; one that a service token creates has none. */
export async function createChannel(context: Context, { body }: Input<'createChannel'>) {
  const { store, now, shard, actorId } = context
  const id = body.id ?? context.newId()
  const ownerId = userOf(actorId)
  const [{ predefined }, owner, fault, role] = await Promise.all([
    context.organisation(),
    ownerId === null ? undefined : readUser(store, ownerId, now),
    wrongTexts(context, body),
    readNamedRole(store, body.default_role_id),
  ])
  if (fault) throw fault
  if (body.default_role_id) checkAssignableRole(role, await context.actor(), 'default_role_id')
  if (ownerId !== null && owner?.status !== 'ACTIVE') throw refuse('ACTOR_NOT_ACTIVE')
  const channel = channelFrom(body, { id, memberRole: predefined.CHANNEL_MEMBER ?? '', now })
  const ownership = owner && { channel_id: id, user_id: owner.id, role_id: predefined.CHANNEL_OWNER ?? '' }
  await store.write([
    ...reserveIdempotencyKey(context, id),
    createRecord(channels, channel, { code: 'DUPLICATE_ID', property: 'id' }),
    ...(ownership ? channelAssignments.give(ownership, owner, 'MANUAL', { predefined, shard }) : []),
    ...countRoleUse(channel.default_role_id, 1, { predefined, shard }),
  ])
  return { ...channelFields.answer(channel), status: 201 }
}
