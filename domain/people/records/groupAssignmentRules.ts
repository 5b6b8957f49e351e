import { refuse } from '../../base/errors.ts'
import type { Actor } from '../../request/actor.ts'
import type { Group } from './group.ts'
import type { Role } from './role.ts'
import { mayAssign } from './roleRules.ts'
import type { UserRecord } from './user.ts'

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
