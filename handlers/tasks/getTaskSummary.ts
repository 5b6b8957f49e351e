import { getTaskSummary } from '../../domain/tasks/getTaskSummary.ts'
import * as validators from '../../schemas/compiled/getTaskSummary.js'
import { getTaskSummary as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getTaskSummary)
