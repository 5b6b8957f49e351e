import { getGroup } from '../../domain/groups/getGroup.ts'
import * as validators from '../../schemas/compiled/getGroup.js'
import { getGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getGroup)
