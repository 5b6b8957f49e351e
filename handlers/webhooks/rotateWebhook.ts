import { rotateWebhook } from '../../domain/webhooks/rotateWebhook.ts'
import * as compiled from '../../schemas/compiled/rotateWebhook.js'
import type { rotateWebhook as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(rotateWebhook, { writes })
