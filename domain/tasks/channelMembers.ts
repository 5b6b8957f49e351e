import { isDeepStrictEqual } from 'node:util'
import { faulty, refuse } from '../base/errors.ts'
import { slices } from '../base/sideBySide.ts'
import { readWholeChannel, type WholeChannel } from '../channels/channel.ts'
import { type HolderList, membersByLists, rolesOn } from '../channels/channelMembers.ts'
import { type GroupTree, readTree } from '../groups/groupTree.ts'
import type { Context } from '../request/context.ts'
import { roles } from '../roles/role.ts'
import { rolesOfUser, taskAssignmentKey } from '../table/keys.ts'
import { all, type Item, StaleRead } from '../table/store.ts'
import { readUser, type UserRecord } from '../users/user.ts'
import { AT_ONCE } from './addRecipients.ts'

/** A channel, and what says whether the caller owns it. */
export type Around = { channel: WholeChannel | undefined; tree: GroupTree; own: Item[] }

/** Reads a channel and what says whether the caller owns it. */
export async function readAround({ store, actorId }: Context, channelId: string): Promise<Around> {
  const [channel, tree, own] = await Promise.all([
    readWholeChannel(store, channelId),
    readTree(store, 'now'),
    all(store, rolesOfUser(actorId)),
  ])
  return { channel, tree, own }
}

/** Who is to get a task; the records of those who are written first, as nobody can hold the records of all. */
export type Recipients = { ids: string[]; users: UserRecord[] }

/** Members who are looked at together. */
const SLICE = 1000

/**
 * The active members of a channel that the caller owns, but for himself, and for those who have the task already if one
 * is named. They are members now: whatever an index still shows, each has the assignment that makes him one.
 */
export async function activeMembers(
  context: Context,
  around: Around,
  { property, task }: { property: string; task?: string },
): Promise<Recipients> {
  const { store, actorId } = context
  const { channel, tree, own } = around
  if (channel?.channel.status !== 'ACTIVE') throw faulty('UNKNOWN_CHANNEL_ID', property, 'names no active channel')
  const held = await Promise.all([...rolesOn(channel, tree, own)].map((role) => roles.read(store, role)))
  if (!held.some((role) => role?.predefined_role_type === 'CHANNEL_OWNER')) {
    // The reads are of different moments: an owner who moves from one group to another may be seen in neither.
    if (!isDeepStrictEqual(await readAround(context, channel.channel.id), around)) throw new StaleRead()
    throw refuse('NOT_ADMIN_OF_CHANNEL', property)
  }
  const members = [...(await membersByLists(store, channel, tree))].filter(([id]) => id !== actorId)
  const chosen: Recipients = { ids: [], users: [] }
  for (const slice of slices(members, SLICE)) {
    const found = await Promise.all(slice.map((member) => activeMember(context, member, task)))
    const users = found.filter((user) => user !== undefined)
    for (const { id } of users) chosen.ids.push(id)
    chosen.users.push(...users.slice(0, AT_ONCE - chosen.users.length))
  }
  return chosen
}

async function activeMember(
  { store, now }: Context,
  [id, lists]: [string, HolderList[]],
  task: string | undefined,
): Promise<UserRecord | undefined> {
  const [user, has, held] = await Promise.all([
    readUser(store, id, now),
    task === undefined ? undefined : store.get(taskAssignmentKey(id, task)),
    Promise.all(lists.map(({ keyOf }) => store.get(keyOf(id)))),
  ])
  const isMember = held.some((item) => item !== undefined)
  return isMember && !has && user?.status === 'ACTIVE' ? user : undefined
}
