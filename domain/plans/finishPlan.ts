import { inParallel } from '../base/parallel.ts'
import { decideAgain } from '../base/retry.ts'
import { requireAdministrator } from '../people/access/actorNow.ts'
import { removeWithoutEvent, requireFields } from '../table/changes.ts'
import { keyIn } from '../table/items.ts'
import { idOfWork, ofPlan } from '../table/keys.ts'
import { pagesOf } from '../table/reader.ts'
import { endWork, recordProgress } from '../table/work.ts'
import type { Entry } from '../table/workKinds.ts'
import { isShortOfTime } from '../work/steps.ts'
import type { AttemptContext } from '../work/workThrough.ts'
import { applyChanges, settlePlan } from './applying.ts'
import { changeRemoval, entriesOf, type SliceEntry, sliceIn, slicesFrom } from './change.ts'
import { checkPlan, refusePlan } from './checkPlan.ts'
import { isComplete } from './file/fileSum.ts'
import { planFiles } from './file/planFiles.ts'
import { readOpenPlans, removeOpen } from './openPlans.ts'
import { forgetsAt, move, type Plan, type PlanState, plans, progressed, stateNow } from './plan.ts'
import { NotSettled } from './takeBack.ts'
import { refusalIn } from './verdict.ts'
import { secondsLater } from './wake.ts'
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
async function oneStep(work: AttemptContext, entry: Entry<'plan'>, contexts: WorkerContexts): Promise<boolean> {
  const { store } = work
  const plan = await plans.read(store, idOfWork(entry))
  if (!plan) {
    await store.write([endWork(entry)])
    return true
  }
  const left = await workOn(work, plan, { contexts, entry })
  if (left === 'MORE') return false
  if (left === 'NOTHING') {
    await store.write([removeWithoutEvent(plans, plan), endWork(entry)])
    return true
  }
  // A call that changes the state meanwhile wakes the plan: this must not put it to sleep again.
  const { state, position } = plan
  await store.write([
    requireFields(plans, [plan.id], { state, position }),
    recordProgress(work, entry, wakeUp(work, left)),
  ])
  return true
}

/** When a worker looks at a plan again. What a deadline brings then is caused by nobody. */
function wakeUp({ clock }: AttemptContext, left: Exclude<Left, string>) {
  if ('deadline' in left) return { due: left.deadline, waits: null, cause: null }
  return { due: secondsLater(clock().toISOString(), left.seconds), waits: left.waits ?? null }
}

type Working = { contexts: WorkerContexts; entry: Entry<'plan'> }

async function workOn(work: AttemptContext, plan: Plan, { contexts, entry }: Working): Promise<Left> {
  const now = work.clock().toISOString()
  if (plan.has_files && !needsFiles.includes(plan.state)) return removeFiles(work, plan)
  switch (plan.state) {
    case 'CHECKING':
      return check(work, plan, contexts)
    case 'WAITING':
    case 'READY':
      return waitForCall(work, plan, now)
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

/** States in which files are needed; while a plan is applied, nothing else is done with it. */
const needsFiles: readonly PlanState[] = ['WAITING', 'CHECKING', 'APPLYING']

/** Removes the files of a plan that was checked, or has ended before. */
async function removeFiles({ store }: AttemptContext, plan: Plan): Promise<Left> {
  await planFiles(plan.id).removeAll()
  await store.write([progressed(plan, { has_files: false, position: plan.position }).action])
  return 'MORE'
}

/** Checks a plan by the rights of its creator, once its file is complete. */
async function check(work: AttemptContext, plan: Plan, contexts: WorkerContexts): Promise<Left> {
  const { store, clock } = work
  const { file } = plan
  if (file && !(await isComplete(work, { ...plan, file }))) return 'MORE'
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

/** A plan expires if nobody applies it, or has its file checked. */
async function waitForCall({ store }: AttemptContext, plan: Plan, now: string): Promise<Left> {
  const seen = stateNow(plan, now)
  if (seen.state === plan.state) return { deadline: plan.expires_at ?? now }
  const open = await readOpenPlans(store)
  await store.write([move(plan, seen).action, removeOpen(open, plan.id)])
  return 'MORE'
}

/** Counts what was done before the end, removes values after a week, and all of the plan when it has been kept long enough. */
async function tidyUp(work: AttemptContext, plan: Plan, now: string): Promise<Left> {
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
  return forget(work, plan)
}

/** Removes the values of changes that were not made. */
async function forget(work: AttemptContext, plan: Plan): Promise<Left> {
  const isRemoved = await removeChanges(work, plan, plan.state === 'DONE' ? isNeverCreated : all)
  const { action } = progressed(plan, { forgotten: true, position: plan.position })
  if (isRemoved) await work.store.write([action])
  return 'MORE'
}

const SLICES_AT_ONCE = 4

/** Removes these changes of a plan from their users. The slices still say what was done. False if the time was too short. */
async function removeChanges(
  work: AttemptContext,
  plan: Plan,
  which: (entry: SliceEntry) => boolean = all,
): Promise<boolean> {
  for await (const { items } of pagesOf(work.store, { ...slicesFrom(plan.id, 0), limit: 100 })) {
    if (isShortOfTime(work)) return false
    await inParallel(SLICES_AT_ONCE, items.map(sliceIn), (slice) =>
      work.store.bulk(
        entriesOf(slice)
          .filter(which)
          .map((entry) => changeRemoval(plan.id, entry)),
      ),
    )
  }
  return true
}

const all = (): boolean => true

/** Users who were planned and never created have no purge that removes their values. */
const isNeverCreated = ({ action, outcome }: SliceEntry): boolean => action === 'CREATE' && outcome !== 'DONE'

async function removeParts({ store }: AttemptContext, plan: Plan): Promise<void> {
  for await (const { items } of pagesOf(store, ofPlan(plan.id)))
    await store.bulk(items.map((item) => ({ delete: keyIn(item) })))
}
