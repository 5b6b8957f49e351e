import { csvOf } from '../base/csv.ts'
import { faultAt, requireNone } from '../base/errors.ts'
import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { numberOfPlanItem, planItems } from '../table/keys.ts'
import { all, pagesOf } from '../table/reader.ts'
import { type Plan, requirePlan } from './plan.ts'
import { planItemsFrom } from './planItems.ts'
import { faultRows, type PlanFault } from './verdict.ts'

/** Lists the rows and users for which nothing could be planned, in the order of the check: page by page, or all as CSV. */
export async function listPlanFaults(context: Context, { path, query }: Input<'listPlanFaults'>) {
  const { store, now } = context
  if (query.format === 'CSV') return asCsv(context, path.plan_id, query)
  const [plan, { cursor, limit, pagination }] = await Promise.all([
    requirePlan(store, path.plan_id, now),
    askedCursor<object>(context, ['listPlanFaults', path.plan_id], query, { sort: [], filters: {} }),
  ])
  const from = Number(cursor.at?.id ?? 0)
  const found = await readFaults(context, plan, { from, limit })
  const next = found.length > limit ? { ...cursor, at: { values: [], id: String(from + limit) } } : undefined
  return { status: 200, body: { faults: found.slice(0, limit), pagination: await pagination(next) } }
}

type Asked = { from: number; limit: number }

/** An item has one to a thousand faults: two are often enough, and each further read takes four times as many. */
const FIRST_ITEMS = 2
const GROWTH = 4

/** Faults from a number on: at least one more than the limit, if there are so many. */
async function readFaults({ store }: Context, { id }: Plan, { from, limit }: Asked): Promise<PlanFault[]> {
  const range =
    from === 0 ? planItems(id, 'FAULTS') : await planItemsFrom(store, { plan: id, kind: 'FAULTS', number: from })
  const found: PlanFault[] = []
  let items = FIRST_ITEMS / GROWTH
  const wanted = (): number => (items *= GROWTH)
  for await (const page of pagesOf(store, range, wanted)) {
    for (const item of page.items) {
      const first = numberOfPlanItem(item)
      found.push(...faultRows.of(item).faults.filter((_, n) => first + n >= from))
    }
    if (found.length > limit) break
  }
  return found
}

/** All faults that are kept in one text for spreadsheets. */
async function asCsv({ store, now }: Context, plan_id: string, query: Input<'listPlanFaults'>['query']) {
  const paging = (['page_cursor', 'page_limit'] as const).filter((name) => query[name] !== undefined)
  requireNone(paging.map((name) => faultAt('VALIDATION_ERROR', name, 'must not be given with format CSV')))
  const plan = await requirePlan(store, plan_id, now)
  const faults = (await all(store, planItems(plan.id, 'FAULTS'))).flatMap((item) => faultRows.of(item).faults)
  return { status: 200, body: csvOf(['row', 'column', 'code', 'detail'], faults), isText: true as const }
}
