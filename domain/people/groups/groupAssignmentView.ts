import { refuse } from '../../base/errors.ts'
import { type Actor, mayChange } from '../../request/actor.ts'
import type { Context } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import type { Key } from '../../table/store.ts'
import { existingGroup } from '../records/group.ts'
import { type GroupAssignmentId, type GroupAssignmentSource, groupAssignments } from '../records/groupAssignment.ts'
import { readUser, type UserRecord } from '../records/user.ts'
import { userReference } from '../records/userReference.ts'

// An assignment that calls name: read, and shown in answers.

/**
 * An assignment that must exist, with its source and user. Users past their deadline have no assignments, whether these
 * are removed yet or not.
 */
export async function existingGroupAssignment({ store, now }: Context, id: GroupAssignmentId) {
  const [, user, item] = await Promise.all([
    existingGroup(store, id.group_id),
    readUser(store, id.user_id, now),
    groupAssignments.read(store, id),
  ])
  if (!user || !item) throw refuse('USER_GROUP_ASSIGNMENT_NOT_FOUND')
  return { user, source: groupAssignments.sourceOf(item), item }
}

/** The keys that an item of a batch reads. */
export const readsOf = (id: GroupAssignmentId): Key[] => [
  keys.groupKey(id.group_id),
  keys.userKey(id.user_id),
  groupAssignments.key(id),
]
/** What an item of a batch changes: the user's version, so items about one user run one after the other. */
export const changesOf = ({ user_id }: GroupAssignmentId): string[] => [`user:${user_id}`]

type Shown = {
  source: GroupAssignmentSource
  user: UserRecord | undefined
  embed: readonly 'ACTIONS'[] | undefined
  actor: Actor
}

/** An assignment as it is answered. */
export const viewGroupAssignment = (
  { group_id, user_id, role_id }: GroupAssignmentId,
  { source, user, embed, actor }: Shown,
) => ({
  id: { group_id, user_id, role_id },
  source,
  user: userReference(user_id, user),
  ...(embed?.includes('ACTIONS')
    ? { actions: { delete: { allowed: source === 'MANUAL' && mayChange(actor, 'USER_GROUPS') } } }
    : {}),
})
export type GroupAssignmentView = ReturnType<typeof viewGroupAssignment>
