import type { FromSchema } from 'json-schema-to-ts'
import type { assignableRolesQuery } from '../../schemas/assignments.ts'
import type { Context } from '../context.ts'
import { paginationOf, window } from '../lists/pages.ts'
import { compareBytes, fold } from '../text.ts'
import { mayHandOut } from './handOut.ts'
import { type RoleScope, roleReference, rolesOf } from './role.ts'

type Query = FromSchema<typeof assignableRolesQuery>

/** The roles of a scope that the actor may hand out, by the title he is shown: exactly what assigning would accept. */
export async function assignableRoles(context: Context, scope: RoleScope, query: Query) {
  const [roles, actor] = await Promise.all([rolesOf(context.store, scope), context.actor()])
  const allowed = roles.filter((role) => mayHandOut(actor, role, scope))
  const shown = await Promise.all(allowed.map((role) => roleReference(context, role)))
  const sign = (query.sort ?? ['TITLE_ASC']).map((sort) => (sort.endsWith('_DESC') ? -1 : 1))
  const sorted = shown
    .map((role) => ({ role, title: fold(role.title.text) }))
    .sort(
      (a, b) =>
        compareBytes(a.title, b.title) * (sign[0] ?? 1) || compareBytes(a.role.id, b.role.id) * (sign.at(-1) ?? 1),
    )
  const { skip, take } = window(query)
  const page = sorted.slice(skip, skip + take).map(({ role }) => role)
  return {
    assignable_roles: page.map((role) => ({ role_id: role.id, ...(query.embed?.includes('ROLE') ? { role } : {}) })),
    pagination: paginationOf(query, sorted.length),
  }
}
