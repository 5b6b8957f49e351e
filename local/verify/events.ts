import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '../../domain/base/text.ts'
import { planFields } from '../../domain/plans/plan.ts'
import type { FieldChange, Item } from '../../domain/table/store.ts'
import type { Expect } from './findings.ts'
import { containersOf, type EventItem, keyOfRecord } from './recordKeys.ts'
import type { Copy } from './tableCopy.ts'

/** Checks the events of each record: replayed from the first to the last, they give the stored record. */
export function auditEvents(copy: Copy, expect: Expect): void {
  for (const record of copy.recordsWithEvents()) {
    const key = keyOfRecord(record)
    const events = copy.eventsAbout(record) as EventItem[]
    const [stored, last] = [copy.at(key), copy.lastEventOf(key)]
    auditRecord(events, stored, last, expect)
    // A record without a last event was not written by the service, so no chain leads to it.
    if (last !== undefined || stored === undefined) auditEnds(copy, events, last, expect)
  }
  expect([...copy.recordsWithoutEvents()], 'records whose last event does not exist').toEqual([])
}

function auditRecord(
  events: readonly EventItem[],
  stored: Item | undefined,
  last: string | undefined,
  expect: Expect,
): void {
  const { kind, id } = events[0] as EventItem
  const name = `${kind} ${id}`
  const followed = events.map(({ previous }) => previous).filter((place) => place !== undefined)
  expect(followed.length, `events of ${name} that follow the same one`).toBe(new Set(followed).size)
  if (last === undefined) return
  const chain = chainUpTo(last, new Map(events.map((event) => [event.sk, event])))
  expect(chain.length > 0, `the last event of ${name}`).toBe(true)
  // If the chain begins with the creation, each field of the record is in one of its events.
  const isWhole = chain[0]?.type === `${kind}.created`
  const { values, breaks } = replayed(chain, isWhole)
  const data = fieldsOf(stored, kind, String(id))
  const different = [...values].filter(([field, value]) => data && !isSame(value, data[field] ?? null))
  const missing = Object.entries(isWhole ? (data ?? {}) : {}).filter(
    ([field, value]) => value !== null && !values.has(field) && !isWithoutEvent(kind, field),
  )
  expect(
    [...breaks, ...[...different, ...missing].map(([field]) => field)],
    `fields of ${name} that differ from its events`,
  ).toEqual([])
}

/**
 * An id can be used again after a deletion, and then begins a new chain. So every chain except that of the stored record ends
 * with a deletion: of the record, or of the group or task that contained it (then the record has no separate event).
 */
function auditEnds(copy: Copy, events: readonly EventItem[], last: string | undefined, expect: Expect): void {
  const followed = new Set(events.map(({ previous }) => previous))
  const ends = events.filter(({ sk }) => sk !== last && !followed.has(sk))
  const containers = groupsOfRule(events)
  const open = ends.filter((end) => !isEnding(end) && !hasEnded(copy, [...containersOf(end), ...containers]))
  const { kind, id } = events[0] as EventItem
  expect(
    open.map(({ sk }) => sk),
    `events of ${kind} ${id} that end a chain without a deletion`,
  ).toEqual([])
}

/** A plan is removed a month after its end, without an event. */
const isEnding = ({ type }: Pick<EventItem, 'type'>): boolean =>
  /\.(deleted|purged|recipients_removed)$/.test(type) || type.startsWith('plan.')

const hasEnded = (copy: Copy, records: readonly string[]): boolean =>
  records.some((record) => (copy.eventsAbout(record) as EventItem[]).some(isEnding))

/** The groups of all rules with this id, from the events of their creation: a rule is deleted with its group. */
const groupsOfRule = (events: readonly EventItem[]): string[] =>
  changesIn(events.filter(({ type }) => type === 'user_group_rule.created')).flatMap(([field, , group]) =>
    field === 'user_group_id' ? [`GROUP#${group} GROUP`] : [],
  )

const changesIn = (events: readonly EventItem[]): FieldChange[] =>
  events.flatMap(({ changes = '[]' }): FieldChange[] => JSON.parse(changes))

/** Fields that follow from the event itself, and internal fields. */
const withoutEvent: ReadonlySet<string> = new Set([
  ...['id', 'version', 'created_at', 'updated_at', 'updated_by'],
  ...[
    'previous_status',
    'earlier_status',
    'primary_was',
    'protected',
    'edition',
    'predefined',
    'has_rules',
    'deleted_at',
    'deleting',
  ],
  ...['secret', 'previous_secret', 'secrets', 'generation', 'mustSweep'],
])

const isWithoutEvent = (kind: string, field: string): boolean =>
  withoutEvent.has(field) || (kind === 'plan' && planFields.notInEvents.includes(field))

/** The events of the stored record, the oldest first. TTL removes old ones. */
function chainUpTo(last: string, bySortKey: ReadonlyMap<unknown, EventItem>): EventItem[] {
  const chain: EventItem[] = []
  for (let event = bySortKey.get(last); event; event = bySortKey.get(event.previous)) chain.unshift(event)
  return chain
}

/**
 * The values of fields after all events of a chain; `breaks` are fields that changed without an event. In a whole chain a field
 * that no event has named is empty.
 */
function replayed(chain: readonly EventItem[], isWhole: boolean): { values: Map<string, unknown>; breaks: string[] } {
  const values = new Map<string, unknown>()
  const breaks: string[] = []
  for (const [field, before, after] of changesIn(chain)) {
    if (field === 'recipients') continue
    const fits = values.has(field) ? isDeepStrictEqual(values.get(field), before) : !isWhole || isEmpty(before)
    if (!fits) breaks.push(field)
    values.set(field, after)
  }
  return { values, breaks }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0)

type Fields = Readonly<Record<string, unknown>>

/** The fields of a stored record that its events must fit; undefined if the events say nothing of it. */
function fieldsOf(stored: Item | undefined, kind: string, id: string): Fields | undefined {
  if (kind === 'user_group_assignment') {
    const [group_id, user_id, role_id] = id.split('~')
    // While an assignment is primary, its events are those of the user.
    const source = stored?.['source']
    return stored && source !== 'PRIMARY' ? { group_id, user_id, role_id, source } : undefined
  }
  const data = stored?.data as (Fields & { deleting?: boolean }) | undefined
  // Of a rule that is being deleted, the last event is that of its deletion.
  return data?.deleting === true ? undefined : data
}

type Cut = { cut: true; sha256: string }

/** Whether a value in an event is the stored one. A long value is cut in events, and compared by its hash. */
function isSame(inEvent: unknown, value: unknown): boolean {
  const { cut, sha256 } = (inEvent ?? {}) as Partial<Cut>
  if (cut !== true || isDeepStrictEqual(inEvent, value)) return isDeepStrictEqual(inEvent, value)
  return hash('sha256', canonicalJson(value)) === sha256
}
