import { wrongInGroup } from '../../domain/groups/groupRules.ts'
import { updateGroup } from '../../domain/groups/updateGroup.ts'
import * as validators from '../../schemas/compiled/updateGroup.js'
import { updateGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateGroup, { alsoWrong: wrongInGroup })
