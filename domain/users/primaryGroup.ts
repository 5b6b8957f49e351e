import { groupAssignmentKey, ofUser } from '../store/keys.ts'
import { all, type Item, type Store } from '../store/store.ts'
import type { UserRecord } from './userRecord.ts'
import type { Move } from './userWrites.ts'

type Moved = { after: UserRecord; move?: Move }

/**
 * Reads ahead what a change of the primary group needs to know, the assignments that may become primary, and answers
 * how to apply it once the user is known. `target` as in a patch: undefined leaves the group, null means ALL_USERS.
 */
export async function readMove(store: Pick<Store, 'query'>, userId: string, target: string | null | undefined) {
  const prefix = target === null ? 'GA#' : `GA#${target}#`
  const held = target === undefined ? [] : await all(store, { ...ofUser(userId), beginsWith: prefix })
  return (before: UserRecord, after: UserRecord, memberRole: string): Moved =>
    moveOf(before, after, (group) => held.find(({ sk }) => sk === groupAssignmentKey(userId, group, memberRole).sk))
}

function moveOf(before: UserRecord, after: UserRecord, heldIn: (group: string) => Item | undefined): Moved {
  const [from, to] = [before.primary_user_group_id, after.primary_user_group_id]
  if (from === to) return { after }
  const source = heldIn(to)?.source as 'MANUAL' | 'RULE' | undefined
  const move: Move = { from, to, already: source !== undefined, was: before.primary_was }
  return { after: { ...after, primary_was: source ?? null }, move }
}
