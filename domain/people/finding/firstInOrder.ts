import { refuseFault } from '../../base/errors.ts'
import { BudgetSpent, type LimitedStore, undefinedIfSpent } from '../../table/budget.ts'
import { sortKeyIn, sortValueOf } from '../../table/keys.ts'
import { mergeLists, type Order } from '../../table/lists.ts'
import type { Item } from '../../table/store.ts'

/** What is read of lists that are too long to be read to their ends. */
type Wanted = {
  /** Segments in order; the lists of each are merged. */
  segments: readonly (readonly string[])[]
  order: Order
  /** Whether a row can be a match. */
  keep: (row: Item) => boolean
  /** Whether further fields sort rows of equal values: then a tie of them counts only if it was read to its end. */
  wholeTiesOnly: boolean
  /** Whether a record is read for each row that is kept; otherwise `most` rows are enough. */
  needsRecords: boolean
  most: number
  /** How many matches to count, the kept ones included. */
  countUpTo: number
}

/** The first rows in order, how many matches there are at least, and why the read ended. */
type Found = {
  rows: Item[]
  seen: number
  /** Whether the lists were read to their ends. */
  isOver: boolean
  /** Whether there were rows, but no tie was read to its end. */
  isStuck: boolean
}

/** Reads lists in the order of their index until it has enough, or until the budget is spent. */
export async function firstInOrder(store: LimitedStore, wanted: Wanted): Promise<Found> {
  const found: Collected = { rows: [], whole: 0, seen: 0, tie: undefined }
  const isOver = (await collect(store, wanted, found).catch(undefinedIfSpent)) ?? false
  const whole = wanted.wholeTiesOnly && !isOver ? found.whole : found.rows.length
  const isStuck = whole === 0 && found.rows.length > 0
  return { rows: found.rows.slice(0, whole), seen: found.seen, isOver, isStuck }
}

/** The same, for a search. Refuses a sort by several fields if too many matches have the same value of the first one. */
export async function firstMatches(store: LimitedStore, wanted: Wanted): Promise<Found> {
  const found = await firstInOrder(store, wanted)
  const detail = 'must not begin with a value that so many matches share: narrow the search'
  if (found.isStuck) throw refuseFault('VALIDATION_ERROR', 'sort', detail)
  return found
}

/** `whole` of the rows are in ties that have ended. */
type Collected = { rows: Item[]; whole: number; seen: number; tie: string | undefined }

/** Collects rows. True if all rows were kept, false if it has enough. */
async function collect(store: LimitedStore, wanted: Wanted, found: Collected): Promise<boolean> {
  for await (const rows of rowsOf(store, wanted, found)) {
    const isEnough = !rows.every((row) => add(row, store, wanted, found))
    if (isEnough) return false
  }
  return found.seen === found.rows.length
}

/** The rows of the segments in batches. A tie ends with its segment. */
async function* rowsOf(store: LimitedStore, { segments, order, keep, most }: Wanted, found: Collected) {
  const likely = Math.max(most, 1)
  for (const lists of segments) {
    found.tie = undefined
    yield* mergeLists(store, { lists, keep, ...order, likely, more: likely })
  }
}

/** Counts a row, and keeps it unless there are enough. False if enough are counted, too. */
function add(row: Item, store: LimitedStore, wanted: Wanted, found: Collected): boolean {
  const { order, wholeTiesOnly, needsRecords, most, countUpTo } = wanted
  if (needsRecords && !store.reserveRecords(1)) throw new BudgetSpent()
  const sortKey = sortKeyIn(row, order.index)
  const tie = wholeTiesOnly ? sortValueOf(sortKey) : sortKey
  if (tie !== found.tie) found.whole = found.rows.length
  found.tie = tie
  const isFull = !needsRecords && found.whole >= most
  if (isFull && found.seen >= countUpTo) return false
  if (!isFull) found.rows.push(row)
  found.seen++
  return true
}
