import { isDeepStrictEqual } from 'node:util'
import type { Input } from '../../schemas/contract.ts'
import type { createRole, updateRole } from '../../schemas/roles.ts'
import { faulty, refuse } from '../base/errors.ts'
import type { Actor } from '../request/context.ts'
import { type Cleared, changedOrSame, mergePatch } from '../request/mergePatch.ts'
import type { Role, RoleScope } from './role.ts'

type Creation = Input<typeof createRole>['body']
type Patch = Input<typeof updateRole>['body']

/** The role that a creation asks for. */
export const roleFrom = (body: Creation, { id, now }: { id: string; now: string }): Role => ({
  id,
  external_id: body.external_id ?? null,
  title: body.title,
  description: body.description ?? [],
  scope: body.scope,
  type: 'CUSTOM',
  predefined_role_type: null,
  permissions: body.permissions ?? [],
  assignable: body.assignable ?? true,
  created_at: now,
  updated_at: now,
})

/** What can change of a role. */
const cleared: Cleared<Role> = {
  external_id: null,
  title: undefined,
  description: [],
  scope: undefined,
  permissions: [],
  assignable: true,
}

/** The role after a merge patch; the very same object where nothing changes. Of a predefined role only the texts can. */
export function patchedRole(role: Role, body: Patch, now: string): Role {
  const next = mergePatch(role, body, cleared)
  if (!isModifiable(role, next)) throw notModifiable()
  // Users hold the role in places of this kind.
  if (next.scope !== role.scope) throw faulty('VALIDATION_ERROR', 'scope', 'must stay as it is')
  return changedOrSame(role, next, { updated_at: now })
}

/** Whether a role may become another: of a predefined one only the texts change. */
export const isModifiable = (role: Role, { title, description, ...next }: Role): boolean =>
  role.type !== 'PREDEFINED' ||
  isDeepStrictEqual({ ...role, title, description, updated_at: '' }, { ...next, title, description, updated_at: '' })

/** The role that a path names, which must exist. */
export function requireRole(role: Role | undefined): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', 'role_id')
  return role
}

/** Refuses to delete a role that every directory has. */
export function checkDeletable(role: Role): void {
  if (role.type === 'PREDEFINED') throw notModifiable()
}

const notModifiable = () => refuse('ROLE_NOT_MODIFIABLE', 'role_id', 'Of a predefined role only the texts can change')

/** What decides who may give a role to users. */
export type AssignableRole = { scope: RoleScope; assignable?: boolean }

/** The user role ADMIN as the rule sees it. */
export const adminRole: AssignableRole = { scope: 'ORGANISATION' }

/**
 * THE rule for giving a role to a user; every path to a role asks it. An active administrator may give every role of the
 * right scope that is not marked as unassignable; nobody else may give any.
 */
export const mayAssign = (actor: Actor, role: AssignableRole, scope: RoleScope): boolean =>
  actor.role === 'ADMIN' && actor.status === 'ACTIVE' && role.scope === scope && role.assignable !== false
