import { cancelPlan } from '../../domain/plans/cancelPlan.ts'
import * as compiled from '../../schemas/compiled/cancelPlan.js'
import type { cancelPlan as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(cancelPlan, { writes })
