import { refuse } from '../../base/errors.ts'
import type { Localized } from '../../request/context.ts'
import { a, declareFields, type RecordOf } from '../../table/fields.ts'
import { roleKey } from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'
import type { Store } from '../../table/store.ts'
import type { PredefinedRoleType } from './organisation.ts'

export type RoleScope = 'ORGANISATION' | 'USER_GROUPS' | 'CHANNELS'

export const roleFields = declareFields({
  id: { type: a<string>() },
  external_id: { type: a<string | null>(), set: 'ALWAYS', default: null },
  title: { type: a<Localized[]>(), set: 'ALWAYS', initial: [] },
  description: { type: a<Localized[]>(), set: 'ALWAYS', default: [] },
  scope: { type: a<RoleScope>(), set: 'ALWAYS', initial: 'ORGANISATION' },
  type: { type: a<'PREDEFINED' | 'CUSTOM'>(), initial: 'CUSTOM' },
  predefined_role_type: { type: a<PredefinedRoleType | null>(), initial: null },
  permissions: { type: a<string[]>(), set: 'ALWAYS', default: [] },
  assignable: { type: a<boolean>(), set: 'ALWAYS', default: true },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
})

/** A role as it is stored. */
export type Role = RecordOf<typeof roleFields>

export const roles = defineRecord<Role>({
  key: roleKey,
  fields: roleFields,
  idOf: ({ id }) => [id],
  catalogue: 'ROLES',
  events: { kind: 'role' },
})

/** The role that a body names; undefined if it names no role, or one that does not exist. */
export const readNamedRole = async (store: Store, id: string | null | undefined) =>
  id ? roles.read(store, id) : undefined

/** The role that a path names, which must exist. */
export function requireRole(role: Role | undefined): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', 'role_id')
  return role
}
