import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { RecordKind } from '../../schemas/events.ts'
import { canonicalJson, cut, DAY_MS, momentAfter } from '../base/text.ts'
import { absent } from './expressions.ts'
import { eventKey, eventPlace, eventPlaces, isWork, joinedId, timeOfPlace, ttlOf } from './keys.ts'
import { announce } from './outbox.ts'
import {
  type Action,
  type Announced,
  CAUSE,
  type Cause,
  type EventDraft,
  type FieldChange,
  type Item,
  keyIn,
  type RecordRef,
} from './store.ts'

/** An event as it is stored. `changes` is JSON, and missing once its user is removed for good. */
export type StoredEvent = Cause & RecordRef & { type: string; previous?: string; changes?: string; ttl: number }

/**
 * A record that was read has the place of its last event under this symbol, null if it has none: the next event names it.
 * `{ ...record }` copies it, but it is no field: it is not stored with the record, not answered, and not part of its ETag.
 */
export const lastEvent = Symbol('last event')
export type Read<T> = T & { readonly [lastEvent]: string | null }

/** The record of an item, with its last event. */
export const withLastEvent = <T extends object>(data: T, item: Item): Read<T> => ({
  ...data,
  [lastEvent]: lastIn(item) ?? null,
})

/** The place of the last event of what an item holds. */
export const lastIn = (item: Item | undefined): string | undefined =>
  typeof item?.['event'] === 'string' ? item['event'] : undefined

/** The place of a record's last event. Throws if the record was not read: its chain of events would break. */
export function lastEventOf(record: object): string | undefined {
  if (!(lastEvent in record)) throw new Error('A change of a record needs the record as it was read')
  return (record as Read<object>)[lastEvent] ?? undefined
}

/** Whether two records have the same fields, whatever their last events are. */
export const isSameRecord = (one: object, other: object): boolean =>
  isDeepStrictEqual({ ...one, [lastEvent]: undefined }, { ...other, [lastEvent]: undefined })

/** Fields that no event shows: the event itself has the same information. */
const implied: ReadonlySet<string> = new Set(['id', 'version', 'created_at', 'updated_at'])

type Change = {
  record: RecordRef
  among?: RecordRef | undefined
  last?: string | undefined
  verb?: string | undefined
  hidden?: readonly string[] | undefined
}

/** The event of a change of a record; undefined if no field that events show has changed. */
export function eventOf<T extends object>(
  { record, among, last, verb, hidden }: Change,
  before: Partial<T> | undefined,
  after: Partial<T> | undefined,
): EventDraft | undefined {
  const names = Object.keys({ ...before, ...after }).filter((name) => !implied.has(name) && !hidden?.includes(name))
  const changes = names
    .sort()
    .map((name): FieldChange => [name, fieldOf(before, name), fieldOf(after, name)])
    .filter(([, old, now]) => !isDeepStrictEqual(old, now))
  if (before && after && changes.length === 0) return undefined
  const participle = verb ?? (before ? (after ? 'updated' : 'deleted') : 'created')
  return { type: `${record.kind}.${participle}`, record, ...(among ? { among } : {}), changes, last }
}

const fieldOf = (record: object | undefined, name: string): unknown =>
  (record as Readonly<Record<string, unknown>> | undefined)?.[name] ?? null

/** What events show of a kind of records. */
export type EventDefinition<T> = {
  kind: RecordKind
  /** The id of a record that has no field `id`. */
  id?: (record: T) => string
  /** The record among whose events these are listed. */
  among?: (record: T) => RecordRef
  /** What was done, if there is a better word than "updated". */
  verb?: (before: T, after: T) => string | undefined
  /** Fields that events do not show: only the service uses them. */
  hidden?: readonly string[]
  /** The record before its first write. */
  initial?: T
}

