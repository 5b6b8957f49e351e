import { createChannel } from '../../domain/people/channels/createChannel.ts'
import { getChannel } from '../../domain/people/channels/getChannel.ts'
import { wrongNewTexts } from '../../domain/request/localizedTexts.ts'
import type { createChannel as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/createChannel.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createChannel, {
  body: readJson,
  writes,
  moreFaults: wrongNewTexts,
  repeats: repeatable((context, channel_id) => getChannel(context, { path: { channel_id }, query: {}, body: {} })),
})
