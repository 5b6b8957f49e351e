import { getRole } from '../../domain/people/roles/getRole.ts'
import * as compiled from '../../schemas/compiled/getRole.js'
import type { getRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getRole)
