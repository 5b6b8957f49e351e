import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { groups } from '../records/group.ts'
import { roles } from '../records/role.ts'
import { readGroupAndRole } from './groupAndRole.ts'
import { type Rule, readRules } from './rule.ts'
import { readRulesWork } from './rulesWork.ts'
import { readGone, viewRule } from './ruleView.ts'

type Query = Input<'listRules'>['query']

/** Lists the rules of all user groups. */
export async function listRules(context: Context, { query }: Input<'listRules'>) {
  const { store } = context
  const asked = await askedPage(context, ['listRules'], { sort: ['TITLE_ASC'], ...query })
  const [{ rules }, applying] = await Promise.all([readRules(store), readRulesWork(store)])
  const found = rules
    .filter((rule) => isWanted(rule, query))
    .map(async (rule) => {
      const groupAndRole = await readGroupAndRole(rule, {
        group: (id) => groups.readEventual(store, id),
        role: (id) => roles.readEventual(store, id),
      })
      return groupAndRole ? [{ ...rule, groupAndRole }] : []
    })
  const { page, pagination } = await cataloguePage(asked, (await Promise.all(found)).flat(), {
    TITLE: ({ title }) => title,
    CREATED_AT: ({ created_at }) => created_at,
  })
  const gone = await readGone(context, page)
  const shown = await Promise.all(page.map((rule) => viewRule(context, rule, rule.groupAndRole, { applying, gone })))
  return { status: 200, body: { rules: shown, pagination } }
}

const isWanted = ({ user_group_id, enabled }: Rule, query: Query): boolean =>
  (!query.user_group_id?.length || query.user_group_id.includes(user_group_id)) &&
  (query.enabled === undefined || query.enabled === enabled)
