import type { Organisation, PredefinedRoleType } from '../organisation/organisation.ts'
import { catalogued, readCatalogue } from '../request/catalogue.ts'
import type { Context, Localized } from '../request/context.ts'
import { bestTexts } from '../request/localization.ts'
import { shardedCounter } from '../table/counters.ts'
import { ofRole, roleExternalIdKey, roleKey, roleUseKey } from '../table/keys.ts'
import { externalIds } from '../table/names.ts'
import { defineRecord } from '../table/records.ts'
import type { Action, Store } from '../table/store.ts'

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

export const roles = defineRecord<Role>({
  key: roleKey,
  idOf: ({ id }) => [id],
  places: (role) => catalogued('ROLES', role),
})

export const roleExternalIds = externalIds<Role>(roleExternalIdKey)

/**
 * Counts how often a role is used: given to a user in a group or on a channel, brought to a channel by a group, or a
 * channel's default. A role can be deleted only while the count is zero; that closes the counter, so that nobody uses the
 * role afterwards.
 */
export const roleUses = (id: string) => shardedCounter((shard) => roleUseKey(id, shard), ofRole(id))

/** Counts one use of a role more or less. Predefined roles are never deleted, so their uses are not counted. */
export function countRoleUse(
  predefined: Organisation['predefined'],
  role: string,
  by: number,
  shard: number,
): Action[] {
  if (isPredefinedRole(predefined, role)) return []
  const uses = roleUses(role)
  return [by > 0 ? uses.addIfOpen(shard, { count: by }) : uses.add(shard, { count: by })]
}

/** Whether a role is one of the four that every directory has. */
export function isPredefinedRole(
  { ROOT: _root, ALL_USERS: _all, ...predefined }: Organisation['predefined'],
  role: string,
): boolean {
  return Object.values(predefined).includes(role)
}

/** The role that a body names, if it names one and that exists. */
export const readNamedRole = async (store: Pick<Store, 'get'>, id: string | null | undefined) =>
  id ? roles.read(store, id) : undefined

/** All roles of a scope. Roles are set up by hand, so all of them are few. */
export const rolesOf = async (store: Pick<Store, 'query'>, scope: RoleScope): Promise<Role[]> =>
  (await readCatalogue<Role>(store, 'ROLES')).filter((role) => role.scope === scope)

/** A role as other records refer to it. */
export const roleReference = async (context: Context, role: Role) => ({
  id: role.id,
  ...(await bestTexts(context, role)),
  type: role.type,
  predefined_role_type: role.predefined_role_type,
  scope: role.scope,
  permission_count: role.permissions.length,
})
