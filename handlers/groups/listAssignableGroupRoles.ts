import { listAssignableGroupRoles } from '../../domain/groups/listAssignableGroupRoles.ts'
import * as validators from '../../schemas/compiled/listAssignableGroupRoles.js'
import { listAssignableGroupRoles as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listAssignableGroupRoles)
