import { listTaskAssignments } from '../../domain/tasks/listTaskAssignments.ts'
import * as compiled from '../../schemas/compiled/listTaskAssignments.js'
import type { listTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listTaskAssignments, { seals: newSeals })
