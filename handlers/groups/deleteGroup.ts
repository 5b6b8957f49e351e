import { deleteGroup } from '../../domain/people/groups/deleteGroup.ts'
import * as compiled from '../../schemas/compiled/deleteGroup.js'
import type { deleteGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteGroup, { writes })
