import { listRoles } from '../../domain/people/roles/listRoles.ts'
import * as compiled from '../../schemas/compiled/listRoles.js'
import type { listRoles as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listRoles, { seals: newSeals })
