import { createGroupAssignment } from '../../domain/groups/createGroupAssignment.ts'
import * as validators from '../../schemas/compiled/createGroupAssignment.js'
import { createGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createGroupAssignment)
