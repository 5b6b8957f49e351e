import { checkPlanFile } from '../../domain/plans/checkPlanFile.ts'
import * as compiled from '../../schemas/compiled/checkPlanFile.js'
import type { checkPlanFile as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(checkPlanFile, { body: readJson, writes })
