import { listAssignableChannelRoles } from '../../domain/people/channels/listAssignableChannelRoles.ts'
import type { listAssignableChannelRoles as contract } from '../../schemas/channelAssignments.ts'
import * as compiled from '../../schemas/compiled/listAssignableChannelRoles.js'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listAssignableChannelRoles, { seals: newSeals })
