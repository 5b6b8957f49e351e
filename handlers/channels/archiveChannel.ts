import { archiveChannel } from '../../domain/people/channels/archiveChannel.ts'
import type { archiveChannel as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/archiveChannel.js'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(archiveChannel, { writes })
