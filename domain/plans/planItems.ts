import { numberOfPlanItem, type PlanItem, planItemKey, planItems } from '../table/keys.ts'
import type { Range, Store } from '../table/store.ts'

/** The items of a plan from the one that has a number: each has the numbers from its own one to that of the next. */
export async function planItemsFrom(
  store: Pick<Store, 'query'>,
  { plan, kind, number }: { plan: string; kind: PlanItem; number: number },
): Promise<Range> {
  const { items } = await store.query({
    ...planItems(plan, kind),
    to: planItemKey(plan, kind, number).sk,
    descending: true,
    limit: 1,
  })
  return planItems(plan, kind, items[0] ? numberOfPlanItem(items[0]) : number)
}
