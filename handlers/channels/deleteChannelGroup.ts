import { deleteChannelGroup } from '../../domain/channels/deleteChannelGroup.ts'
import { deleteChannelGroup as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/deleteChannelGroup.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteChannelGroup)
