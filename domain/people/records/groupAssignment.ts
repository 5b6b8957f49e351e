import { refuse } from '../../base/errors.ts'
import { type Actor, mayChange } from '../../request/actor.ts'
import type { Context } from '../../request/context.ts'
import { exists } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item, Key } from '../../table/store.ts'
import { existingGroup, type Group, groupMembers } from './group.ts'
import { heldRoles } from './heldRoles.ts'
import type { Role } from './role.ts'
import { mayAssign } from './roleRules.ts'
import { readUser, type UserRecord, userReference } from './user.ts'

/** What identifies an assignment: one role of one user in one group. */
export type GroupAssignmentId = { group_id: string; user_id: string; role_id: string }
/** Where an assignment comes from: the primary group, a call, or a rule. */
export type GroupAssignmentSource = 'PRIMARY' | 'MANUAL' | 'RULE'

/** The own fields of an assignment, which make its version. */
export const ownOfGroupAssignment = (
  { group_id, user_id, role_id }: GroupAssignmentId,
  source: GroupAssignmentSource,
) => ({ group_id, user_id, role_id, source })

/**
 * Primary assignments have no events, as the events of the user show `primary_user_group_id`. An assignment that is primary
 * for a while continues its events later.
 */
export const groupAssignments = heldRoles<GroupAssignmentId, GroupAssignmentSource>({
  kind: 'user_group_assignment',
  targetName: 'group_id',
  keyOf: keys.groupAssignmentKey,
  listOf: keys.groupList,
  count: ({ group_id, role_id }, by, shard) => groupMembers(group_id).count(shard, keys.roleCount(role_id), by),
  shownInEvent: ownOfGroupAssignment,
})

type NamedUser = Pick<UserRecord, 'id' | 'first_name' | 'last_name'>
type Held = { group: string; role: string; source: GroupAssignmentSource }

const idOf = (user: NamedUser, { group, role }: Held): GroupAssignmentId => ({
  group_id: group,
  user_id: user.id,
  role_id: role,
})

/** The item of an assignment. */
export const groupAssignmentItem = (user: NamedUser, held: Held): Item =>
  groupAssignments.item(idOf(user, held), user, held.source)

/** Changes the source of an existing assignment. */
export const changeSource = (user: NamedUser, { group, role, source }: Held): Action => ({
  update: keys.groupAssignmentKey(user.id, group, role),
  set: { source },
  if: exists,
})

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

type RecordsOfAssignment = { group: Group; user: UserRecord | undefined; role: Role | undefined; actor: Actor }

/** Returns the user who gets the role, or refuses. Clients rely on the order of the checks. */
export function checkAssignable({ group, user, role, actor }: RecordsOfAssignment): UserRecord {
  if (group.status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED', 'group_id')
  if (!user) throw refuse('UNKNOWN_USER_ID', 'user_id')
  if (user.status !== 'ACTIVE') throw refuse('USER_NOT_ASSIGNABLE', 'user_id')
  checkRole(role, actor)
  return user
}

/** Refuses a role that is not for groups, or that the caller may not give. */
export function checkRole(role: Role | undefined, actor: Actor): void {
  if (!role) throw refuse('ROLE_DOES_NOT_EXIST', 'role_id')
  if (role.scope !== 'USER_GROUPS') throw refuse('ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id')
  if (!mayAssign(actor, role, 'USER_GROUPS')) throw refuse('ROLE_NOT_ASSIGNABLE', 'role_id')
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
