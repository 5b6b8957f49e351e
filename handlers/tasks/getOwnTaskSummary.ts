import { getOwnTaskSummary } from '../../domain/tasks/getOwnTaskSummary.ts'
import * as validators from '../../schemas/compiled/getOwnTaskSummary.js'
import { getOwnTaskSummary as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getOwnTaskSummary)
