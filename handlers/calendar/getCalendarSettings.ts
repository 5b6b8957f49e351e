import { getCalendarSettings } from '../../domain/calendar/getCalendarSettings.ts'
import { getCalendarSettings as contract } from '../../schemas/calendar.ts'
import * as validators from '../../schemas/compiled/getCalendarSettings.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getCalendarSettings)
