import { createTask, showOwnTask, wrongNewTask } from '../../domain/tasks/createTask.ts'
import * as validators from '../../schemas/compiled/createTask.js'
import { createTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createTask, {
  alsoWrong: wrongNewTask,
  show: showOwnTask,
})
