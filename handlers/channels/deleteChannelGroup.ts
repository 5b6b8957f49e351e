import { deleteChannelGroup } from '../../domain/people/channels/deleteChannelGroup.ts'
import type { deleteChannelGroup as contract } from '../../schemas/channels.ts'
import * as compiled from '../../schemas/compiled/deleteChannelGroup.js'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteChannelGroup, { writes })
