import { groupMembers } from '../groups/group.ts'
import { groupAssignmentItem } from '../groups/groupAssignment.ts'
import { isClosed } from '../table/counters.ts'
import { absent, exists } from '../table/expressions.ts'
import { groupAssignmentKey, roleCount } from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import type { UserRecord } from './userRecord.ts'
import type { Surroundings } from './userWrites.ts'

/** The primary group a user leaves and the one he comes to. */
export type Move = {
  from: string
  to: string
  /** He already holds the member role in the new group by another way. */
  already: boolean
  /** What his membership in the old group was before it became primary. */
  was: 'MANUAL' | 'RULE' | null
  /** He is moved because the old group is archived: if it no longer is, he stays. */
  isEvicted?: true
}

/**
 * What a change of the primary group means, given the assignments that the user holds: the one in the new group becomes
 * PRIMARY and remembers what it was.
 */
export function moveOf(
  before: UserRecord,
  after: UserRecord,
  memberRole: string,
  held: readonly Item[],
): { after: UserRecord; move?: Move } {
  const [from, to] = [before.primary_user_group_id, after.primary_user_group_id]
  if (from === to) return { after }
  const { sk } = groupAssignmentKey(after.id, to, memberRole)
  const source = held.find((item) => item.sk === sk)?.['source'] as 'MANUAL' | 'RULE' | undefined
  const move: Move = { from, to, already: source !== undefined, was: before.primary_was }
  return { after: { ...after, primary_was: source ?? null }, move }
}

/** One user more or less who holds the member role in a group. Losing a member is always allowed. */
export function groupCount(group: string, by: number, { shard, memberRole }: Surroundings): Action {
  const count = { [roleCount(memberRole)]: by }
  return by > 0
    ? groupMembers(group).addIfOpen(shard, count, { otherwise: groupClosed })
    : groupMembers(group).add(shard, count)
}

/** An archived group becomes the primary group of nobody. */
const groupClosed = { code: 'UNKNOWN_USER_GROUP_ID', property: 'primary_user_group_id' } as const

/** The assignments and counts that a move changes beside the user himself. */
export function moved(user: UserRecord, move: Move, around: Surroundings): Action[] {
  const { memberRole: role, shard } = around
  const joined: Action = {
    put: groupAssignmentItem(user, { group: move.to, role, source: 'PRIMARY' }),
    if: move.already ? exists : absent,
  }
  const welcome: Action = move.already
    ? groupMembers(move.to).requireOpen(shard, groupClosed)
    : groupCount(move.to, 1, around)
  return [joined, welcome, ...left(user, move, around)]
}

function left(user: UserRecord, { from, was, isEvicted }: Move, around: Surroundings): Action[] {
  const { memberRole: role, shard } = around
  if (!was)
    return [
      { delete: groupAssignmentKey(user.id, from, role) },
      { ...groupCount(from, -1, around), ...(isEvicted ? { if: isClosed } : {}) },
    ]
  const kept: Action = { put: groupAssignmentItem(user, { group: from, role, source: was }) }
  return isEvicted ? [kept, groupMembers(from).requireClosed(shard)] : [kept]
}
