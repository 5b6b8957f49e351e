import { listUserEvents } from '../../domain/events/listUserEvents.ts'
import * as validators from '../../schemas/compiled/listUserEvents.js'
import { listUserEvents as contract } from '../../schemas/events.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listUserEvents)
