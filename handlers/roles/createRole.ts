import { wrongNewTexts } from '../../domain/request/localization.ts'
import { createRole } from '../../domain/roles/createRole.ts'
import * as validators from '../../schemas/compiled/createRole.js'
import { createRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createRole, wrongNewTexts)
