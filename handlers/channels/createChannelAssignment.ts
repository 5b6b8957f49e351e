import { createChannelAssignment } from '../../domain/channels/createChannelAssignment.ts'
import { createChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as validators from '../../schemas/compiled/createChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createChannelAssignment)
