import { decideAgain, inParallel } from '../base/flow.ts'
import { requireAdministrator } from '../people/access/actorNow.ts'
import { idOfWork, ofPlan } from '../table/keys.ts'
import { scan } from '../table/reader.ts'
import { keyIn } from '../table/store.ts'
import { type Entry, endWork, isShortOfTime, recordProgress, type Work } from '../table/work.ts'
import type { AttemptContext } from '../work/workThrough.ts'
import { applyChanges, settlePlan } from './applying.ts'
import { changeRemoval, sliceIn, slicesFrom } from './change.ts'
import { checkPlan, refusePlan } from './checkPlan.ts'
import { readOpenPlans, removeOpen } from './openPlans.ts'
import { forgetsAt, move, type Plan, plans, progressed, stateNow } from './plan.ts'
import { NotSettled } from './takeBack.ts'
import { refusalIn } from './verdict.ts'
import { soon } from './wake.ts'
import { type WorkerContexts, workerContexts } from './workerContext.ts'

// The work on a plan: what its state says. Each step is a transaction that needs the plan to be as it was read, so any number of
// processes may work on a plan at once, and any of them may die.

/**
 * What is left to do with a plan after some work: more at once; more in some seconds, and since when it stands still; what a deadline
 * brings; nothing any more.
 */
type Left = 'MORE' | { seconds: number; waits?: string | undefined } | { deadline: string } | 'NOTHING'

/** Goes on with the work on a plan, as far as there is time. */
export async function finishPlan(work: AttemptContext, entry: Entry<'plan'>): Promise<void> {
  const contexts = workerContexts(work)
  while (!isShortOfTime(work)) {
    const isOver = await decideAgain(() => oneStep(work, entry, contexts))
    if (isOver) return
  }
}

/** Does what the state of a plan asks for. True if nothing is left to do now. */
async function oneStep(work: Work, entry: Entry<'plan'>, contexts: WorkerContexts): Promise<boolean> {
  const { store } = work
  const plan = await plans.read(store, idOfWork(entry))
  if (!plan) {
    await store.write([endWork(entry)])
    return true
  }
  const left = await workOn(work, plan, { contexts, entry })
  if (left === 'MORE') return false
  if (left === 'NOTHING') {
    await store.write([plans.removeWithoutEvent(plan), endWork(entry)])
    return true
  }
  // A call that changes the state meanwhile wakes the plan: this must not put it to sleep again.
  const { state, position } = plan
  await store.write([plans.require([plan.id], { state, position }), recordProgress(work, entry, wakeUp(work, left))])
  return true
}

/** When a worker looks at a plan again. What a deadline brings then is caused by nobody. */
function wakeUp({ clock }: Work, left: Exclude<Left, string>) {
  if ('deadline' in left) return { due: left.deadline, waits: null, cause: null }
  return { due: soon(clock().toISOString(), left.seconds), waits: left.waits ?? null }
}

type Working = { contexts: WorkerContexts; entry: Entry<'plan'> }

async function workOn(work: Work, plan: Plan, { contexts, entry }: Working): Promise<Left> {
  const now = work.clock().toISOString()
  switch (plan.state) {
    case 'WAITING':
    case 'CHECKING':
      return check(work, plan, contexts)
    case 'READY':
      return waitForApply(work, plan, now)
    case 'APPLYING': {
      const waits = await applyChanges(work, plan, contexts)
      if (!waits) return 'MORE'
      const since = waits.isLater ? now : (entry.waits ?? now)
      return { seconds: waits.seconds, waits: waits.for === 'WEBHOOKS' ? since : undefined }
    }
    default:
      return tidyUp(work, plan, now)
  }
}

/** Checks a plan by the rights of its creator. */
async function check(work: Work, plan: Plan, contexts: WorkerContexts): Promise<Left> {
  const { store, clock } = work
  const now = clock().toISOString()
  try {
    const actor = await requireAdministrator(store, plan.created_by, now, plan.scopes)
    const context = contexts(store, { actorId: plan.created_by, actor, requestId: '' })
    await checkPlan({ work, context }, plan)
  } catch (error) {
    if (error instanceof NotSettled) return { seconds: 1 }
    const fault = refusalIn(error)
    if (!fault) throw error
    await refusePlan(work, plan, fault)
  }
  return 'MORE'
}

/** A plan that nobody applies expires. */
async function waitForApply({ store }: Work, plan: Plan, now: string): Promise<Left> {
  const seen = stateNow(plan, now)
  if (seen.state === 'READY') return { deadline: plan.expires_at ?? now }
  const open = await readOpenPlans(store)
  await store.write([move(plan, seen).action, removeOpen(open, plan.id)])
  return 'MORE'
}

/** Counts what was done before the end, removes values after a week, and all of the plan when it has been kept long enough. */
async function tidyUp(work: Work, plan: Plan, now: string): Promise<Left> {
  if (!plan.settled) {
    await settlePlan(work, plan)
    return 'MORE'
  }
  const forgets = forgetsAt(plan)
  const deletes = plan.deletes_at ?? now
  if (deletes <= now) {
    if (!(await removeChanges(work, plan))) return 'MORE'
    await removeParts(work, plan)
    return 'NOTHING'
  }
  if (forgets === undefined) return { deadline: deletes }
  if (forgets > now) return { deadline: [forgets, deletes].sort()[0] ?? deletes }
  if (!(await removeChanges(work, plan))) return 'MORE'
  const { action } = progressed(plan, { forgotten: true, position: plan.position })
  await work.store.write([action])
  return 'MORE'
}

const SLICES_AT_ONCE = 4

/** Removes the changes of a plan from their users. The slices still say what was done. False if the time was too short. */
async function removeChanges(work: Work, plan: Plan): Promise<boolean> {
  for await (const { items } of scan(work.store, { ...slicesFrom(plan.id, 0), limit: 100 })) {
    if (isShortOfTime(work)) return false
    await inParallel(SLICES_AT_ONCE, items.map(sliceIn), ({ first, users }) =>
      work.store.bulk(users.map((user, n) => changeRemoval(plan.id, { user, number: first + n }))),
    )
  }
  return true
}

async function removeParts({ store }: Work, plan: Plan): Promise<void> {
  for await (const { items } of scan(store, ofPlan(plan.id)))
    await store.bulk(items.map((item) => ({ delete: keyIn(item) })))
}
