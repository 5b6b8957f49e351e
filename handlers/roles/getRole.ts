import { getRole } from '../../domain/roles/getRole.ts'
import * as validators from '../../schemas/compiled/getRole.js'
import { getRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getRole)
