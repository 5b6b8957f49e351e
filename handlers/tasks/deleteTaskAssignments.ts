import { deleteTaskAssignments } from '../../domain/tasks/deleteTaskAssignments.ts'
import * as validators from '../../schemas/compiled/deleteTaskAssignments.js'
import { deleteTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteTaskAssignments)
