import type { FromSchema } from 'json-schema-to-ts'
import type { assignableRolesQuery } from '../../schemas/assignments.ts'
import { cataloguePage } from '../request/catalogue.ts'
import type { Context } from '../request/context.ts'
import { askedPage } from '../request/paging.ts'
import { mayAssign, type RoleScope, roleReference, rolesOf } from './role.ts'

type Query = FromSchema<typeof assignableRolesQuery>

/** Lists the roles of a scope that the actor may hand out, by the title they are shown: exactly what assigning accepts. */
export async function assignableRoles(context: Context, list: readonly string[], scope: RoleScope, query: Query) {
  const asked = askedPage(context, list, { sort: ['TITLE_ASC'], ...query })
  const [roles, actor, choose] = await Promise.all([rolesOf(context.store, scope), context.actor(), context.choice()])
  const { page, pagination } = cataloguePage(
    asked,
    roles.filter((role) => mayAssign(actor, role, scope)),
    { TITLE: ({ title }) => choose(title).text },
  )
  const assignable_roles = page.map(async (role) => ({
    role_id: role.id,
    ...(query.embed?.includes('ROLE') ? { role: await roleReference(context, role) } : {}),
  }))
  return { assignable_roles: await Promise.all(assignable_roles), pagination }
}
export type AssignableRoles = Awaited<ReturnType<typeof assignableRoles>>
