import { unlockUser } from '../../domain/people/users/unlockUser.ts'
import * as compiled from '../../schemas/compiled/unlockUser.js'
import type { unlockUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(unlockUser, { writes })
