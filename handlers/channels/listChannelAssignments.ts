import { listChannelAssignments } from '../../domain/people/channels/listChannelAssignments.ts'
import type { listChannelAssignments as contract } from '../../schemas/channelAssignments.ts'
import * as compiled from '../../schemas/compiled/listChannelAssignments.js'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listChannelAssignments, { seals: newSeals })
