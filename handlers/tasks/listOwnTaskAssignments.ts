import { listOwnTaskAssignments } from '../../domain/tasks/listOwnTaskAssignments.ts'
import * as compiled from '../../schemas/compiled/listOwnTaskAssignments.js'
import type { listOwnTaskAssignments as contract } from '../../schemas/taskAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listOwnTaskAssignments, { seals: newSeals })
