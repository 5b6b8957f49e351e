import { listTasks } from '../../domain/tasks/listTasks.ts'
import * as validators from '../../schemas/compiled/listTasks.js'
import { listTasks as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listTasks)
