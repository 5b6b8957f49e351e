import type { Context, Input } from '../request/context.ts'
import { cancelWork } from './applying.ts'
import { answerPlan, hasEnded, requirePlan, stateConflict } from './plan.ts'
import { requireScopes } from './planRights.ts'

/** Cancels a plan. The changes that were made stay; those under way may still be made. */
export async function cancelPlan(context: Context, { path }: Input<'cancelPlan'>) {
  const { store, now } = context
  const plan = await requirePlan(store, path.plan_id, now)
  requireScopes(await context.actor(), plan.scopes)
  if (plan.state === 'CANCELLED') return answerPlan(plan)
  if (hasEnded(plan)) throw stateConflict(plan, 'it has ended')
  return answerPlan(await cancelWork(context, plan, null))
}
