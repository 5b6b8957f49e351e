import { finishTaskAssignment } from '../../domain/tasks/finishTaskAssignment.ts'
import * as compiled from '../../schemas/compiled/finishTaskAssignment.js'
import type { finishTaskAssignment as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(finishTaskAssignment, { writes })
