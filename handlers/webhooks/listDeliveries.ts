import { listDeliveries } from '../../domain/webhooks/listDeliveries.ts'
import * as compiled from '../../schemas/compiled/listDeliveries.js'
import type { listDeliveries as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listDeliveries, { seals: newSeals })
