import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { bestTexts, choiceOf } from '../../request/localization.ts'
import { readCatalogue } from '../../table/catalogues.ts'
import { type Role, roleFields, roles } from '../records/role.ts'

/** Lists roles by title, in the caller's language. */
export async function listRoles(context: Context, { query }: Input<'listRoles'>) {
  const asked = await askedPage(context, ['listRoles'], { sort: ['TITLE_ASC'], ...query })
  const [all, choose] = await Promise.all([readCatalogue(context.store, roles), choiceOf(context)])
  const { page, pagination } = await cataloguePage(
    asked,
    all.filter(
      ({ scope, type }) => (!query.scope || query.scope.includes(scope)) && (!query.type || query.type.includes(type)),
    ),
    { TITLE: ({ title }) => choose(title).text },
  )
  return { status: 200, body: { roles: await Promise.all(page.map((role) => listed(context, role))), pagination } }
}

const listed = async (context: Context, role: Role) => ({
  ...roleFields.shown(role),
  ...(await bestTexts(context, role)),
})
