import { createChannel } from '../../domain/channels/createChannel.ts'
import { getChannel } from '../../domain/channels/getChannel.ts'
import { wrongNewTexts } from '../../domain/request/localization.ts'
import { createChannel as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/createChannel.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createChannel, {
  alsoWrong: wrongNewTexts,
  show: (context, channel_id) => getChannel(context, { path: { channel_id }, query: {}, body: {} }),
})
