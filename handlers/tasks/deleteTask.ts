import { deleteTask } from '../../domain/tasks/deleteTask.ts'
import * as validators from '../../schemas/compiled/deleteTask.js'
import { deleteTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteTask)
