import { createGroup } from '../../domain/groups/createGroup.ts'
import { wrongInGroup } from '../../domain/groups/groupRules.ts'
import * as validators from '../../schemas/compiled/createGroup.js'
import { createGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createGroup, wrongInGroup)
