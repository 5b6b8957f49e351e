import { updateCalendarSettings, wrongCalendar } from '../../domain/calendar/updateCalendarSettings.ts'
import type { updateCalendarSettings as contract } from '../../schemas/calendar.ts'
import * as compiled from '../../schemas/compiled/updateCalendarSettings.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateCalendarSettings, {
  body: readJson,
  writes,
  moreFaults: wrongCalendar,
})
