import { putPlanPart } from '../../domain/plans/putPlanPart.ts'
import * as compiled from '../../schemas/compiled/putPlanPart.js'
import type { putPlanPart as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readBytes } from '../middleware/readBytes.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(putPlanPart, { writes, body: readBytes })
