import { archiveChannel } from '../../domain/channels/archiveChannel.ts'
import { archiveChannel as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/archiveChannel.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(archiveChannel)
