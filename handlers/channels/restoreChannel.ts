import { restoreChannel } from '../../domain/people/channels/restoreChannel.ts'
import type { restoreChannel as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/restoreChannel.js'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(restoreChannel, { writes })
