import { openTaskAssignment } from '../../domain/tasks/openTaskAssignment.ts'
import * as validators from '../../schemas/compiled/openTaskAssignment.js'
import { openTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(openTaskAssignment)
