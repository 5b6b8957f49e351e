import { compareBytes } from '../base/text.ts'
import { MISSING, PRESENT, sortKeyAt, sortKeyIn, userOfRow } from './keys.ts'
import { type Compare, type Merge, merge } from './merge.ts'
import { endOf } from './ranges.ts'
import { all } from './reader.ts'
import { type Item, type Key, type Page, type Range, readEach, type Store } from './store.ts'

// The order of a list.

/** Indexes that not all records have a value for. Records without one come last, in either direction. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** The order of an index, up or down. With `backwards`, the same order is read from its end. */
export type Order = { index: string; descending: boolean; backwards?: boolean }

/**
 * The ranges of a list in this order; each follows the one before. They begin at the sort key `start`: ascending ranges leave
 * that sort key out, descending ones include it. Rows without a value get a separate range where the index has them at the
 * wrong end.
 */
export function listRanges(list: string, { index, descending, backwards = false }: Order, start?: string): Range[] {
  const range: Range = { index, hash: list, descending: descending !== backwards }
  if (!descending || !optional.has(index)) {
    if (start === undefined) return [range]
    return [range.descending ? { ...range, to: start } : { ...range, from: start }]
  }
  const parts = backwards ? [MISSING, PRESENT] : [PRESENT, MISSING]
  const left = start === undefined ? parts : parts.slice(parts.indexOf(start.slice(0, 1)))
  return left.map((part, n) => {
    if (start === undefined || n > 0) return { ...range, beginsWith: part }
    return range.descending ? { ...range, from: part, to: start } : { ...range, from: start, to: endOf(part) }
  })
}

/** Whether an order is read from high sort keys to low ones. */
export const isDownwards = ({ descending, backwards = false }: Order): boolean => descending !== backwards

/** The sort key where a list continues after all rows with this sort value (see sortValueOf). */
export const behindTie = (order: Order, sortValue: string): string =>
  isDownwards(order) ? sortValue : endOf(sortKeyAt(sortValue, ''))

/** Compares rows by their sort keys in an order. */
function comparingRows({ index, descending, backwards = false }: Order): Compare {
  const sign = descending === backwards ? 1 : -1
  const isMissing = (sortKey: string): number => Number(index !== 'by_id' && sortKey.startsWith(MISSING))
  return (a, b) => {
    const [x, y] = [sortKeyIn(a, index), sortKeyIn(b, index)]
    const missing = isMissing(x) - isMissing(y)
    if (missing !== 0) return backwards ? -missing : missing
    // Two roles of one user have the same sort key: the end of the key, which is the role, decides.
    // Stryker disable next-line ArithmeticOperator: x/±1 equals x·±1
    return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
  }
}

// Several lists as one.

type Lists = Order &
  Pick<Merge, 'keep' | 'keepsAllRows' | 'skip' | 'likely' | 'more'> & {
    lists: readonly string[]
    /** The sort key to begin at: see listRanges. */
    start?: string | undefined
    /** Begins to read rows without a value in parallel with the others: fewer round trips, but maybe for nothing. */
    eager?: boolean
  }

/** The rows of several lists in the order of an index, in batches. */
export function mergeLists(
  store: Pick<Store, 'query'>,
  { lists, start, eager, ...how }: Lists,
): AsyncGenerator<Item[]> {
  const ranges = lists.map((list) => listRanges(list, how, start))
  return merge(store, {
    ...how,
    lists: eager ? ranges.flat().map((range) => [range]) : ranges,
    compare: comparingRows(how),
  })
}

// Lists of users, read whole or looked up user by user, whichever is cheaper.

/** A list of users, its size by a counter, and the key of a user's row in the table. */
export type PeopleList = { list: string; size: number; keyOf: (user: string) => Key }

/** Looking up one key costs half a read unit, as much as reading about ROWS_PER_KEY rows of an index. */
const ROWS_PER_KEY = 27

/** Reads lists of users by one index. A list that was read whole is not read again. */
export type ListReader = ReturnType<typeof listReader>

export function listReader(store: Pick<Store, 'query' | 'getEventual'>, index: string) {
  const wholeLists = new Map<string, Promise<Item[]>>()
  const whole = ({ list }: Pick<PeopleList, 'list'>): Promise<Item[]> => {
    const rows = wholeLists.get(list) ?? all(store, { index, hash: list })
    wholeLists.set(list, rows)
    return rows
  }
  return {
    /** All rows of a list. */
    whole,
    /** The rows of these users in a list: looked up one by one, or found in the whole list if that is cheaper. */
    async among(one: PeopleList, ids: ReadonlySet<string>): Promise<Map<string, Item>> {
      const isWhole = wholeLists.has(one.list) || isCheaperWhole(one, ids.size)
      const rows = isWhole ? await whole(one) : await readEach({ get: store.getEventual }, [...ids].map(one.keyOf))
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** A page of a range of a list: of the rows in memory if it was read whole, else from a store. */
    async query(range: Range, pages: Pick<Store, 'query'> = store): Promise<Page> {
      const rows = wholeLists.get(range.hash)
      // A read that has begun page by page continues like that.
      if (!rows || range.after) return pages.query(range)
      const { from, to, descending } = range
      const isWithin = (row: Item): boolean =>
        (from === undefined || compareBytes(sortKeyIn(row, index), from) > 0) &&
        (to === undefined || compareBytes(sortKeyIn(row, index), to) <= 0)
      const items = (await rows).filter(isWithin)
      return { items: descending ? items.reverse() : items, count: items.length }
    },
  }
}

/** Whether reading a whole list costs less than looking up this number of people in it. */
export const isCheaperWhole = ({ size }: PeopleList, people: number): boolean => people * ROWS_PER_KEY > size

/** About how many rows it costs to read these people in lists. */
export const costOfAmong = (lists: readonly PeopleList[], people: number): number =>
  lists.reduce((sum, { size }) => sum + Math.min(size, people * ROWS_PER_KEY), 0)
