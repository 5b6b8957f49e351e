import { listAssignableChannelRoles } from '../../domain/channels/listAssignableChannelRoles.ts'
import { listAssignableChannelRoles as contract } from '../../schemas/channelAssignments.ts'
import * as validators from '../../schemas/compiled/listAssignableChannelRoles.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listAssignableChannelRoles)
