import { viewCalendarSettings } from '../../domain/calendar/viewCalendarSettings.ts'
import type { viewCalendarSettings as contract } from '../../schemas/calendar.ts'
import * as compiled from '../../schemas/compiled/viewCalendarSettings.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(viewCalendarSettings)
