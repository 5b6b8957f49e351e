import { restoreChannel } from '../../domain/channels/restoreChannel.ts'
import { restoreChannel as contract } from '../../schemas/channels.ts'
import * as validators from '../../schemas/compiled/restoreChannel.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(restoreChannel)
