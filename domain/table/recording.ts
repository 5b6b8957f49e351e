import { hash } from 'node:crypto'
import { canonicalJson, cut, DAY_MS, momentAfter } from '../base/text.ts'
import { CAUSE } from './actions.ts'
import { absent } from './expressions.ts'
import { keyIn } from './items.ts'
import { eventIndexKeys, eventKey, eventSortKey, isWork, joinedId, timeOfSortKey, ttlOf } from './keys.ts'
import { announce, type rememberWebhookEnabled } from './outbox.ts'
import type { Action, Announced, Cause, ChangeEvent, Item, RecordRef, Store } from './store.ts'
import { requireRoom } from './transactions.ts'

// What functions need that change records: each change of a record writes an event in the same transaction.

/** An event as it is stored. `changes` is JSON, and missing once its user is removed for good. */
export type StoredEvent = Cause & RecordRef & { type: string; previous?: string; changes?: string; ttl: number }

/** What a transaction with events needs besides its cause. */
export type Recorder = {
  newId: () => string
  /** The time of events, and for how many days they are kept. */
  clock: () => Date
  keptDays?: number | undefined
  /** Whether a webhook may want events: asked before each write that has some. */
  isWebhookEnabled: ReturnType<typeof rememberWebhookEnabled>
}

/** How many days events are kept by default. */
const DEFAULT_DAYS = 400

/** A store whose writes have a cause, and an event for each change of a record. */
export const recording = <S extends Store>(
  store: S,
  cause: Cause,
  { newId, clock, keptDays = DEFAULT_DAYS, isWebhookEnabled: asks }: Recorder,
): S => ({
  ...store,
  write: async (actions, purpose) => {
    requireRoom(actions)
    const isWebhookEnabled = actions.some(({ event }) => event) && (await asks(store))
    return store.write(withEvents(actions, { cause, now: clock(), newId, keptDays, isWebhookEnabled }), purpose)
  },
})

/** What one transaction needs. `isWebhookEnabled`: then its events are put into the outbox, too. */
type Recording = { cause: Cause; now: Date; newId: () => string; keptDays: number; isWebhookEnabled?: boolean }

/**
 * The actions, and an event for each change. Each changed item keeps the sort key of its last event. Entries of work keep the
 * cause, as their later changes have events, too. If a webhook is enabled, an entry of the outbox names the events.
 */
export function withEvents(actions: readonly Action[], recorder: Recording): Action[] {
  const events: Action[] = []
  const announced: Announced[] = []
  const plain = actions.map((action): Action => {
    const { event, ...caused } = withCause(action, recorder.cause)
    if (!event) return caused
    const sortKey = eventSortKey(timeAfter(event.last, recorder.now), recorder.newId())
    const item = eventItem(event, sortKey, recorder)
    events.push({ put: item, if: absent })
    announced.push(announcedIn(event, item))
    if ('put' in caused) return { ...caused, put: { ...caused.put, event: sortKey } }
    return 'update' in caused ? { ...caused, set: { ...caused.set, event: sortKey } } : caused
  })
  return [...plain, ...events, ...(recorder.isWebhookEnabled ? announce(announced, recorder.newId()) : [])]
}

const announcedIn = ({ type, record: { kind, id }, last }: ChangeEvent, item: Item): Announced => ({
  key: keyIn(item),
  type,
  record: joinedId(kind, id),
  ...(last === undefined ? {} : { previous: last }),
})

/** Clocks differ: an event is never before the last one of its record. */
function timeAfter(last: string | undefined, now: Date): string {
  const earliest = last === undefined ? 0 : Date.parse(timeOfSortKey(last)) + 1
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
  { type, record, among, changes, last, cause: own }: ChangeEvent,
  sortKey: string,
  { cause: ofWrite, keptDays }: Recording,
): Item {
  const until = momentAfter(timeOfSortKey(sortKey), keptDays * DAY_MS)
  const cause = own ?? ofWrite
  const stored: StoredEvent = {
    ...cause,
    ...record,
    type,
    ...(last === undefined ? {} : { previous: last }),
    changes: JSON.stringify(changes.map(([field, before, after]) => [field, cutValue(before), cutValue(after)])),
    ttl: ttlOf(until),
  }
  return { ...eventKey(among ?? record, sortKey), ...eventIndexKeys(sortKey, cause.actor), ...stored }
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
