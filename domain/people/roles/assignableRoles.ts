import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { choiceOf } from '../../request/localization.ts'
import { readCatalogue } from '../../table/catalogues.ts'
import { type RoleScope, roles } from '../records/role.ts'
import { roleReference } from '../records/roleReference.ts'
import { mayAssign } from '../records/roleRules.ts'

/**
 * Lists the roles of a scope that the actor may give, by title in the actor's language: exactly those that assigning
 * accepts.
 */
export async function assignableRoles(
  context: Context,
  list: readonly string[],
  scope: RoleScope,
  query: Input<'listAssignableGroupRoles'>['query'],
) {
  const asked = await askedPage(context, list, { sort: ['TITLE_ASC'], ...query })
  const [all, actor, choose] = await Promise.all([
    readCatalogue(context.store, roles),
    context.actor(),
    choiceOf(context),
  ])
  const { page, pagination } = await cataloguePage(
    asked,
    all.filter((role) => mayAssign(actor, role, scope)),
    { TITLE: ({ title }) => choose(title).text },
  )
  const assignable_roles = page.map(async (role) => ({
    role_id: role.id,
    ...(query.embed?.includes('ROLE') ? { role: await roleReference(context, role) } : {}),
  }))
  return { assignable_roles: await Promise.all(assignable_roles), pagination }
}
