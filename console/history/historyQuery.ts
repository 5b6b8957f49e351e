// What the history shows, as the address holds it. Pure.
import type { Schemas } from '../data/api.ts'

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

const dayMs = 86_400_000
/** The most days that one call may ask for without a record. */
const mostDays = 31

const startOf = (day: string) => new Date(`${day}T00:00`)

/**
 * The filters as the list of events takes them. Days are those of the reader's zone. A kind alone is a filter by type; without a record at
 * most 31 days are asked for, so one given end moves the other.
 */
export function historyQuery(query: URLSearchParams, types: readonly EventType[]) {
  const kind = kindsOfEvents.find((one) => one === query.get('kind'))
  const record = query.get('record')
  const actor = query.get('actor')
  return {
    ...(kind && record ? { record_kind: kind, record_id: record } : {}),
    ...(kind && !record ? { type: types.filter((type) => type.split('.')[0] === kind) } : {}),
    ...(actor ? { actor_id: actor } : {}),
    ...span(query.get('from'), query.get('to'), record !== null),
  }
}

/** Whether the time that is asked for ends before it begins. */
export function isBackwards(query: URLSearchParams): boolean {
  const [from, to] = [query.get('from'), query.get('to')]
  return Boolean(from && to && to < from)
}

/** The day so many days ago, in the reader's zone, as a field for a date has it. */
export function dayBefore(days: number, now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

function span(from: string | null, to: string | null, isOneRecord: boolean): { from?: string; to?: string } {
  const begin = from ? startOf(from) : undefined
  const end = to ? new Date(startOf(to).getTime() + dayMs) : undefined
  const most = (mostDays - 1) * dayMs
  const first = begin ?? (end && !isOneRecord ? new Date(end.getTime() - most) : undefined)
  const last = end ?? (begin && !isOneRecord ? new Date(Math.min(begin.getTime() + most, Date.now())) : undefined)
  return { ...(first ? { from: first.toISOString() } : {}), ...(last ? { to: last.toISOString() } : {}) }
}
