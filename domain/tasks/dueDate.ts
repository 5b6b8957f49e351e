import type { Fault } from '../base/errors.ts'
import { isDay, momentOf, noDay, noMoment } from '../base/moments.ts'

/** When a task is due, as it is stored. */
export type DueDate = { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string }

/** When a task is due, as it is given; in a patch, what is not given stays. */
export type GivenDueDate = {
  due_at_type?: 'DATE' | 'DATE_TIME' | undefined
  date?: string | null | undefined
  date_time?: string | null | undefined
}

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
  if (!isGiven(wanted[1])) faults.push({ property: `due_at.${wanted[0]}`, message: 'is missing' })
  if (isGiven(other[1]))
    faults.push({ property: `due_at.${other[0]}`, message: `must not be given with ${due_at_type}` })
  return [...faults, ...calendarFaults(given)]
}

/** What is wrong with the day or the moment of a due date by itself, whatever else is known of it. */
export const calendarFaults = ({ date, date_time }: GivenDueDate): Fault[] => [
  ...(isGiven(date) && !isDay(date) ? [{ property: 'due_at.date', message: noDay }] : []),
  ...(isGiven(date_time) && !momentOf(date_time) ? [{ property: 'due_at.date_time', message: noMoment }] : []),
]

const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null

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
