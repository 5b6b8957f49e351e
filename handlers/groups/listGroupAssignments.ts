import { listGroupAssignments } from '../../domain/groups/listGroupAssignments.ts'
import * as validators from '../../schemas/compiled/listGroupAssignments.js'
import { listGroupAssignments as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listGroupAssignments)
