import { addTaskAssignments } from '../../domain/tasks/addTaskAssignments.ts'
import * as compiled from '../../schemas/compiled/addTaskAssignments.js'
import type { addTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(addTaskAssignments, { body: readJson, writes })
