import { absent, atMost, type Change, type Condition, either, every, exists, is } from './expressions.ts'
import { type Catalogue, cataloguePlace, catalogue as inCatalogue } from './places.ts'
import { type Action, all, type Item, type Key, type Refusal, type Store } from './store.ts'

/** How the records of one kind lie in the table. */
type Definition<T extends object, Id extends readonly string[]> = {
  key: (...id: Id) => Key
  /** What the key is made of. */
  idOf: (record: T) => Id
  /** Places in lists, expiry, and what the indexes carry along. */
  places?: (record: T) => Readonly<Record<string, unknown>>
  /** The list of all records of this kind. It holds the records themselves, so that lists need no other read. */
  catalogue?: Catalogue
  /** Tells a record from what is stored in place of a deleted one. */
  isRecord?: (data: object) => boolean
  /** The record counts its changes in `version`, which then tells whether it is still as it was read. */
  versioned?: T extends { version: number } ? true : never
}

type Reader = Pick<Store, 'get'>
type LaggingReader = Pick<Store, 'getSoon'>

/** A kind of records: their typed reads, and the actions that write them. The record itself is the item's `data`. */
export type Records<T extends object, Id extends readonly string[]> = {
  key: (...id: Id) => Key
  /** The whole item of a record. */
  item: (record: T) => Item
  /** The record that an item holds; undefined for none. */
  of: (item: Item | undefined) => T | undefined
  /** The record as it is now. */
  read: (store: Reader, ...id: Id) => Promise<T | undefined>
  /** The record as it was a moment ago, at half the price: for texts in answers. */
  readSoon: (store: LaggingReader, ...id: Id) => Promise<T | undefined>
  /** All records of a kind that has a catalogue, as they were a moment ago. */
  readAll: (store: Pick<Store, 'query'>) => Promise<T[]>
  /** Writes a record that must not exist yet. Without `taken`, one that does means that what was read is stale. */
  create: (record: T, taken?: Refusal) => Action
  /** Writes a record that is still as it was read, undefined where there was none; else what was read is stale. */
  replace: (before: T | undefined, after: T) => Action
  /** Deletes a record that is still as it was read; else what was read is stale. */
  remove: (record: T) => Action
  /** Writes nothing, but needs the record to be as it was read. */
  unchanged: (record: T) => Action
  /** Writes nothing, but needs the record to have these fields. */
  require: (id: Id, fields: Partial<T>, otherwise?: Refusal) => Action
  /** Writes some fields, and places of the item, of a record that exists; `expected` are fields as they must be before. */
  amend: (id: Id, fields: Partial<T>, also?: Amendment<T>) => Action
}

type Amendment<T> = { expected?: Partial<T>; places?: Readonly<Record<string, unknown>>; otherwise?: Refusal }

/** Defines a kind of records. */
export function defineRecord<T extends object, const Id extends readonly string[] = readonly [string]>({
  key,
  idOf,
  places = () => ({}),
  catalogue,
  isRecord = () => true,
  versioned,
}: Definition<T, Id>): Records<T, Id> {
  const of = (item: Item | undefined): T | undefined => {
    const data = item?.data as T | undefined
    return data && isRecord(data) ? data : undefined
  }
  const listed = (record: T) =>
    catalogue ? { ...cataloguePlace(catalogue, idOf(record)[0] ?? ''), hint: JSON.stringify(record) } : {}
  const item = (record: T): Item => ({
    ...key(...idOf(record)),
    ...listed(record),
    ...places(record),
    data: record,
  })
  const isAsRead = (record: T): Condition =>
    versioned ? is({ 'data/version': (record as { version?: number }).version }) : is({ data: record })
  return {
    key,
    item,
    of,
    read: async (store, ...id) => of(await store.get(key(...id))),
    readSoon: async (store, ...id) => of(await store.getSoon(key(...id))),
    readAll: async (store) => {
      const items = catalogue ? await all(store, inCatalogue(catalogue)) : []
      return items.map(({ hint }) => JSON.parse(String(hint)) as T)
    },
    create: (record, taken) => ({ put: item(record), if: absent, ...(taken ? { otherwise: taken } : {}) }),
    replace: (before, after) => ({ put: item(after), if: before === undefined ? absent : isAsRead(before) }),
    remove: (record) => ({ delete: key(...idOf(record)), if: isAsRead(record) }),
    unchanged: (record) => ({ check: key(...idOf(record)), if: isAsRead(record) }),
    require: (id, fields, otherwise) => ({
      check: key(...id),
      if: is(inData(fields)),
      ...(otherwise ? { otherwise } : {}),
    }),
    amend: (id, fields, { expected = {}, places: moved = {}, otherwise } = {}) => ({
      update: key(...id),
      set: { ...inData(fields), ...moved } satisfies Change['set'],
      if: Object.keys(expected).length > 0 ? every(is(inData(expected))) : exists,
      ...(otherwise ? { otherwise } : {}),
    }),
  }
}

const inData = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`data/${name}`, value]))

/** A kind of items without a record of their own, such as rows of a list: their attributes lie beside the key. */
export type Rows<T extends object> = {
  item: (key: Key, row: T) => Item
  of: (item: Item) => Item & T
}

/** Defines what items of one kind hold beside their key. */
export const defineRow = <T extends object>(): Rows<T> => ({
  item: (key, row) => ({ ...key, ...row }),
  of: (item) => item as Item & T,
})

/**
 * Names that only one record may have. For each there is an item that says which record holds it (`owner`), and for
 * records that are about to be deleted, until when (`expires_at`): from that moment on the name is free, although the item
 * may still be there.
 */
export type Reservation = Item & { owner: string; expires_at?: string }

/** Takes a name that is free, expired by `now`, or the owner's already. */
export const takeName = (put: Reservation, taken: Refusal, now?: string): Action => ({
  put,
  if: either(absent, is({ owner: put.owner }), ...(now === undefined ? [] : [atMost('expires_at', now)])),
  otherwise: taken,
})

/** Writes the reservation of a name that the record holds already; stale if another one has it by now. */
export const keepName = (put: Reservation): Action => ({ put, if: either(absent, is({ owner: put.owner })) })

/** Gives a name up; stale if another record has it by now. */
export const giveUpName = ({ pk, sk }: Key, owner: string): Action => ({
  delete: { pk, sk },
  if: either(absent, is({ owner })),
})

type Named = { id: string; external_id: string | null }

/** The external ids of a kind of records, each of which one record has at most. */
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
