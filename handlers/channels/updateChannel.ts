import { updateChannel } from '../../domain/people/channels/updateChannel.ts'
import { channels } from '../../domain/people/records/channel.ts'
import { wrongTextsOf } from '../../domain/request/localizedTexts.ts'
import type { updateChannel as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/updateChannel.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateChannel, {
  body: readJson,
  writes,
  moreFaults: wrongTextsOf('channel_id', channels.read),
})
