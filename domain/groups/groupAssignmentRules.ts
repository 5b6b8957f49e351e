import { refuse } from '../base/errors.ts'
import type { Actor } from '../request/context.ts'
import type { Role } from '../roles/role.ts'
import { mayAssign } from '../roles/roleRules.ts'
import type { UserRecord } from '../users/userRecord.ts'
import type { Group } from './group.ts'

type Parties = { group: Group; user: UserRecord | undefined; role: Role | undefined; actor: Actor }

/** Answers the user who gets the role, or refuses. Clients rely on the order of the checks. */
export function checkAssignable({ group, user, role, actor }: Parties): UserRecord {
  if (group.status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED', 'group_id')
  if (!user) throw refuse('UNKNOWN_USER_ID', 'user_id')
  if (user.status !== 'ACTIVE') throw refuse('USER_NOT_ASSIGNABLE', 'user_id')
  if (!role) throw refuse('ROLE_DOES_NOT_EXIST', 'role_id')
  if (role.scope !== 'USER_GROUPS') throw refuse('ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id')
  if (!mayAssign(actor, role, 'USER_GROUPS')) throw refuse('ROLE_NOT_ASSIGNABLE', 'role_id')
  return user
}
