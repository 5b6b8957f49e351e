import { listRoles } from '../../domain/roles/listRoles.ts'
import * as validators from '../../schemas/compiled/listRoles.js'
import { listRoles as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listRoles)