/** The event of a change of a record, by the definition of its kind. */
export function eventOfChange<T extends object>(
  { kind, id, among, verb, hidden, initial }: EventDefinition<T>,
  { before = initial, after, last }: { before: T | undefined; after: T | undefined; last: string | undefined },
): EventDraft | undefined {
  const record = (after ?? before) as T
  const named = { kind, id: id ? id(record) : String((record as { id?: string }).id) }
  const done = before && after ? verb?.(before, after) : undefined
  return eventOf({ record: named, among: among?.(record), last, verb: done, hidden }, before, after)
}

/** What writing events needs. `isWebhookEnabled`: then they are put into the outbox, too. */
type Recorder = { cause: Cause; now: Date; newId: () => string; keptDays: number; isWebhookEnabled?: boolean }

/**
 * The actions, and an event for each change. Each changed item keeps the place of its last event. Entries of work keep the
 * cause, as their later changes have events, too. If the events are heard, an entry of the outbox names them.
 */
export function withEvents(actions: readonly Action[], recorder: Recorder): Action[] {
  const events: Action[] = []
  const announced: Announced[] = []
  const plain = actions.map((action): Action => {
    const { event, ...signed } = withCause(action, recorder.cause)
    if (!event) return signed
    const place = eventPlace(timeAfter(event.last, recorder.now), recorder.newId())
    const item = eventItem(event, place, recorder)
    events.push({ put: item, if: absent })
    announced.push(announcedIn(event, item))
    if ('put' in signed) return { ...signed, put: { ...signed.put, event: place } }
    return 'update' in signed ? { ...signed, set: { ...signed.set, event: place } } : signed
  })
  return [...plain, ...events, ...(recorder.isWebhookEnabled ? announce(announced, recorder.newId()) : [])]
}

const announcedIn = ({ type, record: { kind, id }, last }: EventDraft, item: Item): Announced => ({
  key: keyIn(item),
  type,
  record: joinedId(kind, id),
  ...(last === undefined ? {} : { previous: last }),
})

/** Clocks differ: an event is never before the last one of its record. */
function timeAfter(last: string | undefined, now: Date): string {
  const earliest = last === undefined ? 0 : Date.parse(timeOfPlace(last)) + 1
  return new Date(Math.max(earliest, now.getTime())).toISOString()
}

/** Adds the cause to entries of work that are new or noted again: only those write their kind. */
function withCause(action: Action, cause: Cause): Action {
  if ('put' in action && isWork(action.put)) return { ...action, put: { cause, ...action.put } }
  if (!('update' in action && isWork(action.update) && action.set?.['kind'])) return action
  const set = Object.entries(action.set).map(([name, value]) => [name, value === CAUSE ? cause : value])
  return { ...action, set: { ...Object.fromEntries(set), cause } }
}

function eventItem(
  { type, record, among, changes, last, cause: own }: EventDraft,
  place: string,
  { cause: ofWrite, keptDays }: Recorder,
): Item {
  const until = momentAfter(timeOfPlace(place), keptDays * DAY_MS)
  const cause = own ?? ofWrite
  const stored: StoredEvent = {
    ...cause,
    ...record,
    type,
    ...(last === undefined ? {} : { previous: last }),
    changes: JSON.stringify(changes.map(([field, before, after]) => [field, cutValue(before), cutValue(after)])),
    ttl: ttlOf(until),
  }
  return { ...eventKey(among ?? record, place), ...eventPlaces(place, cause.actor), ...stored }
}

/** The most characters of a value, as JSON; an item of 400 KB must hold all values before and after. */
const LONGEST = 10_000
/** The same for lists of ids: 1,000 recipients of a task, each with an id of 64 characters. */
const LONGEST_LIST = 70_000
/** How many bytes are kept of a longer one. */
const BEGINNING = 1_000

/** A value that is too long is cut: its beginning, and the SHA-256 of the whole, both of its JSON. */
function cutValue(value: unknown): unknown {
  const text = canonicalJson(value)
  if (text.length <= (isList(value) ? LONGEST_LIST : LONGEST)) return value
  return { cut: true, beginning: cut(text, BEGINNING), sha256: hash('sha256', text) }
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')
