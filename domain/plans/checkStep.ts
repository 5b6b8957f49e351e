import { chunksOf } from '../base/parallel.ts'
import { planItemKey } from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import type { Work } from '../work/steps.ts'
import { changeItem, type PlannedChange, SLICE, type StoredChange, sliceItem, sliceOf } from './change.ts'
import {
  adding,
  countOf,
  noCounts,
  type Plan,
  type PlanCounts,
  type Position,
  type Problem,
  progressed,
} from './plan.ts'
import { seenItem } from './selection.ts'
import { type Found, faultRows, type PlanFault, type Verdict } from './verdict.ts'

// A step of a check is one transaction: the changes of a slice, faults, counts, and where the check goes on.

/** What a check has found since it last wrote. */
export type Step = {
  changes: (PlannedChange & { user: string; skipped?: Problem })[]
  faults: PlanFault[]
  /** Users without a change who may be found again. */
  seen: string[]
  tally: Partial<PlanCounts>
  at: Partial<Position>
  /** Headers of a file that name nothing, as far as it is read. */
  ignored?: readonly string[]
  bytes: number
  users: number
}
export const newStep = (): Step => ({ changes: [], faults: [], seen: [], tally: {}, at: {}, bytes: 0, users: 0 })
export const isEmpty = ({ at }: Step): boolean => Object.keys(at).length === 0

/** All faults of a step are one item, which may have 400 kB; its transaction may have 4 MB. */
const MOST_FAULT_BYTES = 300_000
/** The most faults that are kept. All are counted. */
const MOST_FAULTS = 10_000
/** The most faults of one row that are kept. */
const FAULTS_PER_ROW = 10
/** After so many users a step is written, whatever it has found: it shows progress. */
const MOST_USERS = 1_000

const bytesOf = (verdicts: readonly Verdict[]): number => Buffer.byteLength(JSON.stringify(verdicts))

/** Whether users still fit into a step. */
export const hasRoom = ({ changes, bytes, users }: Step, { verdicts }: Found): boolean =>
  changes.length + verdicts.length <= SLICE && bytes < MOST_FAULT_BYTES && users < MOST_USERS

/** Adds users to a step. */
export function add(step: Step, { verdicts, at, unchanged = 0 }: Found): void {
  step.at = { ...step.at, ...at }
  step.bytes += bytesOf(verdicts)
  step.users += verdicts.length
  if (unchanged > 0) step.tally = adding({ ...noCounts, ...step.tally }, { rows: unchanged, unchanged })
  for (const name of verdicts.flatMap(countedAs)) step.tally[name] = (step.tally[name] ?? 0) + 1
  step.faults.push(...verdicts.flatMap(({ faults = [] }) => faults.slice(0, FAULTS_PER_ROW)))
  if (at.by === 'WALK')
    step.seen.push(...verdicts.flatMap(({ change, isRecent, user }) => (isRecent && !change ? user : [])))
  for (const { user, change, skipped } of verdicts)
    if (change) step.changes.push({ ...change, user, ...(skipped ? { skipped } : {}) })
}

function countedAs({ change, faults, skipped, as }: Verdict): (keyof PlanCounts)[] {
  const looked = as === 'FURTHER' ? [] : [as === 'ABSENT' ? ('absent' as const) : ('rows' as const)]
  if (faults) return [...looked, 'faults']
  return change
    ? [...looked, skipped ? 'skipped' : 'planned', countOf[change.action]]
    : [...looked, ...(looked.length > 0 ? (['unchanged'] as const) : [])]
}

/** The items of a step: its changes with their slice, its faults, and the users whom it has seen. */
function itemsOf(
  plan: Plan,
  changes: readonly StoredChange[],
  { faults, seen }: Pick<Step, 'faults' | 'seen'>,
): Item[] {
  return [
    ...changes.map((change) => changeItem(plan.id, change)),
    ...(changes.length > 0 ? [sliceItem(plan.id, sliceOf(changes))] : []),
    ...[...chunksOf(faults, FAULTS_PER_ITEM)].map((some, n) => {
      const first = faultsKept(plan) + n * FAULTS_PER_ITEM
      return faultRows.item(planItemKey(plan.id, 'FAULTS', first), { faults: some })
    }),
    ...(seen.length > 0 ? [seenItem(plan, seen)] : []),
  ]
}

const FAULTS_PER_ITEM = 500

/** How many faults a plan lists. A row can have several. */
const faultsKept = ({ position, tally }: Plan): number => position.faults ?? Math.min(MOST_FAULTS, tally.faults)

const progressOf = ({ looked, total, file }: Position, { rows }: PlanCounts) => ({
  done: Math.min(total, file ? looked : Math.max(looked, rows)),
  total,
})

/** Writes a step, and returns the plan after it. Stale if another process has written it, or the plan was cancelled. */
export async function writeStep({ store }: Work, plan: Plan, step: Step): Promise<Plan> {
  const { position } = plan
  const changes = step.changes.map(
    ({ skipped, ...change }, n): StoredChange => ({
      ...change,
      number: position.next + n,
      outcome: skipped ? 'SKIPPED' : 'PLANNED',
      ...(skipped ? { error: skipped } : {}),
    }),
  )
  const tally = adding(plan.tally, step.tally)
  const faults = step.faults.slice(0, Math.max(0, MOST_FAULTS - faultsKept(plan)))
  const next: Position = {
    ...position,
    ...step.at,
    step: position.step + 1,
    next: position.next + changes.length,
    faults: faultsKept(plan) + faults.length,
  }
  const ignored = [...new Set([...plan.ignored_columns, ...(step.ignored ?? [])])]
  const { after, action } = progressed(plan, {
    position: next,
    tally,
    progress: progressOf(next, tally),
    ...(ignored.length > plan.ignored_columns.length ? { ignored_columns: ignored } : {}),
  })
  await store.write([action, ...itemsOf(plan, changes, { ...step, faults }).map((put) => ({ put }))])
  return after
}
