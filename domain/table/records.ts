import { type EventDefinition, eventOfChange, lastEventOf, lastIn, withLastEvent } from './events.ts'
import { absent, atMost, type Condition, either, exists, is } from './expressions.ts'
import type { DeclaredFields } from './fields.ts'
import { type Catalogue, cataloguePlace } from './keys.ts'
import type { Action, EventDraft, Item, Key, Refusal, Store } from './store.ts'

/** How the records of one kind are stored. */
type Definition<T extends object, Id extends readonly string[]> = {
  key: (...id: Id) => Key
  /** The declared fields: see fields.ts. */
  fields?: DeclaredFields
  /** The ids of which the key is made. */
  idOf: (record: T) => Id
  /** Places in lists, expiry, and the attributes that the indexes project. */
  places?: (record: T) => Readonly<Record<string, unknown>>
  /** The list of all records of this kind. Its rows hold the records, so a list needs no other read. */
  catalogue?: Catalogue
  /** False for the mark that is stored in place of a deleted record. */
  isRecord?: (data: object) => boolean
  /** The record counts its changes in `version`: an equal version proves that it is still as it was read. */
  versioned?: T extends { version: number } ? true : never
  /** Every change of such a record writes an event in the same transaction. */
  events?: EventDefinition<T>
}

/** An action that writes a whole item. */
export type Write = Extract<Action, { put: Item }>

type Amendment<T> = { expected?: Partial<T>; places?: Readonly<Record<string, unknown>>; otherwise?: Refusal }

/** Defines a kind of records: their typed reads, and the actions that write them. The record itself is the item's `data`. */
export function defineRecord<T extends object, const Id extends readonly string[] = readonly [string]>({
  key,
  fields,
  idOf,
  // Stryker disable next-line ArrowFunction: spreading undefined is the same as spreading an empty object
  places = () => ({}),
  catalogue,
  isRecord = () => true,
  versioned,
  events: shownEvents,
}: Definition<T, Id>) {
  const complete = (data: object): T => (fields ? fields.complete(data) : data) as T
  const stored = <R extends T | undefined>(record: R): R => (fields && record ? fields.stored(record) : record) as R
  const events = shownEvents && {
    ...shownEvents,
    ...(fields && { hidden: fields.notInEvents }),
    ...(shownEvents.initial && { initial: stored(shownEvents.initial) }),
  }
  /** The record that an item holds; undefined for none. */
  const of = (item: Item | undefined): T | undefined => {
    if (!item?.data || !isRecord(item.data)) return undefined
    const data = complete(item.data)
    return events ? withLastEvent(data, item) : data
  }
  /** The event of a change, if this kind has events. `last`: the place of the last event at the key of a new record. */
  const eventFor = (before: T | undefined, after: T | undefined, last?: string): EventDraft | undefined =>
    events &&
    eventOfChange(events, { before: stored(before), after: stored(after), last: before ? lastEventOf(before) : last })
  const keyOf = (record: T): Key => key(...idOf(record))
  const listed = (record: T) =>
    // Stryker disable next-line StringLiteral: a record of a catalogue has an id
    catalogue ? { ...cataloguePlace(catalogue, idOf(record)[0] ?? ''), hint: JSON.stringify(stored(record)) } : {}
  /** The whole item of a record. */
  const item = (record: T): Item => ({ ...keyOf(record), ...listed(record), ...places(record), data: stored(record) })
  const isAsRead = (record: T): Condition =>
    versioned
      ? is({ 'data/version': (record as { version?: number }).version })
      : is({ data: stored(record), ...(events ? { event: lastEventOf(record) } : {}) })
  return {
    key,
    item,
    of,
    /** The record as it is now. */
    read: async (store: Pick<Store, 'get'>, ...id: Id) => of(await store.get(key(...id))),
    /** The record as it was a moment ago, at half the price: good enough for texts in answers. */
    readSoon: (store: Pick<Store, 'getSoon'>, ...id: Id) => store.getSoon(key(...id)).then(of),
    /** The kind's catalogue, if it has one. */
    catalogue,
    /** The record in a row of the catalogue. */
    ofRow: ({ hint }: Item): T => complete(JSON.parse(String(hint))),
    /** Writes a record that must not exist yet. Without `otherwise`, an existing one means that what was read is stale. */
    create: (record: T, otherwise?: Refusal): Action => ({
      put: item(record),
      if: absent,
      otherwise,
      event: eventFor(undefined, record),
    }),
    /** Writes a record that is still as it was read, undefined where there was none; else what was read is stale. */
    replace: (before: T | undefined, after: T): Write => ({
      put: { ...item(after), ...(events && before ? { event: lastEventOf(before) } : {}) },
      if: before ? isAsRead(before) : absent,
      event: eventFor(before, after),
    }),
    /** Deletes a record that is still as it was read; else what was read is stale. */
    remove: (record: T): Action => ({
      delete: keyOf(record),
      if: isAsRead(record),
      event: eventFor(record, undefined),
    }),
    /** Writes what is left of a record whose deletion is announced now, and is completed later without an event. */
    end: (before: T, after: T): Action => ({
      put: item(after),
      if: isAsRead(before),
      event: eventFor(before, undefined),
    }),
    /** Deletes without an event: another action of the transaction writes it. */
    removeWithoutEvent: (record: T): Action => ({ delete: keyOf(record), if: isAsRead(record) }),
    /** Puts a mark in place of a record that is still as it was read. */
    replaceByMark: (record: T, mark: object): Action => ({
      put: { ...keyOf(record), data: mark },
      if: isAsRead(record),
      event: eventFor(record, undefined),
    }),
    /** Writes a record that must not exist yet; `found` is the mark of a deleted record in its place, if there is one. */
    createOverMark: (found: Item | undefined, record: T): Write => ({
      put: item(record),
      if: found ? is({ data: found.data }) : absent,
      event: eventFor(undefined, record, lastIn(found)),
    }),
    /** Writes nothing, but needs the record to be as it was read. */
    requireUnchanged: (record: T): Action => ({ check: keyOf(record), if: isAsRead(record) }),
    /** Writes nothing, but needs the record to have these fields. */
    require: (id: Id, fields: Partial<T>, otherwise?: Refusal): Action => ({
      check: key(...id),
      if: is(inData(fields)),
      otherwise,
    }),
    /** Writes fields of a record that exists, and attributes of its item. It must still have the `expected` fields. */
    amend: (record: T, fields: Partial<T>, { expected, places: attributes, otherwise }: Amendment<T> = {}): Action => {
      const event = eventFor(record, { ...record, ...fields })
      const asRead = { ...inData(expected ?? {}), ...(event ? { event: lastEventOf(record) } : {}) }
      return {
        update: keyOf(record),
        set: { ...inData(fields), ...attributes },
        if: Object.keys(asRead).length > 0 ? is(asRead) : exists,
        otherwise,
        event,
      }
    },
  }
}

