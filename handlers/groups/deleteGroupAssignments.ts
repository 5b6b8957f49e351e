import { deleteGroupAssignments } from '../../domain/people/groups/deleteGroupAssignments.ts'
import * as compiled from '../../schemas/compiled/deleteGroupAssignments.js'
import type { deleteGroupAssignments as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readBatch } from '../middleware/readBatch.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteGroupAssignments, { body: readBatch, writes })
