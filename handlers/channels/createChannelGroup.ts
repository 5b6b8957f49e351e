import { createChannelGroup, showChannelGroup } from '../../domain/channels/createChannelGroup.ts'
import { createChannelGroup as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/createChannelGroup.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createChannelGroup, {
  show: (context, group, { path }) => showChannelGroup(context, path.channel_id, group),
})
