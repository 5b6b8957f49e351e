import { deleteChannelAssignment } from '../../domain/channels/deleteChannelAssignment.ts'
import { deleteChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as validators from '../../schemas/compiled/deleteChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteChannelAssignment)
