import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { plansBefore } from '../table/keys.ts'
import { pagesOf } from '../table/reader.ts'
import { type Plan, plans, seenNow, viewPlan } from './plan.ts'

type Filter = { states: string[] | undefined; kinds: string[] | undefined }

/** Lists plans, the newest first. */
export async function listPlans(context: Context, { query }: Input<'listPlans'>) {
  const { store, now } = context
  const { cursor, limit, pagination } = await askedCursor<Filter>(context, ['listPlans'], query, {
    sort: [],
    filters: { states: query.state, kinds: query.kind },
  })
  const { states, kinds } = cursor.filters
  const found: Plan[] = []
  for await (const { items } of pagesOf(store, { ...plansBefore(cursor.at?.id), limit: 2 * limit })) {
    const seen = items.flatMap((item) => plans.of(item) ?? []).flatMap((plan) => seenNow(plan, now) ?? [])
    found.push(
      ...seen.filter((plan) => (!states || states.includes(plan.state)) && (!kinds || kinds.includes(plan.kind))),
    )
    if (found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  const next = last && { ...cursor, at: { values: [], id: last.id } }
  return { status: 200, body: { plans: shown.map(viewPlan), pagination: await pagination(next) } }
}
