import { addTaskAssignments } from '../../domain/tasks/addTaskAssignments.ts'
import * as validators from '../../schemas/compiled/addTaskAssignments.js'
import { addTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(addTaskAssignments)
