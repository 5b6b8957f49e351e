import { listUserAccess } from '../../domain/people/access/listUserAccess.ts'
import type { listUserAccess as contract } from '../../schemas/access.ts'
import * as compiled from '../../schemas/compiled/listUserAccess.js'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listUserAccess, { seals: newSeals })
