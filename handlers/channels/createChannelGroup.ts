import { createChannelGroup, showChannelGroup } from '../../domain/people/channels/createChannelGroup.ts'
import type { createChannelGroup as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/createChannelGroup.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createChannelGroup, {
  body: readJson,
  writes,
  repeats: repeatable((context, group, { path }) => showChannelGroup(context, path.channel_id, group)),
})
