import { deleteGroupAssignment } from '../../domain/groups/deleteGroupAssignment.ts'
import * as validators from '../../schemas/compiled/deleteGroupAssignment.js'
import { deleteGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteGroupAssignment)
