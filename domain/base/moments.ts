import { dayOf } from './text.ts'

// Days and moments as callers write them.

const CALENDAR_DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** The messages for an invalid day and an invalid moment. They follow the property's name. */
export const invalidDay = 'must be a date that the calendar has'
export const invalidMoment = 'must be a moment that the calendar has'

/** Whether a text is a day of the calendar, YYYY-MM-DD, in the years 0001 to 9999. */
export const isDay = (text: string): boolean => isCalendarDay(text) && !text.startsWith('0000')

/**
 * The moment in a text, in the form that is stored and answered: UTC with milliseconds, finer fractions cut off. Undefined if
 * the text is not a moment.
 *
 * Moments have the form of RFC 3339: any offset, `-00:00` included, any number of fraction digits, `t` and `z` in either case.
 * These are no moments: days that the calendar does not have, 24:00:00, leap seconds (computer clocks have none), and years
 * outside 0001 to 9999 in UTC, as stored moments are compared as text and need four digits for the year.
 */
export function momentOf(text: string): string | undefined {
  // Date turns 30 February into 2 March, so the day is checked by itself.
  if (!MOMENT.test(text) || !isCalendarDay(dayOf(text))) return undefined
  const moment = new Date(text).toISOString()
  return isDay(dayOf(moment)) ? moment : undefined
}

function isCalendarDay(text: string): boolean {
  if (!CALENDAR_DAY.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
