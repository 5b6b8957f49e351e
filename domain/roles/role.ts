import type { PredefinedRoleType } from '../organisation/organisation.ts'
import { catalogued, readCatalogue } from '../request/catalogue.ts'
import type { Context } from '../request/context.ts'
import { bestText, type Localized } from '../request/localization.ts'
import { roleKey } from '../table/keys.ts'
import type { Item, Store } from '../table/store.ts'

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

/** The item of a role, with its place in the catalogue. */
export const roleItem = (role: Role): Item => ({
  ...roleKey(role.id),
  ...catalogued('ROLES', role),
  data: role,
})

/** A role as it is now. */
export const readRole = async (store: Pick<Store, 'get'>, id: string): Promise<Role | undefined> =>
  (await store.get(roleKey(id)))?.['data'] as Role | undefined

/** All roles of a scope: there are as many as somebody could read, not as many as there are people. */
export const rolesOf = async (store: Pick<Store, 'query'>, scope: RoleScope): Promise<Role[]> =>
  (await readCatalogue<Role>(store, 'ROLES')).filter((role) => role.scope === scope)

/** A role as other records refer to it. */
export async function roleReference(context: Context, role: Role) {
  const [title, description] = await Promise.all([
    bestText(context, role.title),
    role.description.length > 0 ? bestText(context, role.description) : null,
  ])
  return {
    id: role.id,
    title,
    description,
    type: role.type,
    predefined_role_type: role.predefined_role_type,
    scope: role.scope,
    permission_count: role.permissions.length,
  }
}
