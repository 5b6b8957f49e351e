import { addTaskRecipient } from '../../domain/tasks/addTaskRecipient.ts'
import * as validators from '../../schemas/compiled/addTaskRecipient.js'
import { addTaskRecipient as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(addTaskRecipient)
