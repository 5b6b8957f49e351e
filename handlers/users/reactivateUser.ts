import { reactivateUser } from '../../domain/people/users/reactivateUser.ts'
import * as compiled from '../../schemas/compiled/reactivateUser.js'
import type { reactivateUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(reactivateUser, { writes })
