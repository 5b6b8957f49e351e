import { wrongTextsOf } from '../../domain/request/localization.ts'
import { readRole } from '../../domain/roles/role.ts'
import { updateRole } from '../../domain/roles/roleOperations.ts'
import * as validators from '../../schemas/compiled/updateRole.js'
import { updateRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateRole, wrongTextsOf('role_id', readRole))
