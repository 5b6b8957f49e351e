import { listUserEvents, wrongUserEventsQuery } from '../../domain/events/listUserEvents.ts'
import * as compiled from '../../schemas/compiled/listUserEvents.js'
import type { listUserEvents as contract } from '../../schemas/events.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listUserEvents, {
  moreFaults: wrongUserEventsQuery,
  seals: newSeals,
})
