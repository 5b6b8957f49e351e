import { getChannel } from '../../domain/channels/getChannel.ts'
import { getChannel as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/getChannel.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getChannel)
