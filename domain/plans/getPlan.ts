import type { Context, Input } from '../request/context.ts'
import { answerPlan, requirePlan } from './plan.ts'

/** Reads a plan. */
export const getPlan = async ({ store, now }: Context, { path }: Input<'getPlan'>) =>
  answerPlan(await requirePlan(store, path.plan_id, now))
