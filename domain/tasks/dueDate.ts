import { isRealDate } from '../attributes/attributeRules.ts'
import type { Fault } from '../errors.ts'

/** When a task is due, as it is stored. */
export type DueDate = { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string }

/** When a task is due, as it is given; in a patch, what is not given stays. */
export type GivenDueDate = {
  due_at_type?: 'DATE' | 'DATE_TIME' | undefined
  date?: string | null | undefined
  date_time?: string | null | undefined
}

/** A day has no hour 24, as RFC 3339 has it; other moments that no clock shows are found by Date. */
const MOMENT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/**
 * What is wrong with a due date: it says the day or the moment, whichever its type names, and it is in the calendar. That
 * it has a type is its schema's to ask for.
 */
export function dueDateFaults({ due_at_type, ...given }: GivenDueDate): Fault[] {
  if (!due_at_type) return calendarFaults(given)
  const { date, date_time } = given
  const [wanted, other] =
    due_at_type === 'DATE'
      ? ([
          ['date', date],
          ['date_time', date_time],
        ] as const)
      : ([
          ['date_time', date_time],
          ['date', date],
        ] as const)
  const faults: Fault[] = []
  if (!wanted[1]) faults.push({ property: `due_at.${wanted[0]}`, message: 'is missing' })
  if (other[1]) faults.push({ property: `due_at.${other[0]}`, message: `must not be given with ${due_at_type}` })
  return [...faults, ...calendarFaults(given)]
}

/** What is wrong with the day or the moment of a due date by itself, whatever else is known of it. */
export const calendarFaults = ({ date, date_time }: GivenDueDate): Fault[] => [
  ...(date && !isRealDate(date) ? [{ property: 'due_at.date', message: 'must be a date that the calendar has' }] : []),
  ...(date_time && momentOf(date_time) === undefined
    ? [{ property: 'due_at.date_time', message: 'must be a moment that the calendar has' }]
    : []),
]

/**
 * A due date after a merge patch (RFC 7396), and what is wrong with it. With another type, what the former one named is
 * gone.
 */
export function patchedDueDate(
  stored: DueDate | null,
  patch: GivenDueDate | null,
): { due_at: DueDate | null; faults: Fault[] } {
  if (patch === null) return { due_at: null, faults: [] }
  const { due_at_type = stored?.due_at_type } = patch
  if (!due_at_type) return { due_at: null, faults: [{ property: 'due_at.due_at_type', message: 'is missing' }] }
  const merged = { ...(stored?.due_at_type === due_at_type ? stored : {}), ...patch, due_at_type }
  return { due_at: dueDateFrom(merged), faults: dueDateFaults(merged) }
}

/** A due date in the one form that is stored; of one that has no faults. */
export function dueDateFrom(given: GivenDueDate | null | undefined): DueDate | null {
  if (given?.date) return { due_at_type: 'DATE', date: given.date }
  const date_time = given?.date_time && momentOf(given.date_time)
  return date_time ? { due_at_type: 'DATE_TIME', date_time } : null
}

/** A moment in UTC with milliseconds; undefined where a text is none that the calendar has. */
function momentOf(text: string): string | undefined {
  const [, day = ''] = MOMENT.exec(text) ?? []
  if (!isRealDate(day) || Number.isNaN(Date.parse(text))) return undefined
  const moment = new Date(text).toISOString()
  // A zone may carry the first and the last day out of the years that have four digits.
  return moment.length === '2026-12-31T00:00:00.000Z'.length ? moment : undefined
}
