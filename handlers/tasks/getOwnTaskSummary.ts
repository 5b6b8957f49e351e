import { getOwnTaskSummary } from '../../domain/tasks/getOwnTaskSummary.ts'
import * as compiled from '../../schemas/compiled/getOwnTaskSummary.js'
import type { getOwnTaskSummary as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getOwnTaskSummary)
