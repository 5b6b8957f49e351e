import { replayEvents, wrongSpan } from '../../domain/webhooks/replayEvents.ts'
import * as compiled from '../../schemas/compiled/replayEvents.js'
import type { replayEvents as contract } from '../../schemas/webhooks.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(replayEvents, {
  body: readJson,
  writes,
  moreFaults: wrongSpan,
})
