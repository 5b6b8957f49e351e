import { testWebhook } from '../../domain/webhooks/testWebhook.ts'
import * as compiled from '../../schemas/compiled/testWebhook.js'
import type { testWebhook as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(testWebhook, { writes })
