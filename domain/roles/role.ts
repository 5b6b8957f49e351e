import type { Context } from '../context.ts'
import { bestText, type Localized } from '../localization.ts'
import type { PredefinedRoleType } from '../organisation/organisation.ts'
import { roleKey, roleList } from '../store/keys.ts'
import { all, type Item, type Store } from '../store/store.ts'

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

/** The item of a role, with its place in the list of its scope. */
export const roleItem = (role: Role): Item => ({
  ...roleKey(role.id),
  list: roleList(role.scope),
  by_id: role.id,
  data: role,
})

/** A role as it is now. */
export const readRole = async (store: Pick<Store, 'get'>, id: string): Promise<Role | undefined> =>
  (await store.get(roleKey(id)))?.['data'] as Role | undefined

/** All roles of a scope: there are as many as somebody could read, not as many as there are people. */
export async function rolesOf(store: Pick<Store, 'query' | 'getSoon'>, scope: RoleScope): Promise<Role[]> {
  const rows = await all(store, { index: 'by_id', hash: roleList(scope) })
  const roles = await Promise.all(rows.map((row) => store.getSoon({ pk: row.pk, sk: row.sk })))
  return roles.flatMap((item) => (item ? [item['data'] as Role] : []))
}

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
