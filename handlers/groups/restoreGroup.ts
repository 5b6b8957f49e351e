import { restoreGroup } from '../../domain/groups/restoreGroup.ts'
import * as validators from '../../schemas/compiled/restoreGroup.js'
import { restoreGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(restoreGroup)
