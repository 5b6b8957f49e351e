import { deleteUser } from '../../domain/people/users/deleteUser.ts'
import * as compiled from '../../schemas/compiled/deleteUser.js'
import type { deleteUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteUser, { writes })
