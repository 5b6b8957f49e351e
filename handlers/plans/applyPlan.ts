import { applyPlan } from '../../domain/plans/applyPlan.ts'
import * as compiled from '../../schemas/compiled/applyPlan.js'
import type { applyPlan as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(applyPlan, { body: readJson, writes })
