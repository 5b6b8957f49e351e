import { listPlanChanges } from '../../domain/plans/listPlanChanges.ts'
import * as compiled from '../../schemas/compiled/listPlanChanges.js'
import type { listPlanChanges as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listPlanChanges, { seals: newSeals })
