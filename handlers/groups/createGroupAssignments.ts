import { createGroupAssignments } from '../../domain/people/groups/createGroupAssignments.ts'
import * as compiled from '../../schemas/compiled/createGroupAssignments.js'
import type { createGroupAssignments as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readBatch } from '../middleware/readBatch.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createGroupAssignments, { body: readBatch, writes })
