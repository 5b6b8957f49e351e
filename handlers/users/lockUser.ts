import { lockUser } from '../../domain/people/users/lockUser.ts'
import * as compiled from '../../schemas/compiled/lockUser.js'
import type { lockUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(lockUser, { writes })
