import { listChannels } from '../../domain/people/channels/listChannels.ts'
import type { listChannels as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/listChannels.js'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listChannels, { seals: newSeals })
