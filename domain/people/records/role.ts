import { refuse } from '../../base/errors.ts'
import type { Localized } from '../../request/context.ts'
import type { Cleared } from '../../request/input.ts'
import { roleExternalIdKey, roleKey } from '../../table/keys.ts'
import { defineRecord, externalIds } from '../../table/records.ts'
import type { Store } from '../../table/store.ts'
import type { PredefinedRoleType } from './organisation.ts'

export type RoleScope = 'ORGANISATION' | 'USER_GROUPS' | 'CHANNELS'

/** A role as it is stored. */
export type Role = {
  id: string
  external_id: string | null
  title: Localized[]
  description: Localized[]
  scope: RoleScope
  type: 'PREDEFINED' | 'CUSTOM'
  predefined_role_type: PredefinedRoleType | null
  permissions: string[]
  assignable: boolean
  created_at: string
  updated_at: string
}

/** A custom role with the defaults of a creation. */
export const newRole = (id: string, now: string): Role => ({
  id,
  external_id: null,
  title: [],
  description: [],
  scope: 'ORGANISATION',
  type: 'CUSTOM',
  predefined_role_type: null,
  permissions: [],
  assignable: true,
  created_at: now,
  updated_at: now,
})

/** The fields of a role that callers can set, and the values that null sets. */
export const clearedRole: Cleared<Role> = {
  external_id: null,
  title: undefined,
  description: [],
  scope: undefined,
  permissions: [],
  assignable: true,
}

export const roles = defineRecord<Role>({
  key: roleKey,
  idOf: ({ id }) => [id],
  catalogue: 'ROLES',
  events: { kind: 'role' },
})

export const roleExternalIds = externalIds<Role>(roleExternalIdKey)

/** The role that a body names; undefined if it names no role, or one that does not exist. */
export const readNamedRole = async (store: Store, id: string | null | undefined) =>
  id ? roles.read(store, id) : undefined

/** The role that a path names, which must exist. */
export function requireRole(role: Role | undefined): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', 'role_id')
  return role
}
