import { getWebhook } from '../../domain/webhooks/getWebhook.ts'
import * as compiled from '../../schemas/compiled/getWebhook.js'
import type { getWebhook as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getWebhook)
