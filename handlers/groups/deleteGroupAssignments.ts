import { deleteGroupAssignments } from '../../domain/groups/deleteGroupAssignments.ts'
import * as validators from '../../schemas/compiled/deleteGroupAssignments.js'
import { deleteGroupAssignments as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteGroupAssignments)
