import type { Context } from '../request/context.ts'
import { calendarFields, readCalendar } from './calendar.ts'

/** Reads the calendar settings, and who has changed them. */
export async function getCalendarSettings({ store }: Context) {
  const settings = await readCalendar(store)
  return calendarFields.answer(settings)
}
