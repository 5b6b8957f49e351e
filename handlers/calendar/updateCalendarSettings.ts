import { updateCalendarSettings, wrongCalendar } from '../../domain/calendar/updateCalendarSettings.ts'
import { updateCalendarSettings as contract } from '../../schemas/calendar.ts'
import * as validators from '../../schemas/compiled/updateCalendarSettings.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateCalendarSettings, { alsoWrong: wrongCalendar })
