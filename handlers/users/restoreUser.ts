import { restoreUser } from '../../domain/people/users/restoreUser.ts'
import * as compiled from '../../schemas/compiled/restoreUser.js'
import type { restoreUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(restoreUser, { writes })
