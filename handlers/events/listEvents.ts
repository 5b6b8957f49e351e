import { listEvents } from '../../domain/events/listEvents.ts'
import * as validators from '../../schemas/compiled/listEvents.js'
import { listEvents as contract } from '../../schemas/events.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listEvents)
