import { faulty } from '../base/errors.ts'
import type { Range } from '../table/expressions.ts'
import { FIRST_LIMIT, type Item, type Page, type Store } from '../table/store.ts'
import type { Window } from './paging.ts'

/** Read units that a page by number may take (contract, Lists). Tests make them fewer. */
export const pageBudget = { units: 4_000 }

/** The part of the budget for the check of the caller and for counters. */
const UNITS_OF_THE_CALL = 10
/** The bytes of rows that one unit reads, if the read may lag. */
const BYTES_PER_UNIT = 8192
/** A user's record costs half a unit. */
const RECORD_BYTES = 4096
/** No row of an index is smaller: ids, names of lists and attributes, and the value that it is sorted by. */
const LEAST_ROW_BYTES = 120
/** The most bytes of one page of an index. */
const MOST_PAGE_BYTES = 1024 * 1024
/** Rows further on may be smaller than those read so far. A page is refused early only if it is too far even so. */
const MARGIN = 1.1

/**
 * Limits what a page by number reads: the rows before it, its own rows, and the records that its order needs. `rows`: how many
 * rows it reads at least. Throws a refusal of `page_number` before it reads more than the budget, and already when the rows
 * read so far show that the budget will not be enough. A page by cursor has no limit.
 */
export function limitedPage<S extends Pick<Store, 'query' | 'getSoon'>>(
  store: S,
  { take, isByNumber }: Window,
  rows: number,
): S {
  if (!isByNumber) return store
  let bytesLeft = (pageBudget.units - UNITS_OF_THE_CALL) * BYTES_PER_UNIT - take * RECORD_BYTES
  let rowsLeft = rows
  const seen = { rows: 0, bytes: 0 }
  const underWay = new Set<Promise<unknown>>()
  let reserved = 0

  const bytesPerRow = (): number => (seen.rows > 0 ? seen.bytes / seen.rows : LEAST_ROW_BYTES)
  /** Takes bytes out of the budget for a read, and gives back what it does not use. */
  async function within<T>(bytes: number, read: () => Promise<{ value: T; used: number }>): Promise<T> {
    if (bytes > bytesLeft) throw tooFar()
    bytesLeft -= bytes
    reserved += bytes
    const reading = read()
    underWay.add(reading)
    try {
      const { value, used } = await reading
      bytesLeft += bytes - used
      return value
    } finally {
      underWay.delete(reading)
      reserved -= bytes
    }
  }
  async function query({ limit = FIRST_LIMIT, ...range }: Range): Promise<Page> {
    // A read under way may give back most of what it took.
    while (bytesLeft < bytesPerRow() && underWay.size > 0) await Promise.race(underWay)
    if (rowsLeft * bytesPerRow() > MARGIN * (bytesLeft + reserved)) throw tooFar()
    const most = Math.max(1, Math.min(limit, Math.floor(bytesLeft / bytesPerRow())))
    return within(Math.min(most * bytesPerRow(), MOST_PAGE_BYTES), async () => {
      const page = await store.query({ ...range, limit: most })
      rowsLeft -= page.count
      // Rows that are only counted are taken to be as large as the others.
      if (range.countOnly) return { value: page, used: page.count * bytesPerRow() }
      const used = page.items.reduce((sum, row) => sum + sizeOf(row), 0)
      seen.rows += page.count
      seen.bytes += used
      return { value: page, used }
    })
  }
  const getSoon: Store['getSoon'] = (key) =>
    within(RECORD_BYTES, async () => ({ value: await store.getSoon(key), used: RECORD_BYTES }))
  return { ...store, query, getSoon }
}

const tooFar = () =>
  faulty(
    'VALIDATION_ERROR',
    'page_number',
    'must be nearer to the first or the last page: use page_cursor to go further',
  )

/** Bytes of a row, as DynamoDB charges for it: names and values. */
const sizeOf = (row: Item): number =>
  Object.entries(row).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(String(value)), 0)

/** How many rows a page reads at least: its own, and those between it and the nearer end of its segments. */
export function rowsOfPage({ skip, take }: Window, sizes: readonly number[] | undefined): number {
  if (!sizes) return skip + take
  let before = 0
  let rows = 0
  for (const size of sizes) {
    const [first, end] = [Math.max(0, skip - before), Math.min(size, skip + take - before)]
    if (first < end) rows += Math.min(end, size - first)
    before += size
  }
  return rows
}
