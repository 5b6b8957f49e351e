import { listUsers } from '../../domain/people/users/listUsers.ts'
import * as compiled from '../../schemas/compiled/listUsers.js'
import type { listUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listUsers, { seals: newSeals })
