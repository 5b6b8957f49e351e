import { finishTaskAssignment } from '../../domain/tasks/finishTaskAssignment.ts'
import * as validators from '../../schemas/compiled/finishTaskAssignment.js'
import { finishTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(finishTaskAssignment)
