import { addTaskRecipient } from '../../domain/tasks/addTaskRecipient.ts'
import * as compiled from '../../schemas/compiled/addTaskRecipient.js'
import type { addTaskRecipient as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(addTaskRecipient, { body: readJson, writes })
