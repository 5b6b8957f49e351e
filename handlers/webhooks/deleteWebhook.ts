import { deleteWebhook } from '../../domain/webhooks/deleteWebhook.ts'
import * as compiled from '../../schemas/compiled/deleteWebhook.js'
import type { deleteWebhook as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteWebhook, { writes })
