import { listGroups } from '../../domain/groups/listGroups.ts'
import * as validators from '../../schemas/compiled/listGroups.js'
import { listGroups as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listGroups)
