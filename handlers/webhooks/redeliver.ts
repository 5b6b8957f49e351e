import { redeliver } from '../../domain/webhooks/redeliver.ts'
import * as compiled from '../../schemas/compiled/redeliver.js'
import type { redeliver as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(redeliver, { writes })
