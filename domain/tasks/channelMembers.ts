import { readChannel, type WholeChannel } from '../channels/channel.ts'
import { memberIds, rolesOn } from '../channels/members.ts'
import type { Context } from '../context.ts'
import { refuse } from '../errors.ts'
import { type GroupTree, readTree } from '../groups/tree.ts'
import { readRole } from '../roles/role.ts'
import { rolesOfUser } from '../store/keys.ts'
import { all, type Item } from '../store/store.ts'

/** A channel, and what says whether the caller owns it. */
export type Around = { channel: WholeChannel | undefined; tree: GroupTree; own: Item[] }

/** Reads a channel and what says whether the caller owns it. */
export async function readAround({ store, actorId }: Context, channelId: string): Promise<Around> {
  const [channel, tree, own] = await Promise.all([
    readChannel(store, channelId),
    readTree(store),
    all(store, rolesOfUser(actorId)),
  ])
  return { channel, tree, own }
}

/** Who is a member of a channel that the caller owns, but for himself; whatever they are. */
export async function membersBeside(
  { store, actorId }: Context,
  { channel, tree, own }: Around,
  property: string,
): Promise<string[]> {
  if (channel?.channel.status !== 'ACTIVE') throw refuse('UNKNOWN_CHANNEL_ID', property)
  const roles = await Promise.all([...rolesOn(channel, tree, own)].map((role) => readRole(store, role)))
  if (!roles.some((role) => role?.predefined_role_type === 'CHANNEL_OWNER'))
    throw refuse('NOT_ADMIN_OF_CHANNEL', property)
  return [...(await memberIds(store, channel, tree))].filter((id) => id !== actorId)
}
