const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Messages for texts that are no day and no moment; they follow the property's name. */
export const noDay = 'must be a date that the calendar has'
export const noMoment = 'must be a moment that the calendar has'

/** Whether a text is a day, YYYY-MM-DD, that the calendar has, in the years 0001 to 9999. */
export const isDay = (text: string): boolean => isCalendarDay(text) && !text.startsWith('0000')

/**
 * The moment in a text, in the one form that is stored and answered: UTC with milliseconds, finer fractions cut off.
 * Undefined if it is none.
 *
 * A moment is one of RFC 3339: any offset, `-00:00` included, any number of fraction digits, `t` and `z` in either
 * case. Refused are days that the calendar does not have, 24:00:00, leap seconds (computer clocks have none), and
 * years outside 0001 to 9999 in UTC: stored moments are compared as text, so all have four digits for the year.
 */
export function momentOf(text: string): string | undefined {
  const [, day] = MOMENT.exec(text) ?? []
  // Date turns 30 February into 2 March, so the day is checked by itself.
  if (day === undefined || !isCalendarDay(day)) return undefined
  const moment = new Date(text.toUpperCase()).toISOString()
  return isDay(moment.slice(0, 10)) ? moment : undefined
}

function isCalendarDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const time = Date.parse(`${text}T00:00:00.000Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Whether a moment has passed. Stored moments compare as text, as all have the same form. */
export const isPast = (moment: string | undefined, now: string): boolean => moment !== undefined && moment <= now
