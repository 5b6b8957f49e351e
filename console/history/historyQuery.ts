// What the history shows, as the address holds it. Pure.
import type { Schemas } from '../data/api.ts'
import type { Texts } from '../texts/texts.ts'

export type EventKind = Schemas['Event']['record']['kind']
export type EventType = Schemas['Event']['type']

export const kindsOfEvents = [
  'user',
  'user_group',
  'user_group_assignment',
  'user_group_rule',
  'role',
  'attribute_definition',
  'channel',
  'channel_user_group',
  'channel_assignment',
  'task',
  'task_assignment',
  'organisation_settings',
  'calendar_settings',
  'service_token',
  'webhook',
  'plan',
] as const satisfies readonly EventKind[]

/** The most that one call may ask for without a record. */
const mostDays = 31
const mostMs = mostDays * 86_400_000
/** One less than that: among 31 days there can be one of 25 hours. */
const daysAtOnce = 30

const startOf = (day: string) => new Date(`${day}T00:00`)
const endOf = (day: string) => startOf(dayBefore(-1, startOf(day)))

/** A day from the address. Returns null if the address has none, or if it is not a day. */
function dayIn(query: URLSearchParams, name: 'from' | 'to'): string | null {
  const day = query.get(name)
  return day && Number.isFinite(startOf(day).getTime()) ? day : null
}

/**
 * The first and the last day that are listed, in the reader's zone: the last 30 unless others are chosen. If only one end is chosen, the
 * other one is that far away. One record has no such limit: undefined.
 */
export function daysListed(query: URLSearchParams, now = new Date()): { from: string; to: string } | undefined {
  if (recordIn(query)) return undefined
  const [from, to] = [dayIn(query, 'from'), dayIn(query, 'to')]
  const today = dayBefore(0, now)
  const end = to ?? (from ? latestAfter(from, today) : today)
  return { from: from ?? dayBefore(daysAtOnce - 1, startOf(end)), to: end }
}

/** The one in the middle: today, but neither before the first day nor too far from it. */
const latestAfter = (from: string, today: string) =>
  [from, today, dayBefore(1 - daysAtOnce, startOf(from))].sort()[1] as string

const kindIn = (query: URLSearchParams) => kindsOfEvents.find((one) => one === query.get('kind'))

/** The record whose history is asked for; undefined for that of all. */
export function recordIn(query: URLSearchParams): { kind: EventKind; id: string } | undefined {
  const [kind, id] = [kindIn(query), query.get('record')]
  return kind && id ? { kind, id } : undefined
}

/** The filters as the list of events takes them. A kind alone is a filter by type. */
export function historyQuery(query: URLSearchParams, types: readonly EventType[]) {
  const kind = kindIn(query)
  const record = recordIn(query)
  const actor = query.get('actor')
  const { from, to } = daysListed(query) ?? { from: dayIn(query, 'from'), to: dayIn(query, 'to') }
  return {
    ...(record ? { record_kind: record.kind, record_id: record.id } : {}),
    ...(kind && !record ? { type: types.filter((type) => type.split('.')[0] === kind) } : {}),
    ...(actor ? { actor_id: actor } : {}),
    ...(from ? { from: startOf(from).toISOString() } : {}),
    ...(to ? { to: endOf(to).toISOString() } : {}),
  }
}

/** What is wrong with the days that are chosen: the end is before the beginning, or too far from it. */
export function faultOfDays(query: URLSearchParams, texts: Texts): string | undefined {
  const [from, to] = [dayIn(query, 'from'), dayIn(query, 'to')]
  if (!from || !to) return undefined
  if (to < from) return texts.history.backwards
  const isTooLong = daysListed(query) && endOf(to).getTime() - startOf(from).getTime() > mostMs
  return isTooLong ? texts.faults.days(mostDays) : undefined
}

/** The day so many days ago, in the reader's zone, as a field for a date has it. */
export function dayBefore(days: number, now = new Date()): string {
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - days)
  const [year, ...others] = [day.getFullYear(), day.getMonth() + 1, day.getDate()]
  return [String(year).padStart(4, '0'), ...others.map((part) => String(part).padStart(2, '0'))].join('-')
}
