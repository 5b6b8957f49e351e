import { deactivateUser } from '../../domain/people/users/deactivateUser.ts'
import * as compiled from '../../schemas/compiled/deactivateUser.js'
import type { deactivateUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deactivateUser, { writes })
