import { listChannelGroups } from '../../domain/channels/listChannelGroups.ts'
import { listChannelGroups as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/listChannelGroups.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listChannelGroups)
