import { type CodedFault, faultAt, requireNone } from '../base/errors.ts'
import { invalidMoment, momentOf } from '../base/moments.ts'
import { DAY_MS, dayOf } from '../base/text.ts'
import { eventsOn } from '../table/keys.ts'
import type { Range } from '../table/store.ts'

/** A stretch of time without its end `to`. Sort keys of events begin with their time, so both also bound sort keys. */
export type Span = { from: string; to: string }

/** The longest stretch of time for a list of all events. */
const LONGEST_DAYS = 31
/** Clocks differ: an event can be later than now. */
const CLOCKS_MS = 60_000
const FIRST_TIME = '0001-01-01T00:00:00.000Z'
const LAST_TIME = '9999-12-31T23:59:59.999Z'

type Times = { from?: string | undefined; to?: string | undefined }

/** The stretch of time that a call asks for. */
export function wholeSpan(asked: Times): Span {
  requireNone(spanFaults(asked, false))
  const { from = FIRST_TIME, to = LAST_TIME } = timesOf(asked)
  return { from, to }
}

/** The same for lists of at most 31 days; by default these are the last ones. */
export function shortSpan(asked: Times, now: string): Span {
  requireNone(spanFaults(asked, true))
  const { from, to } = timesOf(asked)
  const end = to ?? latestAfter(from, later(now, CLOCKS_MS))
  return { from: from ?? later(end, -LONGEST_DAYS * DAY_MS), to: end }
}

/** The end of a stretch that has only a beginning, so that no days of the future are read. */
function latestAfter(from: string | undefined, latest: string): string {
  if (from === undefined) return latest
  // The one in the middle: the latest moment, but neither before the beginning nor too far from it.
  return [from, latest, later(from, LONGEST_DAYS * DAY_MS)].sort()[1] as string
}

/** Both moments, as they are stored. */
const timesOf = ({ from, to }: Times): Times => ({ from: from && momentOf(from), to: to && momentOf(to) })

/** The faults of a stretch of time in a query of any form. If `isShort`, it has at most 31 days. */
export function spanFaults({ from, to }: { from?: unknown; to?: unknown }, isShort: boolean): CodedFault[] {
  const asked = Object.entries({ from, to }).filter((one): one is [string, string] => typeof one[1] === 'string')
  const wrong = asked.filter(([, text]) => momentOf(text) === undefined)
  if (wrong.length > 0 || asked.length < 2)
    return wrong.map(([name]) => faultAt('VALIDATION_ERROR', name, invalidMoment))
  const [start = '', end = ''] = asked.map(([, text]) => momentOf(text))
  if (start > end) return [faultAt('VALIDATION_ERROR', 'to', 'must not be before from')]
  const isTooLong = isShort && later(start, LONGEST_DAYS * DAY_MS) < end
  return isTooLong ? [faultAt('VALIDATION_ERROR', 'to', tooLong)] : []
}
const tooLong = `must be at most ${LONGEST_DAYS} days after from`

/** The moment later by `ms`, or earlier if that is negative, within the first and last moments of the calendar. */
const later = (moment: string, ms: number): string =>
  new Date(Math.min(Math.max(Date.parse(moment) + ms, Date.parse(FIRST_TIME)), Date.parse(LAST_TIME))).toISOString()

/**
 * The lists of the days of a stretch of time, in order. Each batch has four times as many days as the one before: few
 * round trips if there are few events, and few needless reads if there are many.
 */
export function daysOf({ from, to }: Span, descending: boolean): Range[][] {
  const days: string[] = []
  // After a page, a bound is the sort key of an event, not a moment. A stretch that ends at midnight does not include the
  // next day.
  const last = Date.parse(dayOf(to)) - (to === `${dayOf(to)}${MIDNIGHT}` ? DAY_MS : 0)
  for (let time = Date.parse(dayOf(from)); time <= last; time += DAY_MS) days.push(dayOf(new Date(time).toISOString()))
  if (descending) days.reverse()
  const stretches: Range[][] = []
  for (let size = 1; days.length > 0; size *= 4) stretches.push(days.splice(0, size).flatMap(eventsOn))
  return stretches
}
const MIDNIGHT = 'T00:00:00.000Z'
