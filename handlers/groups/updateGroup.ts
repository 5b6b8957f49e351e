import { wrongInGroup } from '../../domain/people/groups/namedParent.ts'
import { updateGroup } from '../../domain/people/groups/updateGroup.ts'
import * as compiled from '../../schemas/compiled/updateGroup.js'
import type { updateGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateGroup, {
  body: readJson,
  writes,
  moreFaults: wrongInGroup,
})
