import { listGroupAssignments } from '../../domain/people/groups/listGroupAssignments.ts'
import * as compiled from '../../schemas/compiled/listGroupAssignments.js'
import type { listGroupAssignments as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listGroupAssignments, { seals: newSeals })
