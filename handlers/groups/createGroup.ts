import { createGroup } from '../../domain/people/groups/createGroup.ts'
import { getGroup } from '../../domain/people/groups/getGroup.ts'
import { wrongInGroup } from '../../domain/people/groups/namedParent.ts'
import * as compiled from '../../schemas/compiled/createGroup.js'
import type { createGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createGroup, {
  body: readJson,
  writes,
  moreFaults: wrongInGroup,
  repeats: repeatable((context, group_id, { query }) => getGroup(context, { path: { group_id }, query, body: {} })),
})
