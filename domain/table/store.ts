import type { Action } from './actions.ts'
import { type Item, type Key, keyIn, type Range } from './items.ts'

export type { Action, ActionOptions, Cause, ChangeEvent, FieldChange, RecordRef, Refusal } from './actions.ts'
export type { Item, Key, Range } from './items.ts'

/** Rows, their number, and the keys of the last one if more may follow. */
export type Page = { items: Item[]; count: number; next?: Item }

/**
 * How much of its call a write carries out: by default all of it, as `part-of-call` some of it, and as `housekeeping` nothing, as it
 * prepares the call or finishes an earlier one. If the call fails later, `done` in its error depends on this.
 */
export type WritePurpose = 'part-of-call' | 'housekeeping'

/** The port to the table: all that the domain knows of DynamoDB. */
export type Store = {
  /** Strongly consistent read of one record; reads of one tick become one request. */
  get(key: Key): Promise<Item | undefined>
  /** The same at half the price: may lag a moment behind the last write. */
  getEventual(key: Key): Promise<Item | undefined>
  /** One page, up to 1 MB. */
  query(range: Range): Promise<Page>
  /** One transaction: all or nothing. Throws the refusal of the first condition that failed, or StaleRead. */
  write(actions: readonly Action[], purpose?: WritePurpose): Promise<void>
}

/** The store of functions that only read. */
export type Reads = Omit<Store, 'write'>

/** The store of functions without a caller. */
export type WorkStore = Store & {
  /** Puts and deletes without conditions, not atomic: only for items that no other call writes. */
  bulk(changes: readonly ({ put: Item } | { delete: Key })[]): Promise<void>
}

/** An event as the outbox and deliveries name it: by its key, with what decides who gets it and what comes before it. */
export type Announced = {
  key: Key
  type: string
  /** The record that it is about, as one string. */
  record: string
  /** The sort key of the record's event before it. */
  previous?: string
}

/** The items at these keys, in their order; missing ones are left out. */
export async function readEach(store: Pick<Store, 'get'>, keys: readonly Key[]): Promise<Item[]> {
  const items = await Promise.all(keys.map((key) => store.get(keyIn(key))))
  return items.filter((item) => item !== undefined)
}
