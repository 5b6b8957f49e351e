import { entriesOf, sliceIn } from '../../domain/plans/change.ts'
import { hasEnded, type Plan, plans, stateNow } from '../../domain/plans/plan.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { type Expect, tallyOf } from './findings.ts'
import type { Copy } from './tableCopy.ts'

/**
 * Plans: those that have not ended are listed, each change is in a slice of its plan, and the counts are those of the slices. Who does
 * not exist has only the change that creates them.
 * While changes are made, slices are counted one after the other: only plans that rest are compared.
 */
export function auditPlans(copy: Copy, now: string, expect: Expect): void {
  const all = [...copy.within('PLANS', 'P#')].flatMap((item) => plans.of(item) ?? [])
  const open = (copy.at(keys.openPlansKey)?.['open'] ?? {}) as object
  // A plan that has expired may be off the list before its end is written.
  const notEnded = all.filter((plan) => !hasEnded(plan))
  const listed = notEnded.filter((plan) => plan.id in open || !hasEnded(stateNow(plan, now))).map(({ id }) => id)
  expect(Object.keys(open).sort(), 'open plans').toEqual(listed.sort())
  const slices = Map.groupBy([...copy.below('PLAN#')], planOf)
  const changes = new Map(copy.keysSorted('Z#').map((key) => [`${key.pk} ${key.sk}`, key]))
  for (const plan of all) {
    auditCreations(copy, plan, slices.get(plan.id) ?? [], changes, expect)
    auditPlan(plan, slices.get(plan.id) ?? [], changes, expect)
  }
  const gone = [...slices.keys()].filter((id) => !all.some((plan) => plan.id === id))
  expect(gone, 'plans that have parts and no record').toEqual([])
  expect([...changes.keys()], 'changes that no plan has').toEqual([])
}

const planOf = ({ pk }: Item): string => pk.slice('PLAN#'.length)

const entriesIn = (parts: readonly Item[]) =>
  parts.filter(({ sk }) => sk.startsWith('SLICE#')).flatMap((item) => entriesOf(sliceIn(item)))

const nameOfChange = (user: string, plan: string, number: number): string => {
  const { pk, sk } = keys.planChangeKey(user, plan, number)
  return `${pk} ${sk}`
}

function auditCreations(
  copy: Copy,
  { id }: Plan,
  parts: readonly Item[],
  changes: ReadonlyMap<string, unknown>,
  expect: Expect,
): void {
  const orphans = entriesIn(parts)
    .filter(({ user, number }) => changes.has(nameOfChange(user, id, number)) && !copy.has(keys.userKey(user)))
    .filter(({ action, outcome }) => action !== 'CREATE' || outcome === 'DONE')
  expect(orphans, `changes of users who do not exist, in the plan ${id}`).toEqual([])
}

function auditPlan(plan: Plan, parts: readonly Item[], changes: Map<string, unknown>, expect: Expect): void {
  const entries = entriesIn(parts)
  for (const { user, number } of entries) changes.delete(nameOfChange(user, plan.id, number))
  const isResting = plan.settled && plan.state !== 'APPLYING' && plan.state !== 'CHECKING'
  if (!isResting) return
  const counted = tallyOf(entries.map(({ outcome }) => outcome))
  const { done, skipped, failed } = plan.tally
  expect(
    { done: counted.get('DONE') ?? 0, skipped: counted.get('SKIPPED') ?? 0, failed: counted.get('FAILED') ?? 0 },
    `outcomes of the plan ${plan.id}`,
  ).toEqual({ done, skipped, failed })
}
