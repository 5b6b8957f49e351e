import { wrongTextsOf } from '../../domain/request/localization.ts'
import { roles } from '../../domain/roles/role.ts'
import { updateRole } from '../../domain/roles/updateRole.ts'
import * as validators from '../../schemas/compiled/updateRole.js'
import { updateRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateRole, { alsoWrong: wrongTextsOf('role_id', roles.read) })
