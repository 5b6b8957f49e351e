import { deleteRole } from '../../domain/roles/deleteRole.ts'
import * as validators from '../../schemas/compiled/deleteRole.js'
import { deleteRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteRole)
