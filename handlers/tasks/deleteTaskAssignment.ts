import { deleteTaskAssignment } from '../../domain/tasks/deleteTaskAssignment.ts'
import * as compiled from '../../schemas/compiled/deleteTaskAssignment.js'
import type { deleteTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteTaskAssignment, { writes })
