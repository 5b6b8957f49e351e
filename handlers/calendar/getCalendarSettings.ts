import { getCalendarSettings } from '../../domain/calendar/getCalendarSettings.ts'
import type { getCalendarSettings as contract } from '../../schemas/calendar.ts'
import * as compiled from '../../schemas/compiled/getCalendarSettings.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getCalendarSettings)
