import type { Context, Input } from '../request/context.ts'
import { askedCursor } from '../request/paging.ts'
import { numberOfPart, planParts } from '../table/keys.ts'
import { scan } from '../table/reader.ts'
import { requirePlan } from './plan.ts'
import { faultRows, type PlanFault } from './verdict.ts'

/** Lists the rows and users for which nothing could be planned, in the order of the check. */
export async function listPlanFaults(context: Context, { path, query }: Input<'listPlanFaults'>) {
  const { store, now } = context
  const [plan, { cursor, limit, pagination }] = await Promise.all([
    requirePlan(store, path.plan_id, now),
    askedCursor<object>(context, ['listPlanFaults', path.plan_id], query, { sort: [], filters: {} }),
  ])
  const from = Number(cursor.at?.id ?? 0)
  const found: PlanFault[] = []
  for await (const { items } of scan(store, planParts(plan.id, 'FAULTS'))) {
    for (const item of items) {
      const first = numberOfPart(item)
      found.push(...faultRows.of(item).faults.filter((_, n) => first + n >= from))
    }
    if (found.length > limit) break
  }
  const next = found.length > limit ? { ...cursor, at: { values: [], id: String(from + limit) } } : undefined
  return { status: 200, body: { faults: found.slice(0, limit), pagination: await pagination(next) } }
}
