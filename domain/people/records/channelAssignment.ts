import { mayChange } from '../../request/actor.ts'
import type { Context } from '../../request/context.ts'
import { shardedCounter } from '../../table/counters.ts'
import { atLeast, exists } from '../../table/expressions.ts'
import { keyIn } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item } from '../../table/store.ts'
import { type Counting, heldRoles } from './heldRoles.ts'
import type { Role } from './role.ts'
import { roleReference } from './roleReference.ts'
import type { UserRecord } from './user.ts'
import { userReference } from './userReference.ts'

/** A role of one user on one channel. */
export type ChannelTriple = { channel_id: string; user_id: string; role_id: string }

/** How a role is held: directly, or through a user group. */
export type Source = 'MANUAL' | 'USER_GROUP'

/** The own fields of an assignment, which make its version. */
export const ownOfHolding = ({
  id: { channel_id, user_id, role_id },
  source,
}: {
  id: ChannelTriple
  source: Source
}) => ({
  channel_id,
  user_id,
  role_id,
  source,
})

/**
 * Counts the users who hold a role on a channel directly. It is one item, as the check that an owner remains must be
 * exact.
 */
const directHolders = (channel: string, role: string) =>
  shardedCounter(() => keys.channelCountKey(channel, role), keys.wholeChannel(channel), 1)

/** Roles held directly. Roles through groups are not stored. */
export const channelAssignments = heldRoles<ChannelTriple, 'MANUAL'>({
  kind: 'channel_assignment',
  targetName: 'channel_id',
  keyOf: keys.channelAssignmentKey,
  listOf: keys.channelList,
  count: ({ channel_id, role_id }, by, _shard, expected) =>
    directHolders(channel_id, role_id).add(0, { count: by }, expected),
  shownInEvent: ({ channel_id, user_id, role_id }) => ({ channel_id, user_id, role_id }),
})

/** The most assignments of overdue owners that one transaction checks again: the rest of it is for the deletion. */
const MOST_CHECKED = 90

/**
 * Deletes the assignment of an owner; refuses if no other owner would remain. `overdue` are the assignments of owners
 * past their deadline, who are still counted. The transaction checks the count, as a count that was read may be old.
 */
export const ownershipDeletion = (
  id: ChannelTriple,
  found: Item,
  overdue: readonly Item[],
  counting: Counting,
): Action[] => [
  ...overdue.slice(0, MOST_CHECKED).map((item) => ({ check: keyIn(item), if: exists })),
  ...channelAssignments.remove(id, found, counting, {
    if: atLeast('count', overdue.length + 2),
    otherwise: { code: 'ROLE_NOT_DELETABLE', property: 'role_id' },
  }),
]

type Shown = {
  id: ChannelTriple
  source: Source
  user: UserRecord | undefined
  role: Role | undefined
  /** Whether no other user holds the role directly: the last owner cannot lose it. */
  isLast?: boolean
}
type Embed = readonly ('USER' | 'ROLE' | 'ACTIONS')[] | undefined

/** A role on a channel as it is answered. */
export async function viewChannelAssignment(
  context: Context,
  { id: { channel_id, user_id, role_id }, source, user, role, isLast = false }: Shown,
  embed: Embed,
) {
  const isLastOwner = role?.predefined_role_type === 'CHANNEL_OWNER' && isLast
  const mayDelete = async () => source === 'MANUAL' && !isLastOwner && mayChange(await context.actor(), 'CHANNELS')
  return {
    id: { channel_id, user_id, role_id },
    source,
    ...(embed?.includes('USER') ? { user: userReference(user_id, user) } : {}),
    ...(embed?.includes('ROLE') && role ? { role: await roleReference(context, role) } : {}),
    ...(embed?.includes('ACTIONS') ? { actions: { delete: { allowed: await mayDelete() } } } : {}),
  }
}
