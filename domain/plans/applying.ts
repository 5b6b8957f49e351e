import { inParallel } from '../base/parallel.ts'
import type { Action, Store } from '../table/store.ts'
import { secondsBehind } from '../webhooks/secondsBehind.ts'
import { isShortOfTime, type Work } from '../work/steps.ts'
import { type Applying, carryOut, type Holds, RightLost } from './carryOut.ts'
import {
  type ChangeOutcome,
  closing,
  entriesOf,
  type ReadChange,
  readChanges,
  type StoredSlice,
  sliceIn,
  sliceItem,
  slicesFrom,
} from './change.ts'
import { fileHolds } from './file/fileHolds.ts'
import { nextApplying, type OpenPlans, readOpenPlans, removeOpen } from './openPlans.ts'
import { adding, ending, move, type Plan, type PlanCounts, type Problem, plans, progressed } from './plan.ts'
import { conditionOf } from './selected.ts'
import { wakePlan } from './wake.ts'
import type { WorkerContexts } from './workerContext.ts'

// Applying: slice after slice, some changes at once. A slice is counted when all of its changes have an outcome.

/** Changes at the same time: other calls keep their share of the database. */
const AT_ONCE = 8
/** Applying waits while webhooks are further behind than this, and looks again after some seconds. */
const MOST_BEHIND_SECONDS = 60
const LOOK_AGAIN_SECONDS = 10

/** Why there is more to do, but not now: another plan has its turn, or webhooks are behind. `isLater`: some was done before. */
export type Waits = { seconds: number; for: 'PLAN' | 'WEBHOOKS'; isLater: boolean }

/** Goes on with applying a plan, as far as there is time. Undefined if there may be more to do at once. */
export async function applyChanges(work: Work, plan: Plan, contexts: WorkerContexts): Promise<Waits | undefined> {
  const { store, clock } = work
  const { applying } = await readOpenPlans(store)
  // One plan is applied at a time. The one before wakes this one when it ends.
  if (applying[0] !== plan.id) return { seconds: LOOK_AGAIN_SECONDS, for: 'PLAN', isLater: false }
  const holds = await holdsOf(store, plan)
  let at = plan
  while (!isShortOfTime(work)) {
    if ((await secondsBehind(store, clock())) > MOST_BEHIND_SECONDS)
      return { seconds: LOOK_AGAIN_SECONDS, for: 'WEBHOOKS', isLater: at !== plan }
    const slice = await nextSlice(work, at)
    if (!slice) {
      await endPlan(work, at)
      return
    }
    const next = await applySlice({ work, plan: at, contexts, holds }, slice)
    if (!next) return
    at = next
  }
}

/** Returns a test: whether what chose the user of a change is still so. What an undo changes is chosen by the plan that it takes back. */
async function holdsOf(store: Store, { kind, request }: Plan): Promise<Holds> {
  if (kind === 'FILE') return fileHolds(store, request)
  return request.select ? conditionOf(store, request.select) : async () => ({ actions: [] })
}

/** The next slice, if the plan has another one. */
async function nextSlice({ store }: Pick<Work, 'store'>, plan: Plan): Promise<StoredSlice | undefined> {
  const { items } = await store.query({ ...slicesFrom(plan.id, plan.position.looked + 1), limit: 1 })
  return items[0] && sliceIn(items[0])
}

/** Carries out the changes of a slice, and counts them. Undefined if the plan has ended meanwhile. */
async function applySlice(applying: Applying, slice: StoredSlice): Promise<Plan | undefined> {
  const { work, plan } = applying
  const changes = await readChanges(work.store, plan.id, entriesOf(slice))
  const outcomes: ChangeOutcome[] = []
  for (const some of groupsOf(changes, plan)) {
    if ((await plans.read(work.store, plan.id))?.state !== 'APPLYING') return undefined
    try {
      await inParallel(AT_ONCE, some, async ([nth, change]) => {
        outcomes[nth] = change.isGone ? goneOutcome(change) : await carryOut(applying, change)
      })
    } catch (error) {
      if (!(error instanceof RightLost)) throw error
      await cancelWork(work, plan, error.fault)
      return undefined
    }
  }
  return countSlice(work, plan, slice, outcomes)
}

type Numbered = [nth: number, change: ReadChange]

/**
 * Changes that are made at the same time. One of the caller who applies is made alone, as it may end their rights. One that waits for
 * others, for an earlier one of the same user or for those that it is made together with, comes after them.
 */
