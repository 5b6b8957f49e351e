import { listWebhooks } from '../../domain/webhooks/listWebhooks.ts'
import * as compiled from '../../schemas/compiled/listWebhooks.js'
import type { listWebhooks as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listWebhooks, { seals: newSeals })
