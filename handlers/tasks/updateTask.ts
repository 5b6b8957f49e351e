import { updateTask, wrongPatch } from '../../domain/tasks/updateTask.ts'
import * as compiled from '../../schemas/compiled/updateTask.js'
import type { updateTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateTask, {
  body: readJson,
  writes,
  moreFaults: wrongPatch,
})
