import { createPlan } from '../../domain/plans/createPlan.ts'
import { getPlan } from '../../domain/plans/getPlan.ts'
import * as compiled from '../../schemas/compiled/createPlan.js'
import type { createPlan as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createPlan, {
  body: readJson,
  writes,
  repeats: repeatable((context, plan_id) => getPlan(context, { path: { plan_id }, query: {}, body: {} })),
})
