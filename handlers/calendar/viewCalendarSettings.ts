import { viewCalendarSettings } from '../../domain/calendar/viewCalendarSettings.ts'
import { viewCalendarSettings as contract } from '../../schemas/calendar.ts'
import * as validators from '../../schemas/compiled/viewCalendarSettings.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(viewCalendarSettings)
