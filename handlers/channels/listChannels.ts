import { listChannels } from '../../domain/channels/listChannels.ts'
import { listChannels as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/listChannels.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listChannels)
