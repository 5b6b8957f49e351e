import { getGroupAssignment } from '../../domain/groups/getGroupAssignment.ts'
import * as validators from '../../schemas/compiled/getGroupAssignment.js'
import { getGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getGroupAssignment)
