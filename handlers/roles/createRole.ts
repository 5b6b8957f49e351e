import { wrongNewTexts } from '../../domain/request/localization.ts'
import { createRole } from '../../domain/roles/createRole.ts'
import { getRole } from '../../domain/roles/getRole.ts'
import * as validators from '../../schemas/compiled/createRole.js'
import { createRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createRole, {
  alsoWrong: wrongNewTexts,
  show: (context, role_id) => getRole(context, { path: { role_id }, query: {}, body: {} }),
})
