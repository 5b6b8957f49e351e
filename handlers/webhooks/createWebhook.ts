import { createWebhook } from '../../domain/webhooks/createWebhook.ts'
import * as compiled from '../../schemas/compiled/createWebhook.js'
import type { createWebhook as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createWebhook, { body: readJson, writes })
