import { withSortedKeys } from '../base/text.ts'
import { type UserRecord, users } from '../people/records/user.ts'
import { isGone } from '../people/records/userFields.ts'
import { actorOf } from '../request/actor.ts'
import type { Context } from '../request/context.ts'
import { keyIn } from '../table/items.ts'
import { eventsAmong, idOfEvent, joinedId, timeOfSortKey, userOfEvent } from '../table/keys.ts'
import { pagesOf } from '../table/reader.ts'
import type { StoredEvent } from '../table/recording.ts'
import { defineItem } from '../table/records.ts'
import type { Announced, FieldChange, Item, Key, RecordRef, Store, WorkStore } from '../table/store.ts'

const rows = defineItem<StoredEvent>()

/** The filters of a list of events. */
export type EventFilter = { record?: RecordRef | undefined; actor?: string | undefined; types?: string[] | undefined }

/** The events of rows that pass a filter. Rows of an index have only keys, so their events are read. */
export async function loadEvents(context: Context, found: readonly Item[], filter: EventFilter): Promise<EventView[]> {
  const { store, now } = context
  const loaded = found.map(async (row) => {
    const id = userOfEvent(row)
    const [item, user] = await Promise.all([
      'type' in row ? row : store.getEventual(keyIn(row)),
      id === undefined ? undefined : users.readEventual(store, id),
    ])
    if (!item || !isWanted(rows.of(item), filter)) return []
    return [viewEvent(rows.of(item), mayShowValues(id, user, now))]
  })
  return (await Promise.all(loaded)).flat()
}

/** From the deadline on, events show no values of a user. */
const mayShowValues = (id: string | undefined, user: UserRecord | undefined, now: string): boolean =>
  id === undefined || (user !== undefined && !isGone(user, now))

/** An event as it is answered, read consistently; undefined if it is no longer kept. */
export async function readEvent(store: Pick<Store, 'get'>, key: Key, now: string): Promise<EventView | undefined> {
  const id = userOfEvent(key)
  const [item, user] = await Promise.all([store.get(key), id === undefined ? undefined : users.read(store, id)])
  return item && viewEvent(rows.of(item), mayShowValues(id, user, now))
}

const isWanted = ({ kind, id, actor, type }: StoredEvent, { record, actor: by, types }: EventFilter): boolean =>
  (!record || (record.kind === kind && record.id === id)) &&
  (by === undefined || (actor !== null && actorOf(actor).id === by)) &&
  (!types || types.includes(type))

/** A stored event as the outbox names it. */
export function announcedOf(item: Item): Announced {
  const { type, kind, id, previous } = rows.of(item)
  const named = { key: keyIn(item), type, record: joinedId(kind, id) }
  return previous === undefined ? named : { ...named, previous }
}

/** An event as it is answered. */
function viewEvent(stored: StoredEvent & Item, withValues: boolean) {
  const { sk: sortKey, type, kind, id, actor, request, operation, previous, changes = '[]' } = stored
  const shown: FieldChange[] = withValues ? JSON.parse(changes) : []
  return {
    id: idOfEvent(sortKey),
    time: timeOfSortKey(sortKey),
    type,
    actor: {
      ...(actor === null ? { id: null, kind: 'SYSTEM' as const } : actorOf(actor)),
      request_id: request,
      operation,
    },
    record: { kind, id },
    previous_id: previous === undefined ? null : idOfEvent(previous),
    changes: shown.map(([field, ...values]) => {
      const [before, after] = values.map((value) => withSortedKeys(shownValue(kind, field, value)))
      return { field, before, after }
    }),
  }
}

/**
 * A value as it is answered. The settings of a task are stored as JSON. What the body of a task says, and the path and query of a
 * webhook's URL, which may be a secret, are in no event: events go to other receivers, too.
 */
function shownValue(kind: string, field: string, value: unknown): unknown {
  if (kind === 'task' && field === 'settings') return typeof value === 'string' ? JSON.parse(value) : value
  if (kind === 'task' && field === 'body') return null
  if (kind === 'webhook' && field === 'url') return URL.canParse(String(value)) ? new URL(String(value)).origin : null
  return value
}
export type EventView = ReturnType<typeof viewEvent>

/** The record whose partition holds the events of a record: all events about a user are in the user's partition. */
export function partitionOf({ kind, id }: RecordRef): RecordRef {
  const user = userKinds[kind]?.(id)
  return user === undefined ? { kind, id } : { kind: 'user', id: user }
}

/** For each kind of record whose id contains the id of its user: how to read that. */
const userKinds: Readonly<Record<string, (id: string) => string | undefined>> = {
  user_group_assignment: (id) => id.split('~')[1],
  channel_assignment: (id) => id.split('~')[1],
  task_assignment: (id) => id.split('~')[1],
}

/**
 * Removes the values from the events about a user; who did what, and when, stays. Returns the sort key of the last event
 * of the user's record.
 */
export async function forgetValues(store: Pick<WorkStore, 'query' | 'bulk'>, id: string): Promise<string | undefined> {
  let last: string | undefined
  // Consistent, as events that were written a moment ago, just before the deadline, must be included.
  const range = { ...eventsAmong({ kind: 'user', id }), consistent: true }
  for await (const { items } of pagesOf(store, range)) {
    last = items.findLast((item) => rows.of(item).kind === 'user')?.sk ?? last
    const withValues = items.filter((item) => rows.of(item).changes !== undefined)
    await store.bulk(withValues.map(({ changes: _values, ...put }) => ({ put })))
  }
  return last
}
