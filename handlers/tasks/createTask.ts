import { createTask, showOwnTask, wrongNewTask } from '../../domain/tasks/createTask.ts'
import * as compiled from '../../schemas/compiled/createTask.js'
import type { createTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createTask, {
  body: readJson,
  writes,
  moreFaults: wrongNewTask,
  repeats: repeatable(showOwnTask),
})
