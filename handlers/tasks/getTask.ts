import { getTask } from '../../domain/tasks/getTask.ts'
import * as compiled from '../../schemas/compiled/getTask.js'
import type { getTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(getTask, { writes })
