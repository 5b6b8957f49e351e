import { getChannelAssignment } from '../../domain/channels/getChannelAssignment.ts'
import { getChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as validators from '../../schemas/compiled/getChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getChannelAssignment)
