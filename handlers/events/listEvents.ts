import { listEvents, wrongEventsQuery } from '../../domain/events/listEvents.ts'
import * as compiled from '../../schemas/compiled/listEvents.js'
import type { listEvents as contract } from '../../schemas/events.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listEvents, {
  moreFaults: wrongEventsQuery,
  seals: newSeals,
})
