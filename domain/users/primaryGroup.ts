import { groupAssignmentKey } from '../store/keys.ts'
import type { Item } from '../store/store.ts'
import type { UserRecord } from './userRecord.ts'

/** The primary group a user leaves and the one he comes to. */
export type Move = {
  from: string
  to: string
  /** He already holds the member role in the new group by another way. */
  already: boolean
  /** What his membership in the old group was before it became primary. */
  was: 'MANUAL' | 'RULE' | null
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
