import type { Answer, Context } from '../request/context.ts'
import { type CalendarSettings, calendar, newCalendar } from './calendar.ts'

/** Reads the calendar settings as every user sees them. */
export async function viewCalendarSettings({ store }: Context): Promise<Answer<Omit<CalendarSettings, 'updated_by'>>> {
  const { updated_by: _by, ...body } = (await calendar.read(store)) ?? newCalendar
  return { status: 200, body }
}
