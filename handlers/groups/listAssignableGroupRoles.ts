import { listAssignableGroupRoles } from '../../domain/people/groups/listAssignableGroupRoles.ts'
import * as compiled from '../../schemas/compiled/listAssignableGroupRoles.js'
import type { listAssignableGroupRoles as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listAssignableGroupRoles, { seals: newSeals })
