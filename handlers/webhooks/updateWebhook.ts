import { updateWebhook } from '../../domain/webhooks/updateWebhook.ts'
import * as compiled from '../../schemas/compiled/updateWebhook.js'
import type { updateWebhook as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateWebhook, { body: readJson, writes })
