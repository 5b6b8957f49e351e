import { createChannelAssignment } from '../../domain/people/channels/createChannelAssignment.ts'
import { getChannelAssignment } from '../../domain/people/channels/getChannelAssignment.ts'
import type { createChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as compiled from '../../schemas/compiled/createChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createChannelAssignment, {
  body: readJson,
  writes,
  repeats: repeatable((context, _user, { path, query, body }) =>
    getChannelAssignment(context, { path: { ...path, ...body }, query, body: {} }),
  ),
})
