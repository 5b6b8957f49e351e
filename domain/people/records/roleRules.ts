import { refuse } from '../../base/errors.ts'
import { type Actor, mayChange } from '../../request/actor.ts'
import { isSameRecord } from '../../table/records.ts'
import type { Role, RoleScope } from './role.ts'
import type { UserRecord } from './userFields.ts'

// What may become of a role: pure.

/** Whether a role may be changed like this: in a predefined role only the texts may change. */
export const isModifiable = (role: Role, { title, description, ...next }: Role): boolean =>
  role.type !== 'PREDEFINED' ||
  isSameRecord({ ...role, title, description, updated_at: '' }, { ...next, title, description, updated_at: '' })

/** The error for any other change of a predefined role. */
export const notModifiable = () =>
  refuse('ROLE_NOT_MODIFIABLE', 'role_id', 'Only the texts of a predefined role can change')

/** The fields that decide who may give a role to users. */
export type AssignableRole = Pick<Role, 'scope'> & Partial<Pick<Role, 'assignable' | 'predefined_role_type'>>

/** The user role ADMIN, in the form that the rule takes. */
export const adminRole: AssignableRole = { scope: 'ORGANISATION' }

/**
 * The only rule for giving a role to a user; every operation that gives one calls it. Only active administrators and service
 * tokens with the scope for it may give roles, and only assignable roles of the right scope.
 */
export const mayAssign = (actor: Actor, role: AssignableRole, scope: RoleScope): boolean =>
  role.scope === scope && role.assignable !== false && mayAssignIn(actor, role)

/** The scope of a service token that gives roles of each scope. */
const tokenScopes = { ORGANISATION: 'ADMINISTRATORS', USER_GROUPS: 'USER_GROUPS', CHANNELS: 'CHANNELS' } as const

function mayAssignIn(actor: Actor, { scope, predefined_role_type: type }: AssignableRole): boolean {
  if (actor.kind === 'USER') return actor.role === 'ADMIN' && actor.status === 'ACTIVE'
  // SCIM makes users members of groups, and nothing else.
  return mayChange(actor, tokenScopes[scope]) || (type === 'USER_GROUP_MEMBER' && mayChange(actor, 'SCIM'))
}

/** Refuses a user who makes an administrator but may not give that role. For service tokens, `checkAdministrator` decides. */
export function checkNewRole(actor: Actor, role: UserRecord['role'] | undefined): void {
  if (role === 'ADMIN' && actor.kind === 'USER' && !mayAssign(actor, adminRole, 'ORGANISATION'))
    throw refuse('ROLE_NOT_ASSIGNABLE', 'role')
}
