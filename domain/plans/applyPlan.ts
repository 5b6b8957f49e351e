import { refuse } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { queueOpen, readOpenPlans } from './openPlans.ts'
import { answerPlan, move, requirePlan, stateConflict } from './plan.ts'
import { requireScopes } from './planRights.ts'
import { wakePlan } from './wake.ts'

/** Begins to make the changes of a plan. Asked again by the same caller, nothing more is done. */
export async function applyPlan(context: Context, { path, body }: Input<'applyPlan'>) {
  const { store, now, actorId, requestId } = context
  const [plan, open] = await Promise.all([requirePlan(store, path.plan_id, now), readOpenPlans(store)])
  requireScopes(await context.actor(), plan.scopes)
  const isRepeated = plan.applied_by === actorId && (plan.state === 'APPLYING' || plan.state === 'DONE')
  const { planned } = plan.tally
  if (isRepeated && body.planned === planned) return answerPlan(plan, 202)
  if (plan.state !== 'READY') throw stateConflict(plan, 'only a plan that is READY can be applied')
  if (body.planned !== planned)
    throw refuse('PLAN_STATE_CONFLICT', 'planned', `The plan is READY and has ${planned} changes, not ${body.planned}`)
  const { after, action } = move(plan, {
    state: 'APPLYING',
    applied_by: actorId,
    applied_at: now,
    apply_request: requestId,
    expires_at: null,
    progress: { done: 0, total: planned },
  })
  await store.write([action, queueOpen(open, plan.id), wakePlan(plan.id, now)])
  return answerPlan(after, 202)
}