function groupsOf(changes: readonly ReadChange[], { applied_by }: Plan): Numbered[][] {
  const groups: Numbered[][] = []
  for (const [nth, change] of changes.entries()) {
    const last = groups.at(-1)
    const isAlone = change.user === applied_by || last?.[0]?.[1].user === applied_by
    const needed = new Set([change.user, ...(change.after ?? []), ...(change.together ?? [])])
    const waits = last?.some(([, { user }]) => needed.has(user))
    if (!last || last.length === AT_ONCE || isAlone || waits) groups.push([[nth, change]])
    else last.push([nth, change])
  }
  return groups
}

/** A change whose user was removed for good before it was made is skipped. */
const goneOutcome = ({ outcome }: ReadChange): ChangeOutcome => (outcome === 'PLANNED' ? 'SKIPPED' : outcome)

/** Counts the outcomes of a slice, and moves the plan on; stale if another process has done so. */
async function countSlice({ store }: Work, plan: Plan, slice: StoredSlice, outcomes: ChangeOutcome[]): Promise<Plan> {
  const { position } = plan
  const last = slice.first + slice.users.length - 1
  const { after, action } = progressed(plan, {
    tally: adding(plan.tally, newIn(slice, outcomes)),
    position: { ...position, step: position.step + 1, looked: last },
    progress: { done: last, total: position.next - 1 },
  })
  await store.write([action, { put: sliceItem(plan.id, { ...slice, outcomes }) }])
  return after
}

/** What outcomes count that the slice does not know yet. */
function newIn(slice: StoredSlice, outcomes: readonly ChangeOutcome[]): Partial<PlanCounts> {
  const fresh = outcomes.filter((_, n) => slice.outcomes[n] === 'PLANNED')
  const number = (wanted: ChangeOutcome): number => fresh.filter((one) => one === wanted).length
  return { done: number('DONE'), skipped: number('SKIPPED'), failed: number('FAILED') }
}

/** Wakes the plan that waits for this one to end. Its changes name the call that applied it. */
async function wakeNext(store: Store, open: OpenPlans, { plan, now }: { plan: Plan; now: string }): Promise<Action[]> {
  const id = nextApplying(open, plan.id)
  const next = id === undefined ? undefined : await plans.read(store, id)
  if (!next) return []
  return [wakePlan(next.id, now, { actor: next.applied_by, request: next.apply_request, operation: 'applyPlan' })]
}

/** All changes have an outcome: the plan is done, and the next one begins. */
async function endPlan({ store, clock }: Work, plan: Plan): Promise<void> {
  const now = clock().toISOString()
  const open = await readOpenPlans(store)
  const { action } = move(plan, { ...ending('DONE', now), state: 'DONE' })
  await store.write([action, removeOpen(open, plan.id), ...(await wakeNext(store, open, { plan, now }))])
}

/** Ends a plan that is under way. What is done is counted by `settlePlan`. */
export async function cancelWork({ store, clock }: Pick<Work, 'store' | 'clock'>, plan: Plan, fault: Problem | null) {
  const now = clock().toISOString()
  const open = await readOpenPlans(store)
  const settled = plan.state !== 'APPLYING'
  const { after, action } = move(plan, { ...ending('CANCELLED', now), state: 'CANCELLED', settled, fault })
  const next = await wakeNext(store, open, { plan, now })
  await store.write([action, removeOpen(open, plan.id), wakePlan(plan.id, now), ...next])
  return after
}

/**
 * Counts what was done of the slice that was under way when the plan was cancelled. The other changes of the slice are closed in the
 * same transaction: a process that still works on one of them cannot make it any more.
 */
export async function settlePlan({ store }: Work, plan: Plan): Promise<Plan> {
  const slice = await nextSlice({ store }, plan)
  const changes = slice ? await readChanges(store, plan.id, entriesOf(slice)) : []
  const outcomes = changes.map(({ outcome }) => outcome)
  const { after, action } = progressed(plan, {
    settled: true,
    tally: slice ? adding(plan.tally, newIn(slice, outcomes)) : plan.tally,
    position: { ...plan.position, step: plan.position.step + 1 },
  })
  const left = changes.filter((change) => change.outcome === 'PLANNED' && !change.isGone)
  await store.write([
    action,
    ...left.map((change) => closing(plan.id, change)),
    ...(slice ? [{ put: sliceItem(plan.id, { ...slice, outcomes }) }] : []),
  ])
  return after
}
