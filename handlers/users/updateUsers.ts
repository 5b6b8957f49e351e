import { updateUsers } from '../../domain/people/users/updateUsers.ts'
import * as compiled from '../../schemas/compiled/updateUsers.js'
import type { updateUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readBatch } from '../middleware/readBatch.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateUsers, { body: readBatch, writes })
