import type { Context } from '../request/context.ts'
import { readCalendar } from './calendar.ts'

/** Reads the calendar settings as every user sees them. */
export async function viewCalendarSettings({ store }: Context) {
  const settings = await readCalendar(store)
  const { updated_by: _by, ...body } = settings
  return { status: 200, body, own: settings }
}
