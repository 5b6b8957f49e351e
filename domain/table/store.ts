import type { ErrorCode } from '../../schemas/errors.ts'
import { refuse, StaleRead } from '../base/errors.ts'
import type { Condition, Update } from './expressions.ts'
import type { Range } from './ranges.ts'

export type { Range } from './ranges.ts'

/** Where a record is in the table. */
export type Key = { pk: string; sk: string }

/** An item as the table holds it. */
export type Item = Key & { [attribute: string]: unknown }

/** What a failed condition means: a code and the field at fault, or a function that makes the error from the item found. */
export type Refusal = { code: ErrorCode; property?: string } | ((found: Item | undefined) => Error)

/** The error of a failed condition. Without a refusal, what was read is stale. */
export function refusalOf(otherwise: Refusal | undefined, found: Item | undefined): Error {
  if (otherwise === undefined) return new StaleRead()
  return typeof otherwise === 'function' ? otherwise(found) : refuse(otherwise.code, otherwise.property)
}

/** The user, request and operation behind a write. Events record it. */
export type Cause = {
  /** The user who calls; null for deadlines and commands. */
  actor: string | null
  request: string | null
  /** The endpoint; for work without a call, the function that does it. */
  operation: string
}

/** The cause of writes without a caller: by a deadline or a command. */
export const systemCause = (operation: string, request: string | null = null): Cause => ({
  actor: null,
  request,
  operation,
})

/** A value in the `set` of an action on an entry of work: the store replaces it by the cause of the write. */
export const CAUSE = Symbol('cause')

/** A record, as events name it. */
export type RecordRef = { kind: string; id: string }

/** What an action changes of a record. The store writes an event for it in the same transaction. */
export type ChangeEvent = {
  type: string
  record: RecordRef
  /** The record among whose events it is listed; by default the record itself. */
  among?: RecordRef
  changes: readonly FieldChange[]
  /** The sort key of the record's event before this one: the item keeps it in `event`. */
  last: string | undefined
  /** What caused the change, if it is not what caused the write. */
  cause?: Cause | undefined
}
export type FieldChange = readonly [field: string, before: unknown, after: unknown]

/** One action of a transaction. Without `otherwise`, a failed condition means that what was read is stale. */
export type Action =
  | ({ put: Item } & ActionOptions)
  | ({ update: Key } & Update & ActionOptions)
  | ({ delete: Key } & ActionOptions)
  | ({ check: Key } & ActionOptions)

/** What an action expects of the stored item, and what it means if the item is different. */
export type ActionOptions = {
  if?: Condition | undefined
  otherwise?: Refusal | undefined
  /**
   * The error if other calls keep the item busy until all attempts are used up. If set, a failed condition of the item decides
   * at once, even if other conditions were not checked because of conflicts.
   */
  busy?: ErrorCode | undefined
  /** The property of the input that a failed condition is about: an import lists it as a conflict. */
  property?: string | undefined
  event?: ChangeEvent | undefined
}

/** The same action, whose condition is about this property of the input. */
export const forProperty = (property: string, action: Action): Action => ({ ...action, property })

/** Rows, their number, and the keys of the last one if more may follow. */
export type Page = { items: Item[]; count: number; next?: Item }

/**
 * What a write is for: an error answer of a later failure says by it whether the call was `done`. By default it carries out the whole
 * call; `part-of-call` carries out some of it. `housekeeping` carries out nothing of it: it prepares the call or finishes an earlier one.
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

/** A key as one string. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`

/** Whether an item has this key. */
export const isAt =
  ({ pk, sk }: Key) =>
  (item: Key): boolean =>
    item.pk === pk && item.sk === sk

/** The key of an item, without its other attributes. */
export const keyIn = ({ pk, sk }: Key): Key => ({ pk, sk })

/** The key that an action is about. */
export function keyOf(action: Action): Key {
  if ('put' in action) return keyIn(action.put)
  if ('update' in action) return action.update
  return 'delete' in action ? action.delete : action.check
}

/** Whether a write succeeded: false if its condition did not hold. Other errors are thrown. */
export const succeeded = (write: Promise<void>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StaleRead) return false
      throw error
    },
  )

/** The items at these keys, in their order; missing ones are left out. */
export async function readEach(store: Pick<Store, 'get'>, keys: readonly Key[]): Promise<Item[]> {
  const items = await Promise.all(keys.map((key) => store.get(keyIn(key))))
  return items.filter((item) => item !== undefined)
}
