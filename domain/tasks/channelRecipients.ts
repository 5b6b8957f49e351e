import { isDeepStrictEqual } from 'node:util'
import { refuse, refuseFault, StaleRead } from '../base/errors.ts'
import { chunksOf } from '../base/parallel.ts'
import {
  type HolderList,
  isOwner,
  membersByLists,
  readChannelAccess,
  rolesOn,
} from '../people/channels/channelMembers.ts'
import { roles } from '../people/records/role.ts'
import type { UserRecord } from '../people/records/user.ts'
import type { Context } from '../request/context.ts'
import type { Store } from '../table/store.ts'
import { readActiveUser } from './activeUser.ts'
import { RECIPIENTS_AT_ONCE, taskAssignments } from './taskAssignment.ts'

/**
 * Users who are to get a task, and the records of all of them, or of the first RECIPIENTS_AT_ONCE or more: the records of very many
 * would take too much memory.
 */
export type Recipients = { ids: string[]; firstUsers: UserRecord[] }

/** Members who are read at once. */
const MEMBERS_AT_ONCE = 1000

/**
 * The active members of a channel that the caller owns, except the caller and, if a task is named, users who have it
 * already. Lists of members may lag: each member's own assignment decides.
 */
export async function activeMembers(
  context: Context,
  access: Awaited<ReturnType<typeof readChannelAccess>>,
  { property, task }: { property: string; task?: string },
): Promise<Recipients> {
  const { store, actorId } = context
  const { channel, tree, own } = access
  if (channel?.channel.status !== 'ACTIVE')
    throw refuseFault('UNKNOWN_CHANNEL_ID', property, 'must name an active channel')
  const held = await Promise.all([...rolesOn(channel, tree, own)].map((role) => roles.read(store, role)))
  if (!isOwner(held)) {
    // The reads are of different moments: an owner who moves from one group to another may be seen in neither.
    if (!isDeepStrictEqual(await readChannelAccess(context, channel.channel.id), access)) throw new StaleRead()
    throw refuse('NOT_ADMIN_OF_CHANNEL', property)
  }
  const members = [...(await membersByLists(store, channel, tree))].filter(([id]) => id !== actorId)
  const chosen: Recipients = { ids: [], firstUsers: [] }
  for (const chunk of chunksOf(members, MEMBERS_AT_ONCE)) {
    const found = await Promise.all(chunk.map((member) => activeMember(context, member, task)))
    const users = found.filter((user) => user !== undefined)
    chosen.ids.push(...users.map(({ id }) => id))
    chosen.firstUsers.push(...users.slice(0, RECIPIENTS_AT_ONCE - chosen.firstUsers.length))
  }
  return chosen
}

async function activeMember(context: Context, [id, lists]: [string, HolderList[]], task: string | undefined) {
  const { store } = context
  const [user, assignment, isMember] = await Promise.all([
    readActiveUser(context, id),
    task === undefined ? undefined : taskAssignments.read(store, id, task),
    isInOne(store, id, lists),
  ])
  return isMember && !assignment ? user : undefined
}

/** Whether a user has one of the roles that lists say they have. Mostly the first read is enough. */
async function isInOne(store: Store, id: string, lists: readonly HolderList[]): Promise<boolean> {
  for (const { keyOf } of lists) if (await store.get(keyOf(id))) return true
  return false
}
