import { listPlanFaults } from '../../domain/plans/listPlanFaults.ts'
import * as compiled from '../../schemas/compiled/listPlanFaults.js'
import type { listPlanFaults as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listPlanFaults, { seals: newSeals })
