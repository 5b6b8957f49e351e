import { getTask } from '../../domain/tasks/getTask.ts'
import * as validators from '../../schemas/compiled/getTask.js'
import { getTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getTask)
