import { FIRST_LIMIT, pagesOf } from './reader.ts'
import type { Item, Key, Page, Range, Store } from './store.ts'

// The budget of a call: a list may be of any length, but no call reads more than its budget.

/** Bytes that several stores may still read: what DynamoDB charges for, and what memory holds. They share the object. */
export type ByteBudget = { bytes: number }

type Limits = {
  byteBudget: ByteBudget
  /** The most rows. */
  rows?: number
  /** How many rows the call reads at least: if the budget cannot be enough for these, it is spent at once. */
  needed?: number
}

/** Thrown by a store whose budget does not suffice for another read. */
export class BudgetSpent extends Error {}

/** For `catch`: undefined if a budget is spent. Throws every other error. */
export function undefinedIfSpent(error: unknown): undefined {
  if (!(error instanceof BudgetSpent)) throw error
}

/** Reading a record costs half a read unit for 4 KB, as much as reading ROWS_PER_RECORD rows. */
export const RECORD_BYTES = 4096
const ROWS_PER_RECORD = 16
/** No row of an index is smaller: ids, names of lists and attributes, and the value that it is sorted by. */
const LEAST_ROW_BYTES = 120
/** About how many bytes a row has beside its hint, if a query shows only some attributes. */
const HIDDEN_BYTES = 150
/** The most bytes of one page of an index. */
const MOST_PAGE_BYTES = 1024 * 1024
/** Rows further on may be smaller than those read so far. A read is refused early only if it is too long even so. */
const MARGIN = 1.1

type Readable = Pick<Store, 'query'> & Partial<Pick<Store, 'getEventual'>>

/** A store that reads no more than its budget. */
export type LimitedStore = Pick<Store, 'query'> & {
  /** Takes the cost of reading this many records out of the budget. Returns false, and takes nothing, if that is too much. */
  reserveRecords: (records: number) => boolean
}

/**
 * Limits the reads of a store. Throws BudgetSpent before it reads more than its budget, and already when the rows read so far
 * show that the budget will not be enough for the rows that are needed.
 */
export function limitedStore<S extends Readable>(store: S, { byteBudget, rows, needed = 0 }: Limits): S & LimitedStore {
  let rowsLeft = rows ?? Number.POSITIVE_INFINITY
  let rowsNeeded = needed
  const seen = { rows: 0, bytes: 0 }
  const underWay = new Set<Promise<unknown>>()
  let reserved = 0

  const bytesPerRow = (): number => (seen.rows > 0 ? seen.bytes / seen.rows : LEAST_ROW_BYTES)
  const affordable = (): number => Math.floor(Math.min(rowsLeft, byteBudget.bytes / bytesPerRow()))

  /** Reads a page of at most so many rows, which it takes out of the budget before, and gives back what it does not use. */
  async function read(range: Range, limit: number): Promise<Page> {
    const bytes = Math.min(limit * bytesPerRow(), MOST_PAGE_BYTES)
    const take = (rows: number, more: number): void => {
      rowsLeft -= rows
      byteBudget.bytes -= more
    }
    take(limit, bytes)
    reserved += bytes
    const page = await store.query({ ...range, limit }).finally(() => {
      reserved -= bytes
    })
    rowsNeeded -= page.count
    const used = usedBy(range, page)
    take(page.count - limit, used - bytes)
    return page
  }
  /** The bytes of a page. Rows that are only counted are taken to be as large as the others. */
  function usedBy({ only, countOnly }: Range, { items, count }: Page): number {
    if (countOnly) return count * bytesPerRow()
    const bytes = items.reduce((sum, row) => sum + (only ? HIDDEN_BYTES + bytesOf(row.hint) : sizeOf(row)), 0)
    seen.rows += count
    seen.bytes += bytes
    return bytes
  }
  async function query({ limit = FIRST_LIMIT, ...range }: Range): Promise<Page> {
    // A read under way may give back most of what it took.
    while (affordable() < 1 && underWay.size > 0) await Promise.race(underWay)
    const isTooLong = rowsNeeded * bytesPerRow() > MARGIN * (byteBudget.bytes + reserved)
    if (affordable() < 1 || isTooLong) throw new BudgetSpent()
    const reading = read(range, Math.min(limit, affordable()))
    underWay.add(reading)
    return reading.finally(() => underWay.delete(reading))
  }
  function reserveRecords(records: number): boolean {
    const [rows, bytes] = [records * ROWS_PER_RECORD, records * RECORD_BYTES]
    if (rowsLeft < rows || byteBudget.bytes < bytes) return false
    rowsLeft -= rows
    byteBudget.bytes -= bytes
    return true
  }
  const getEventual = async (key: Key): Promise<Item | undefined> => {
    if (!reserveRecords(1)) throw new BudgetSpent()
    return store.getEventual?.(key)
  }
  return { ...store, query, reserveRecords, ...(store.getEventual ? { getEventual } : {}) }
}

const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(String(value)))

/** Bytes of a row, as DynamoDB charges for it: names and values. */
const sizeOf = (row: Item): number =>
  Object.entries(row).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0)

/** A range to read, the store to read it from, and what gets its rows. */
type RangeRead = { range: Range; store: LimitedStore; onRows: (rows: Item[]) => void }

/** Reads a range to its end. Returns false if the budget does not suffice. */
export async function readRange({ range, store, onRows }: RangeRead): Promise<boolean> {
  try {
    for await (const { items } of pagesOf(store, range)) onRows(items)
    return true
  } catch (error) {
    return undefinedIfSpent(error) ?? false
  }
}

/** The first page of each range that is read in turn: next to a rare word, a common one must not cost a whole page. */
const FIRST_ROWS = 500

/**
 * Reads several ranges in turn, a page of each at a time, until one of them has ended. Returns its index in the list; if several
 * have ended, the index of the one with the fewest rows. Undefined if none ends within its budget.
 */
export async function readAlternately(rangeReads: readonly RangeRead[]): Promise<number | undefined> {
  const readings = rangeReads.map(({ range, store, onRows }) => {
    let limit = FIRST_ROWS / 4
    const wanted = (): number => (limit *= 4)
    return { pages: pagesOf(store, range, wanted), onRows, rows: 0, isOver: false }
  })
  let left = readings
  while (left.length > 0) {
    const pages = await Promise.all(left.map((reading) => reading.pages.next().catch(undefinedIfSpent)))
    left = left.filter((reading, n) => {
      const page: Page | undefined = pages[n]?.value
      reading.onRows(page?.items ?? [])
      reading.rows += page?.count ?? 0
      reading.isOver = page !== undefined && !page.next
      return page !== undefined
    })
    const [shortest] = readings.filter(({ isOver }) => isOver).sort((a, b) => a.rows - b.rows)
    if (shortest) return readings.indexOf(shortest)
  }
  return undefined
}
