import { createChannelAssignment } from '../../domain/channels/createChannelAssignment.ts'
import { getChannelAssignment } from '../../domain/channels/getChannelAssignment.ts'
import { createChannelAssignment as contract } from '../../schemas/channelAssignments.ts'
import * as validators from '../../schemas/compiled/createChannelAssignment.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createChannelAssignment, {
  show: (context, _user, { path, query, body }) =>
    getChannelAssignment(context, { path: { ...path, ...body }, query, body: {} }),
})
