import { listOwnTaskAssignments } from '../../domain/tasks/listOwnTaskAssignments.ts'
import * as validators from '../../schemas/compiled/listOwnTaskAssignments.js'
import { listOwnTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listOwnTaskAssignments)
