import { isRealDate } from '../attributes/attributeRules.ts'
import type { Fault } from '../errors.ts'

/** When a task is due, as it is stored. */
export type DueDate = { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string }

/** When a task is due, as it is given. */
export type GivenDueDate = {
  due_at_type: 'DATE' | 'DATE_TIME'
  date?: string | null | undefined
  date_time?: string | null | undefined
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/** What is wrong with a due date: it says the day or the moment, whichever its type names, and it is in the calendar. */
export function dueDateFaults({ due_at_type, date, date_time }: GivenDueDate): Fault[] {
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
  const note = (property: string, message: string) => faults.push({ property: `due_at.${property}`, message })
  if (!wanted[1]) note(wanted[0], 'is missing')
  if (other[1]) note(other[0], `must not be given with ${due_at_type}`)
  if (date && !isRealDate(date)) note('date', 'must be a date that the calendar has')
  if (date_time && momentOf(date_time) === undefined) note('date_time', 'must be a moment that the calendar has')
  return faults
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
