import { deleteGroup } from '../../domain/groups/deleteGroup.ts'
import * as validators from '../../schemas/compiled/deleteGroup.js'
import { deleteGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteGroup)
