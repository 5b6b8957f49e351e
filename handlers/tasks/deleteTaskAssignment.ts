import { deleteTaskAssignment } from '../../domain/tasks/deleteTaskAssignment.ts'
import * as validators from '../../schemas/compiled/deleteTaskAssignment.js'
import { deleteTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteTaskAssignment)
