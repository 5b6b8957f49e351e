import { deleteUsers } from '../../domain/people/users/deleteUsers.ts'
import * as compiled from '../../schemas/compiled/deleteUsers.js'
import type { deleteUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readBatch } from '../middleware/readBatch.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteUsers, { body: readBatch, writes })
