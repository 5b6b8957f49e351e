import { getTaskSummary } from '../../domain/tasks/getTaskSummary.ts'
import * as compiled from '../../schemas/compiled/getTaskSummary.js'
import type { getTaskSummary as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getTaskSummary)
