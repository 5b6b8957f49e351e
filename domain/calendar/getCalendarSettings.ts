import type { Context } from '../request/context.ts'
import { readCalendar } from './calendar.ts'

/** Reads the calendar settings, and who has changed them. */
export const getCalendarSettings = async ({ store }: Context) => ({ status: 200, body: await readCalendar(store) })
