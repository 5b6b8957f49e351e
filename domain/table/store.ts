import type { ErrorCode } from '../../schemas/errors.ts'
import { StaleRead } from '../base/errors.ts'
import type { Change, Condition, Range } from './expressions.ts'

export type { Range } from './expressions.ts'

/** Where a record lies in the table. */
export type Key = { pk: string; sk: string }

/** An item as the table holds it. */
export type Item = Key & { [attribute: string]: unknown }

/** What a failed condition means: a code and the field at fault, or a function that makes the error from the item found. */
export type Refusal = { code: ErrorCode; property?: string } | ((found: Item | undefined) => Error)

/** Who or what causes writes. */
export type Cause = {
  /** The user who calls; null where nobody does: at a deadline, or by a command. */
  actor: string | null
  request: string | null
  /** The endpoint, or the function that works by itself. */
  operation: string
}

/** The cause of what nobody has caused: what is due, or what a command does. */
export const systemCause = (operation: string, request: string | null = null): Cause => ({
  actor: null,
  request,
  operation,
})

/** A record, as events name it. */
export type RecordRef = { kind: string; id: string }

/** What an action changes of a record. The store makes an event of it, in the same transaction. */
export type EventDraft = {
  type: string
  record: RecordRef
  /** The record whose events it lies among; the record itself, if this is not said. */
  among?: RecordRef
  changes: readonly FieldChange[]
  /** The place of the event before it of the same record: the item keeps it in `event`. */
  last: string | undefined
}
export type FieldChange = readonly [field: string, before: unknown, after: unknown]

/** One action of a transaction. Where `otherwise` is missing, a failed condition means that what was read is stale. */
export type Action =
  | ({ put: Item } & Expectation)
  | ({ update: Key } & Change & Expectation)
  | ({ delete: Key } & Expectation)
  | ({ check: Key } & Expectation)

/** What an action expects of the stored item, and what it means if the item is different. */
export type Expectation = {
  if?: Condition | undefined
  otherwise?: Refusal | undefined
  /**
   * The error where other calls keep the item busy until all attempts are used up. With this, a failed condition of the item
   * decides at once, even where conflicts have kept others from being judged.
   */
  busy?: ErrorCode | undefined
  /** The property of the input that a failed condition is about: an import lists it as a conflict. */
  about?: string | undefined
  event?: EventDraft | undefined
}

/** The same action with a label: its condition is about this property of the input. */
export const about = (property: string, action: Action): Action => ({ ...action, about: property })

/** Rows, how many there are, and the keys of the last one where more may follow. */
export type Page = { items: Item[]; count: number; next?: Item }

/**
 * How much of a call a write carries out; an error answer says so in `done`. Without a weight: all that the call asks for.
 * `part`: some of it. `aside`: nothing of it; the write prepares the call or finishes an earlier one.
 */
export type Weight = 'part' | 'aside'

/** The port to the table: all that the domain knows of DynamoDB. */
export type Store = {
  /** Strongly consistent read of one record; reads of one tick become one request. */
  get(key: Key): Promise<Item | undefined>
  /** The same at half the price: may lag a moment behind the last write. */
  getSoon(key: Key): Promise<Item | undefined>
  /** One page, up to 1 MB. */
  query(range: Range): Promise<Page>
  /** One transaction: all or nothing. Throws the refusal of the first condition that failed, or StaleRead. */
  write(actions: readonly Action[], weight?: Weight): Promise<void>
  /** Puts and deletes without conditions, not atomic: only for items that no other call writes. */
  bulk(changes: readonly ({ put: Item } | { delete: Key })[]): Promise<void>
}

/** The port before it is known who causes what is written: a write that changes a record needs to know. */
export type OpenStore = Store & { by: (cause: Cause) => Store }

/** A key as one string. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`

/** Whether an item lies at this key. */
export const isAt =
  ({ pk, sk }: Key) =>
  (item: Key): boolean =>
    item.pk === pk && item.sk === sk

/** A key by itself, out of an item. */
export const keyIn = ({ pk, sk }: Key): Key => ({ pk, sk })

/** The key that an action is about. */
export function keyOf(action: Action): Key {
  if ('put' in action) return keyIn(action.put)
  if ('update' in action) return action.update
  return 'delete' in action ? action.delete : action.check
}

/** Whether a write happened; false when its condition did not hold. */
export const happened = (write: Promise<void>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StaleRead) return false
      throw error
    },
  )

/** The most rows that a first page is asked for: DynamoDB Local looks at all of them, however few fit the page. */
export const FIRST_LIMIT = 2000
/** No page of DynamoDB holds more rows. */
const MOST_ROWS = 8000

/**
 * The most rows to ask for behind a page. One that ended before its limit was full by its bytes: so will be all others. An
 * empty one says nothing about them.
 */
export function limitAfter(asked: number, { count, next }: Pick<Page, 'count' | 'next'>, limit: number): number {
  if (!next) return limit
  if (count > 0 && count < asked) return count
  return limit === FIRST_LIMIT && asked === limit ? MOST_ROWS : limit
}

/** A page of a few large rows may stand before thousands of small ones: so few rows are not asked for. */
const FEWEST_ROWS = 100

/** The pages of a range, of at most its `limit`. Each is read when the loop comes to it. */
export async function* pages(
  store: Pick<Store, 'query'>,
  { limit: most = FIRST_LIMIT, ...range }: Range,
): AsyncGenerator<Page> {
  let limit = most
  let after: Page['next']
  do {
    const page: Page = await store.query({ ...range, limit, ...(after ? { after } : {}) })
    yield page
    limit = Math.max(Math.min(most, FEWEST_ROWS), limitAfter(limit, page, limit))
    after = page.next
  } while (after)
}

/** What lies at these keys now, in their order: what is gone by now is left out. */
export async function readEach(store: Pick<Store, 'get'>, keys: readonly Key[]): Promise<Item[]> {
  const items = await Promise.all(keys.map((key) => store.get(keyIn(key))))
  return items.filter((item) => item !== undefined)
}

/** Everything of a range, page after page. */
export async function all(store: Pick<Store, 'query'>, range: Range): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages(store, range)) items.push(...page.items)
  return items
}
