import { restoreUsers } from '../../domain/people/users/restoreUsers.ts'
import * as compiled from '../../schemas/compiled/restoreUsers.js'
import type { restoreUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readBatch } from '../middleware/readBatch.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(restoreUsers, { body: readBatch, writes })
