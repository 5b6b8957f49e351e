import { channels } from '../../domain/channels/channel.ts'
import { updateChannel } from '../../domain/channels/updateChannel.ts'
import { wrongTextsOf } from '../../domain/request/localization.ts'
import type { updateChannel as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/updateChannel.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(updateChannel, {
  alsoWrong: wrongTextsOf('channel_id', channels.read),
})
