import { createGroup } from '../../domain/groups/createGroup.ts'
import { getGroup } from '../../domain/groups/getGroup.ts'
import { wrongInGroup } from '../../domain/groups/groupRules.ts'
import * as validators from '../../schemas/compiled/createGroup.js'
import { createGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createGroup, {
  alsoWrong: wrongInGroup,
  show: (context, group_id, { query }) => getGroup(context, { path: { group_id }, query, body: {} }),
})
