import { deleteTaskAssignments } from '../../domain/tasks/deleteTaskAssignments.ts'
import * as compiled from '../../schemas/compiled/deleteTaskAssignments.js'
import type { deleteTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteTaskAssignments, { body: readJson, writes })
