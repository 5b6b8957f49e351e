import { listTasks } from '../../domain/tasks/listTasks.ts'
import * as compiled from '../../schemas/compiled/listTasks.js'
import type { listTasks as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listTasks, { seals: newSeals })