const inData = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`data/${name}`, value]))

/**
 * Defines the attributes of items that hold no record: rows of a list, for example.
 */
export const defineRow = <T extends object>() => ({
  item: (key: Key, row: T): Item => ({ ...key, ...row }),
  of: (item: Item): Item & T => item as Item & T,
})

/**
 * The item that reserves a name for one record, its `owner`. If the record is to be deleted, the name is free from
 * `expires_at` on, even while the item still exists.
 */
export type Reservation = Item & { owner: string; expires_at?: string }

/** Takes a name that is free, expired by `now`, or the owner's already. */
export const takeName = (put: Reservation, taken: Refusal, now?: string): Action => ({
  put,
  if: either(absent, is({ owner: put.owner }), ...(now === undefined ? [] : [atMost('expires_at', now)])),
  otherwise: taken,
})

/** Writes the reservation of a name that the record has already; stale if another record has it by now. */
export const keepName = (put: Reservation): Action => ({ put, if: either(absent, is({ owner: put.owner })) })

/** Gives a name up; stale if another record has it by now. */
export const giveUpName = ({ pk, sk }: Key, owner: string): Action => ({
  delete: { pk, sk },
  if: either(absent, is({ owner })),
})

type Named = { id: string; external_id: string | null }

/** The external ids of a kind of records. Two records never have the same one. */
export function externalIds<T extends Named>(keyOf: (externalId: string, record: T) => Key) {
  const keyIn = (record: T): Key[] => (record.external_id === null ? [] : [keyOf(record.external_id, record)])
  const take = (record: T): Action[] =>
    keyIn(record).map((key) =>
      takeName({ ...key, owner: record.id }, { code: 'DUPLICATE_EXTERNAL_ID', property: 'external_id' }),
    )
  const giveUp = (record: T): Action[] => keyIn(record).map((key) => giveUpName(key, record.id))
  return {
    /** Takes a record's external id, if it has one. */
    take,
    /** Gives it up. */
    giveUp,
    /** Takes another one and gives up the one before; nothing where it stays. */
    change: (before: T | undefined, after: T): Action[] =>
      before?.external_id === after.external_id ? [] : [...take(after), ...(before ? giveUp(before) : [])],
  }
}
