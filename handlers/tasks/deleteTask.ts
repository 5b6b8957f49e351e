import { deleteTask } from '../../domain/tasks/deleteTask.ts'
import * as compiled from '../../schemas/compiled/deleteTask.js'
import type { deleteTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteTask, { writes })
