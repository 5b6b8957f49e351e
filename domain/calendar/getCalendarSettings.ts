import type { Answer, Context } from '../request/context.ts'
import { type CalendarSettings, calendar, newCalendar } from './calendar.ts'

/** Reads the calendar settings, and who has changed them. */
export const getCalendarSettings = async ({ store }: Context): Promise<Answer<CalendarSettings>> => ({
  status: 200,
  body: (await calendar.read(store)) ?? newCalendar,
})
