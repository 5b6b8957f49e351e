import { exists } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item } from '../../table/store.ts'
import { groupMembers } from './group.ts'
import { heldRoles } from './heldRoles.ts'
import type { UserRecord } from './user.ts'

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
export const setSourceWithoutEvent = (user: NamedUser, { group, role, source }: Held): Action => ({
  update: keys.groupAssignmentKey(user.id, group, role),
  set: { source },
  if: exists,
})
