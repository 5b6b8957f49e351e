import type { Context } from '../request/context.ts'
import { calendarFields, readCalendar } from './calendar.ts'

/** Reads the calendar settings as every user sees them. */
export async function viewCalendarSettings({ store }: Context) {
  const settings = await readCalendar(store)
  const { updated_by: _by, ...body } = calendarFields.shown(settings)
  return { status: 200, body, own: calendarFields.own(settings) }
}
