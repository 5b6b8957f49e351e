import { getChannel } from '../../domain/people/channels/getChannel.ts'
import type { getChannel as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/getChannel.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getChannel)
