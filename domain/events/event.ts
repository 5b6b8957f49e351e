import type { Context } from '../request/context.ts'
import type { StoredEvent } from '../table/events.ts'
import { eventsAmong, idOfEvent, timeOfPlace, userOfEvent } from '../table/keys.ts'
import { defineRow } from '../table/records.ts'
import { type FieldChange, type Item, keyIn, pages, type RecordRef, type Store } from '../table/store.ts'
import { isGone, users } from '../users/user.ts'

const rows = defineRow<StoredEvent>()

/** What a list of events is narrowed by. */
export type EventFilter = { record?: RecordRef | undefined; actor?: string | undefined; types?: string[] | undefined }

/** The events of rows, as far as a filter leaves them. Rows of an index have the keys alone. */
export async function loadEvents(context: Context, found: readonly Item[], filter: EventFilter): Promise<EventView[]> {
  const { store, now } = context
  const loaded = found.map(async (row) => {
    const id = userOfEvent(row)
    const [item, user] = await Promise.all([
      'type' in row ? row : store.getSoon(keyIn(row)),
      id === undefined ? undefined : users.readSoon(store, id),
    ])
    if (!item || !isWanted(rows.of(item), filter)) return []
    // From the deadline on, events show no values of a user.
    return [viewEvent(rows.of(item), id === undefined || (user !== undefined && !isGone(user, now)))]
  })
  return (await Promise.all(loaded)).flat()
}

const isWanted = ({ kind, id, actor, type }: StoredEvent, { record, actor: by, types }: EventFilter): boolean =>
  (!record || (record.kind === kind && record.id === id)) &&
  (by === undefined || by === actor) &&
  (!types || types.includes(type))

/** An event as it is answered. */
function viewEvent(stored: StoredEvent & Item, withValues: boolean) {
  const { sk: place, type, kind, id, actor, request, operation, previous, changes = '[]' } = stored
  const shown: FieldChange[] = withValues ? JSON.parse(changes) : []
  return {
    id: idOfEvent(place),
    time: timeOfPlace(place),
    type,
    actor: {
      id: actor,
      kind: actor === null ? ('SYSTEM' as const) : ('USER' as const),
      request_id: request,
      operation,
    },
    record: { kind, id },
    previous_id: previous === undefined ? null : idOfEvent(previous),
    changes: shown.map(([field, ...values]) => {
      const [before, after] = kind === 'task' && field === 'settings' ? values.map(unpacked) : values
      return { field, before, after }
    }),
  }
}

/** A task's settings are stored as JSON, and answered as what that says. */
const unpacked = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)
export type EventView = ReturnType<typeof viewEvent>

/** The record whose partition holds the events of a record: all events about a user are in the user's partition. */
export function partitionOf({ kind, id }: RecordRef): RecordRef {
  const user = userKinds[kind]?.(id)
  return user === undefined ? { kind, id } : { kind: 'user', id: user }
}

/** Where the ids of these kinds have the user's. */
const userKinds: Readonly<Record<string, (id: string) => string | undefined>> = {
  user_group_assignment: (id) => id.split('~')[1],
  channel_assignment: (id) => id.split('~')[1],
  task_assignment: (id) => id.split('~')[1],
}

/**
 * Removes what the events about a user say of them: who did what, and when, stays. Answers the place of the last event of the
 * user's own record.
 */
export async function forgetValues(store: Pick<Store, 'query' | 'bulk'>, id: string): Promise<string | undefined> {
  let last: string | undefined
  // Consistent: what a call has written a moment ago, just before the deadline, must not stay.
  const range = { ...eventsAmong({ kind: 'user', id }), consistent: true }
  for await (const { items } of pages(store, range)) {
    last = items.findLast((item) => rows.of(item).kind === 'user')?.sk ?? last
    const telling = items.filter((item) => rows.of(item).changes !== undefined)
    await store.bulk(telling.map(({ changes: _values, ...put }) => ({ put })))
  }
  return last
}
