import type { Item } from '../../table/store.ts'
import type { GroupAssignmentSource } from './groupAssignment.ts'
import type { UserRecord } from './user.ts'

// A user's move from one primary group to another.

/** What a membership becomes when it is no longer primary. If a rule gives it, `byRule` is its item: the change has an event. */
export type OldMembership = { source: 'MANUAL' | 'RULE'; byRule?: Item | undefined } | undefined

/** A user's move from one primary group to another. */
export type Move = {
  from: string
  to: string
  /** The user is a member of the new group already, in another way. */
  isMember: boolean
  /** What the membership in the old group was before it became primary. */
  was: UserRecord['primary_was']
  /** What the membership in the old group becomes; undefined if it ends. */
  oldMembership: OldMembership
  /** Moved because the old group is archived: stale if it no longer is. */
  isFromArchived?: true
}

/**
 * The move that a change of the primary group means. `source`: the source of the membership that the user has in the new group
 * already, if any. This membership becomes PRIMARY, and the user's record keeps its former source. `oldMembership`: what becomes
 * of the membership in the old group; by default what it was before it became primary.
 */
export function moveOf(
  before: UserRecord,
  after: UserRecord,
  source: GroupAssignmentSource | undefined,
  { oldMembership }: { oldMembership: OldMembership } = {
    oldMembership: before.primary_was ? { source: before.primary_was } : undefined,
  },
): { after: UserRecord; move?: Move } {
  const [from, to] = [before.primary_user_group_id, after.primary_user_group_id]
  if (from === to) return { after }
  const move: Move = { from, to, isMember: source !== undefined, was: before.primary_was, oldMembership }
  return { after: { ...after, primary_was: source === undefined || source === 'PRIMARY' ? null : source }, move }
}
