import { getUser } from '../../domain/people/users/getUser.ts'
import * as compiled from '../../schemas/compiled/getUser.js'
import type { getUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getUser)
