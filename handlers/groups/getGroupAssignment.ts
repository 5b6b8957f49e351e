import { getGroupAssignment } from '../../domain/people/groups/getGroupAssignment.ts'
import * as compiled from '../../schemas/compiled/getGroupAssignment.js'
import type { getGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getGroupAssignment)
