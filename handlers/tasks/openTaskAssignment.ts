import { openTaskAssignment } from '../../domain/tasks/openTaskAssignment.ts'
import * as compiled from '../../schemas/compiled/openTaskAssignment.js'
import type { openTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(openTaskAssignment, { writes })
