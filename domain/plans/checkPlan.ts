import { isShortOfTime, type Work } from '../work/steps.ts'
import { add, hasRoom, isEmpty, newStep, writeStep } from './checkStep.ts'
import { checkFile } from './file/checkFile.ts'
import { fileRequest } from './file/fileRequest.ts'
import { aboveChanges, beyondLimits, nobody } from './file/limits.ts'
import { judgeOf } from './judge.ts'
import { expireOpen, readOpenPlans, removeOpen } from './openPlans.ts'
import { ending, expiryFrom, move, type Plan, type Problem } from './plan.ts'
import { selected } from './selected.ts'
import { takenBack } from './takeBack.ts'
import type { Checking, Found } from './verdict.ts'

// Checking: works out the changes of a plan. Each step is one transaction: the changes of a slice, and how far the work is.

/** Goes on with a check, as far as there is time. Throws the refusal if the plan cannot be made of anybody. */
export async function checkPlan(checking: Checking, plan: Plan): Promise<void> {
  const { work } = checking
  if (plan.kind === 'FILE') {
    const judged = await checkFile(checking, plan)
    return judged && finishCheck(work, judged)
  }
  let at = plan
  let step = newStep()
  for await (const found of await sourceOf(checking, plan)) {
    if (!hasRoom(step, found)) {
      at = await writeStep(work, at, step)
      step = newStep()
    }
    add(step, found)
    if (isShortOfTime(work)) {
      await writeStep(work, at, step)
      return
    }
    if (found.isToBeWritten) {
      at = await writeStep(work, at, step)
      step = newStep()
    }
  }
  if (!isEmpty(step)) at = await writeStep(work, at, step)
  await finishCheck(work, at)
}

/** The users that a plan is about, with what is to be done with them. */
async function sourceOf(checking: Checking, plan: Plan): Promise<AsyncIterable<Found>> {
  const { change, select, plan_id } = plan.request
  if (plan_id !== undefined) return takenBack(checking, plan, plan_id)
  if (!change || !select) throw new Error('A plan needs a selection and a change')
  const judge = await judgeOf(checking.context, change)
  return selected(checking, plan, judge)
}

async function finishCheck({ store, clock }: Work, plan: Plan): Promise<void> {
  const now = clock().toISOString()
  const fault = refusalOf(plan)
  if (fault) return refusePlan({ store, clock }, plan, fault)
  const open = await readOpenPlans(store)
  const expires_at = expiryFrom(now)
  const position = { ...plan.position, step: 0, looked: 0, after: null }
  const { action } = move(plan, { state: 'READY', checked_at: now, expires_at, progress: null, position })
  await store.write([action, expireOpen(open, plan.id, expires_at)])
}

/** Why a plan that is checked cannot be applied; undefined if it can. */
function refusalOf({ kind, request, tally, position }: Plan): Problem | undefined {
  if (kind !== 'FILE') return aboveChanges(request.limits, tally.planned)
  if (fileRequest(request).on_fault === 'REFUSE' && tally.faults > 0)
    return { code: 'PLAN_LIMIT_EXCEEDED', detail: `${tally.faults} rows have faults, and on_fault is REFUSE` }
  const { people = nobody, scope = 0, unjudged = 0 } = position.file ?? {}
  return beyondLimits(request.limits, { people, scope, planned: tally.planned, unjudged })
}

/** Ends a plan that cannot be made. */
export async function refusePlan(
  { store, clock }: Pick<Work, 'store' | 'clock'>,
  plan: Plan,
  fault: Problem,
): Promise<void> {
  const now = clock().toISOString()
  const open = await readOpenPlans(store)
  const { action } = move(plan, { ...ending('REFUSED', now), state: 'REFUSED', checked_at: now, fault })
  await store.write([action, removeOpen(open, plan.id)])
}
