import { createGroupAssignment } from '../../domain/people/groups/createGroupAssignment.ts'
import { getGroupAssignment } from '../../domain/people/groups/getGroupAssignment.ts'
import * as compiled from '../../schemas/compiled/createGroupAssignment.js'
import type { createGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createGroupAssignment, {
  body: readJson,
  writes,
  repeats: repeatable((context, _user, { path, query, body }) =>
    getGroupAssignment(context, { path: { ...path, ...body }, query, body: {} }),
  ),
})
