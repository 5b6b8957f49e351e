import { createGroupAssignments } from '../../domain/groups/createGroupAssignments.ts'
import * as validators from '../../schemas/compiled/createGroupAssignments.js'
import { createGroupAssignments as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createGroupAssignments)
