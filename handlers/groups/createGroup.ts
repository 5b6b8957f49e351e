import { createGroup } from '../../domain/groups/createGroup.ts'
import { getGroup } from '../../domain/groups/getGroup.ts'
import { wrongInGroup } from '../../domain/groups/groupRules.ts'
import * as compiled from '../../schemas/compiled/createGroup.js'
import type { createGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(createGroup, {
  alsoWrong: wrongInGroup,
  showAgain: (context, group_id, { query }) => getGroup(context, { path: { group_id }, query, body: {} }),
})
