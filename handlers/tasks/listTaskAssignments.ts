import { listTaskAssignments } from '../../domain/tasks/listTaskAssignments.ts'
import * as validators from '../../schemas/compiled/listTaskAssignments.js'
import { listTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listTaskAssignments)
