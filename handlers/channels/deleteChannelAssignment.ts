import { deleteChannelAssignment } from '../../domain/people/channels/deleteChannelAssignment.ts'
import type { deleteChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as compiled from '../../schemas/compiled/deleteChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteChannelAssignment, { writes })
