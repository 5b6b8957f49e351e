import { deleteGroupAssignment } from '../../domain/people/groups/deleteGroupAssignment.ts'
import * as compiled from '../../schemas/compiled/deleteGroupAssignment.js'
import type { deleteGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteGroupAssignment, { writes })
