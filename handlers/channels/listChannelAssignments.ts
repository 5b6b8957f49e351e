import { listChannelAssignments } from '../../domain/channels/listChannelAssignments.ts'
import { listChannelAssignments as contract } from '../../schemas/channelAssignments.ts'
import * as validators from '../../schemas/compiled/listChannelAssignments.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listChannelAssignments)
