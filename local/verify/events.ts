import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '../../domain/base/text.ts'
import type { StoredEvent } from '../../domain/table/events.ts'
import type { FieldChange, Item } from '../../domain/table/store.ts'
import type { Expect } from './findings.ts'

type Event = StoredEvent & Item

/** Where the record of an event lies, by its kind and the parts of its id. */
const keyOf: Readonly<Record<string, (...ids: string[]) => string>> = {
  user: (id) => `USER#${id} USER`,
  user_group: (id) => `GROUP#${id} GROUP`,
  user_group_assignment: (group, user, role) => `USER#${user} GA#${group}#${role}`,
  role: (id) => `ROLE#${id} ROLE`,
  attribute_definition: (id) => `ATTRIBUTE#${id} ATTRIBUTE`,
  channel: (id) => `CHANNEL#${id} CHANNEL`,
  channel_user_group: (channel, group) => `CHANNEL#${channel} G#${group}`,
  channel_assignment: (channel, user, role) => `USER#${user} CA#${channel}#${role}`,
  task: (id) => `TASK#${id} TASK`,
  task_assignment: (task, user) => `USER#${user} TA#${task}`,
  organisation_settings: () => 'ORGANISATION ORGANISATION',
  calendar_settings: () => 'CALENDAR SETTINGS',
}

/**
 * Follows the events of each record: they are one chain, and what they say one after the other is what is stored. Answers the
 * items without what events add to them.
 */
export function auditEvents(all: readonly Item[], expect: Expect): Item[] {
  const isEvent = ({ pk }: Item): boolean => pk.startsWith('EVENTS#')
  const others = all.filter((item) => !isEvent(item))
  const byKey = new Map(others.map((item) => [`${item.pk} ${item.sk}`, item]))
  const chains = Map.groupBy(all.filter(isEvent) as Event[], ({ kind, id }) => `${kind} ${id}`)
  const told = new Set<string>()
  for (const [name, events] of chains) {
    const { kind, id } = events[0] as Event
    const key = keyOf[kind]?.(...id.split('~')) ?? name
    told.add(key)
    auditChain(name, events, byKey.get(key), expect)
  }
  const silent = others.filter(({ pk, sk, event }) => event !== undefined && !told.has(`${pk} ${sk}`))
  expect(silent, 'records whose last event does not exist').toEqual([])
  return others.map(({ event: _last, ...item }) => item as Item)
}

function auditChain(name: string, events: readonly Event[], stored: Item | undefined, expect: Expect): void {
  const followed = events.map(({ previous }) => previous).filter((place) => place !== undefined)
  expect(followed.length, `events of ${name} that follow the same one`).toBe(new Set(followed).size)
  if (stored?.event === undefined) return
  const life = lifeUpTo(stored.event, new Map(events.map((event) => [event.sk, event])))
  expect(life.length > 0, `the last event of ${name}`).toBe(true)
  const { values, breaks } = replayed(life)
  const data = stored.data as Readonly<Record<string, unknown>> | undefined
  const other = [...values].filter(([field, value]) => data && !isSame(value, data[field] ?? null))
  // A record whose creation is told has no field that no event tells.
  const isWhole = life[0]?.type === `${life[0]?.kind}.created`
  const silent = Object.entries(isWhole ? (data ?? {}) : {}).filter(
    ([field, value]) => value !== null && !values.has(field) && !untold.has(field),
  )
  expect(
    [...breaks, ...[...other, ...silent].map(([field]) => field)],
    `what is not as the events of ${name} tell it`,
  ).toEqual([])
}

/** Fields that follow from the event itself, or that only the service uses. */
const untold: ReadonlySet<string> = new Set([
  ...['id', 'version', 'created_at', 'updated_at', 'updated_by'],
  ...['previous_status', 'primary_was', 'protected', 'edition', 'predefined', 'deleted_at'],
])

/** The events of a record as it is now, the first one first; an earlier record of the id has others. TTL removes the oldest. */
function lifeUpTo(last: unknown, byPlace: ReadonlyMap<unknown, Event>): Event[] {
  const life: Event[] = []
  for (let event = byPlace.get(last); event; event = byPlace.get(event.previous)) life.unshift(event)
  return life
}

/** What the events of a life tell, one after the other; `breaks` are fields that changed without an event. */
function replayed(life: readonly Event[]): { values: Map<string, unknown>; breaks: string[] } {
  const values = new Map<string, unknown>()
  const breaks: string[] = []
  for (const [field, before, after] of life.flatMap(({ changes = '[]' }): FieldChange[] => JSON.parse(changes))) {
    if (field === 'recipients') continue
    if (values.has(field) && !isDeepStrictEqual(values.get(field), before)) breaks.push(field)
    values.set(field, after)
  }
  return { values, breaks }
}

type Cut = { cut: true; sha256: string }

/** A value that was cut is known by its hash. */
function isSame(told: unknown, value: unknown): boolean {
  const { cut, sha256 } = (told ?? {}) as Partial<Cut>
  if (cut !== true || isDeepStrictEqual(told, value)) return isDeepStrictEqual(told, value)
  return hash('sha256', canonicalJson(value)) === sha256
}
