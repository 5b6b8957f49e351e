import { numberOfPart, type PlanPart, planPartKey, planParts } from '../table/keys.ts'
import type { Range, Store } from '../table/store.ts'

/** The parts of a plan from the one that has a number: each part has the numbers from its own one to that of the next. */
export async function partsFrom(
  store: Pick<Store, 'query'>,
  { plan, part, number }: { plan: string; part: PlanPart; number: number },
): Promise<Range> {
  const { items } = await store.query({
    ...planParts(plan, part),
    to: planPartKey(plan, part, number).sk,
    descending: true,
    limit: 1,
  })
  return planParts(plan, part, items[0] ? numberOfPart(items[0]) : number)
}
