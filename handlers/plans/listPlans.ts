import { listPlans } from '../../domain/plans/listPlans.ts'
import * as compiled from '../../schemas/compiled/listPlans.js'
import type { listPlans as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listPlans, { seals: newSeals })
