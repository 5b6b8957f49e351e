import { isDeepStrictEqual } from 'node:util'
import type { EventDefinition } from './events.ts'
import type { DeclaredFields } from './fields.ts'
import type { Catalogue } from './keys.ts'
import type { Item, Key, Store } from './store.ts'

// Kinds of records, and how they are read. changes.ts writes them.

/** How the records of one kind are stored. */
export type Definition<T extends object, Id extends readonly string[]> = {
  key: (...id: Id) => Key
  /** The declared fields: see fields.ts. */
  fields?: DeclaredFields
  /** The ids of which the key is made. */
  idOf: (record: T) => Id
  /** Other attributes of the item: keys of indexes, what the indexes project, expiry. */
  indexAttributes?: (record: T) => Readonly<Record<string, unknown>>
  /** The list of all records of this kind. Its rows hold the records, so a list needs no other read. */
  catalogue?: Catalogue
  /** False for the tombstone in place of a deleted record. */
  isRecord?: (data: object) => boolean
  /** The record counts its changes in `version`: an equal version proves that it is still as it was read. */
  versioned?: T extends { version: number } ? true : never
  /** Every change of such a record writes an event in the same transaction. */
  events?: EventDefinition<T>
}

/** Defines a kind of records: their typed reads. The record itself is the item's `data`. */
export function defineRecord<T extends object, const Id extends readonly string[] = readonly [string]>(
  definition: Definition<T, Id>,
) {
  const { key, fields, catalogue, isRecord = () => true, events } = definition
  const complete = (copy: object): T => (fields ? fields.complete(copy) : copy) as T
  /** The record that an item holds; undefined for none. */
  const of = (item: Item | undefined): T | undefined => {
    if (!item?.data || !isRecord(item.data)) return undefined
    return complete(events ? withLastEvent(item.data, item) : { ...item.data })
  }
  return {
    definition,
    key,
    of,
    /** The record as it is now. */
    read: async (store: Pick<Store, 'get'>, ...id: Id) => of(await store.get(key(...id))),
    /** The record as it was a moment ago, at half the price: good enough for texts in answers. */
    readEventual: (store: Pick<Store, 'getEventual'>, ...id: Id) => store.getEventual(key(...id)).then(of),
    /** The kind's catalogue, if it has one. */
    catalogue,
    /** The record in a row of the catalogue. */
    ofRow: ({ hint }: Item): T => complete(JSON.parse(String(hint))),
  }
}

// The last event of a record.

/**
 * A record that was read has the sort key of its last event under this symbol, null if it has none: the next event names it.
 * `{ ...record }` copies it, but it is no field: it is not stored with the record, not answered, and not part of its ETag.
 */
export const lastEvent = Symbol('last event')
type WithLastEvent<T> = T & { readonly [lastEvent]: string | null }

/** The record of an item, with its last event. */
const withLastEvent = <T extends object>(data: T, item: Item): WithLastEvent<T> => ({
  ...data,
  [lastEvent]: lastIn(item) ?? null,
})

/** The sort key of the last event of what an item holds. */
export const lastIn = (item: Item | undefined): string | undefined =>
  typeof item?.['event'] === 'string' ? item['event'] : undefined

/** The sort key of a record's last event. Throws if the record was not read: its chain of events would break. */
export function lastEventOf(record: object): string | undefined {
  if (!(lastEvent in record)) throw new Error('A change of a record needs the record as it was read')
  return (record as WithLastEvent<object>)[lastEvent] ?? undefined
}

/** Whether two records have the same fields, whatever their last events are. */
export const isSameRecord = (one: object, other: object): boolean =>
  isDeepStrictEqual({ ...one, [lastEvent]: undefined }, { ...other, [lastEvent]: undefined })

/**
 * Defines the attributes of items that hold no record: rows of a list, for example.
 */
export const defineItem = <T extends object>() => ({
  item: (key: Key, row: T): Item => ({ ...key, ...row }),
  of: (item: Item): Item & T => item as Item & T,
})
