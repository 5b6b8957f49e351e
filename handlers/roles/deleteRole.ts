import { deleteRole } from '../../domain/people/roles/deleteRole.ts'
import * as compiled from '../../schemas/compiled/deleteRole.js'
import type { deleteRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteRole, { writes })
