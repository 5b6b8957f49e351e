import { listChannelGroups } from '../../domain/people/channels/listChannelGroups.ts'
import type { listChannelGroups as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/listChannelGroups.js'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listChannelGroups, { seals: newSeals })
