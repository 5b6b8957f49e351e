import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/roles.ts'
import { cataloguePage, readCatalogue } from '../request/catalogue.ts'
import type { Answer, Context } from '../request/context.ts'
import { bestText } from '../request/localization.ts'
import type { Pagination } from '../request/paging.ts'
import type { Role } from './role.ts'

type List = { roles: Awaited<ReturnType<typeof listed>>[]; pagination: Pagination }

/** Lists roles by the title that the caller is shown. */
export async function listRoles(context: Context, { query }: Input<typeof contracts.listRoles>): Promise<Answer<List>> {
  const [roles, choose] = await Promise.all([readCatalogue<Role>(context.store, 'ROLES'), context.choice()])
  const { page, pagination } = cataloguePage(
    roles.filter(
      ({ scope, type }) => (!query.scope || query.scope.includes(scope)) && (!query.type || query.type.includes(type)),
    ),
    { ...query, sort: query.sort ?? ['TITLE_ASC'] },
    { TITLE: ({ title }) => choose(title).text },
  )
  return { status: 200, body: { roles: await Promise.all(page.map((role) => listed(context, role))), pagination } }
}

async function listed(context: Context, role: Role) {
  const [title, description] = await Promise.all([
    bestText(context, role.title),
    role.description.length > 0 ? bestText(context, role.description) : null,
  ])
  return { ...role, title, description }
}
