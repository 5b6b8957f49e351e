import { getChannelAssignment } from '../../domain/people/channels/getChannelAssignment.ts'
import type { getChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as compiled from '../../schemas/compiled/getChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getChannelAssignment)
