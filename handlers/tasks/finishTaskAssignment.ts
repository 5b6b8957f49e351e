import { finishTaskAssignment } from '../../domain/tasks/progressOperations.ts'
import * as validators from '../../schemas/compiled/finishTaskAssignment.js'
import { finishTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(finishTaskAssignment)
