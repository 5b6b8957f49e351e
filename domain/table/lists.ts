import { compareBytes } from '../base/text.ts'
import { LAST } from './expressions.ts'
import { MISSING, PRESENT, placeAt, placeIn, sortValueOf, userOfRow } from './keys.ts'
import {
  all,
  FIRST_LIMIT,
  type Item,
  type Key,
  limitAfter,
  type Page,
  type Range,
  readEach,
  type Store,
} from './store.ts'

// The order of a list.

/** Indexes that not all records have a value for. Records without one come last, in either direction. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** The order of an index, up or down. With `backwards`, the same order is read from its end. */
export type Order = { index: string; descending: boolean; backwards?: boolean }

/**
 * The ranges of a list in this order; each follows the one before. They begin at the place `start`: ascending ranges leave
 * that place out, descending ones include it. Rows without a value get a separate range where the index has them at the
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
    return range.descending ? { ...range, from: part, to: start } : { ...range, from: start, to: `${part}${LAST}` }
  })
}

/** Whether an order is read from high places to low ones. */
export const isDownwards = ({ descending, backwards = false }: Order): boolean => descending !== backwards

/** The place where a list continues after all rows with this sort value (see sortValueOf). */
export const behindRun = (order: Order, sortValue: string): string =>
  isDownwards(order) ? sortValue : placeAt(sortValue, LAST)

/** Compares rows by their places in an order. */
function comparingRows({ index, descending, backwards = false }: Order): (a: Item, b: Item) => number {
  const sign = descending === backwards ? 1 : -1
  const isMissing = (place: string): number => Number(index !== 'by_id' && place.startsWith(MISSING))
  return (a, b) => {
    const [x, y] = [placeIn(a, index), placeIn(b, index)]
    const missing = isMissing(x) - isMissing(y)
    if (missing !== 0) return backwards ? -missing : missing
    // Two roles of one user have the same place: the end of the key, which is the role, decides.
    // Stryker disable next-line ArithmeticOperator: x/±1 equals x·±1
    return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
  }
}

// Several lists as one ordered sequence of rows.

/** The read of one list, page after page. */
type ListRead = {
  /** The ranges that are left. */
  ranges: readonly Range[]
  /** The last key that was read of the first of them. */
  after?: Item
  /** Whether every row is kept. */
  isWhole: boolean
  /** The rows that were read and kept; those from `at` on are not taken yet. */
  rows: readonly Item[]
  at: number
  /** The most rows to ask for in the next page. */
  limit: number
  /** How many rows the last page asked for beyond what was expected. */
  extra: number
  /** How many rows were read or counted so far, and how many of them were kept. */
  read: number
  kept: number
}

export type Rows = ReturnType<typeof mergeLists>

type Merge = Order & {
  lists: readonly string[]
  /** The place to begin at: see listRanges. */
  start?: string | undefined
  keep: (row: Item) => boolean
  /** Whether every row of a list is kept. Then rows that are skipped need not be read, only counted. */
  isWhole?: ((list: string) => boolean) | undefined
  /** Begins to read rows without a value in parallel with the others: fewer round trips, but maybe for nothing. */
  eager?: boolean
}

/** Merges lists into one ordered sequence of rows. Reads only as far as rows are taken. */
export function mergeLists(store: QueryStore, merge: Merge) {
  const { lists, start, keep, isWhole, eager = false, ...order } = merge
  const reads = lists.flatMap((list): ListRead[] => {
    const ranges = listRanges(list, order, start)
    const isWholeList = isWhole?.(list) ?? false
    return eager ? ranges.map((range) => listRead([range], isWholeList)) : [listRead(ranges, isWholeList)]
  })
  const compare = comparingRows(order)
  let taken = 0
  let expected = 0

  /** The read whose next row is first in the order. */
  const first = (some: readonly ListRead[]): ListRead | undefined => {
    let found: ListRead | undefined
    for (const read of some) {
      const row = read.rows[read.at]
      const best = found?.rows[found.at]
      // Stryker disable next-line EqualityOperator: only a user who moves is in two lists, and either row may go first
      if (row && (!best || compare(row, best) < 0)) found = read
    }
    return found
  }
  const wanted = (read: ListRead, ahead: number): number => {
    if (taken < expected) return expected - taken
    // Beyond what was expected, each page asks for more and more: few round trips, however long a run is.
    read.extra = Math.max(ahead, 4 * read.extra, read.kept)
    return read.extra
  }
  const readMore = (some: readonly ListRead[], ahead: number) =>
    Promise.all(some.map((read) => readPage(store, read, wanted(read, ahead), keep)))
  /** Reads until every list has a next row or has ended. */
  const fill = async (ahead: number): Promise<void> => {
    let empty = reads.filter(needsRows)
    while (empty.length > 0) {
      await readMore(empty, ahead)
      empty = empty.filter(needsRows)
    }
  }

  /** How many rows of each of these come before a row. Reads up to there, unless these are more than `most`. */
  async function rowsBefore(row: Item, some: readonly ListRead[], most: number, ahead: number): Promise<number[]> {
    for (;;) {
      const before = some.map((read) => endBefore(read, read.at, row, compare) - read.at)
      const short = some.filter(({ ranges, rows, at }, n) => ranges.length > 0 && at + (before[n] ?? 0) === rows.length)
      if (short.length === 0 || sumOf(before) > most) return before
      await readMore(short, ahead)
    }
  }

  /**
   * Skips a page of the longest list, which is only counted, and the rows of the others that come before its end. Returns
   * how many rows it skipped: zero if they are more than `most`, or if the list ends.
   */
  async function skipPage(most: number, ahead: number): Promise<number> {
    const longest = reads.find((read) => isCountable(read, most, taken))
    if (!longest) return 0
    const page = await nextPage(store, longest, { limit: longest.limit, countOnly: true })
    if (!page.next) return 0
    const others = reads.filter((read) => read !== longest)
    const before = await rowsBefore(page.next, others, most - page.count, ahead)
    const skipped = page.count + sumOf(before)
    if (skipped > most) return 0
    for (const [n, read] of others.entries()) read.at += before[n] ?? 0
    advance(longest, page, longest.limit, page.count)
    return skipped
  }

  /** Skips at most `most` rows of one list: all that were read and come before the first row of every other list. */
  async function skipRows(most: number, ahead: number): Promise<number> {
    await fill(ahead)
    const read = first(reads)
    if (!read) return 0
    const other = first(reads.filter((one) => one !== read))
    const row = other?.rows[other.at]
    // At least one row: a user who moves may come first in both lists.
    const end = row ? endBefore(read, read.at + 1, row, compare) : read.rows.length
    const skipped = Math.min(end - read.at, most)
    read.at += skipped
    return skipped
  }

  return {
    /** Reads before rows are taken, so that several sequences are read in parallel. `ahead` rows are likely needed. */
    async begin(ahead: number): Promise<void> {
      expected ||= ahead
      await fill(ahead)
    },
    /** The next `count` rows, fewer at the end. `ahead` rows are likely needed in all, from here on. */
    async take(count: number, ahead = count): Promise<Item[]> {
      expected ||= Math.max(ahead, count)
      const rows: Item[] = []
      while (rows.length < count) {
        await fill(Math.max(ahead, count))
        const read = first(reads)
        const row = read?.rows[read.at++]
        if (!row) break
        rows.push(row)
        taken++
      }
      return rows
    },
    /** Skips `count` rows and returns how many it skipped, fewer at the end. `ahead` rows after them are likely needed. */
    async skip(count: number, ahead: number): Promise<number> {
      expected ||= count + ahead
      const start = taken
      while (taken - start < count) {
        const left = count - (taken - start)
        const skipped = (await skipPage(left, ahead)) || (await skipRows(left, ahead))
        if (skipped === 0) break
        taken += skipped
      }
      return taken - start
    },
  }
}

type QueryStore = Pick<Store, 'query'>

const listRead = (ranges: readonly Range[], isWhole: boolean): ListRead => ({
  ranges,
  isWhole,
  rows: [],
  at: 0,
  limit: FIRST_LIMIT,
  extra: 0,
  read: 0,
  kept: 0,
})

const needsRows = ({ rows, at, ranges }: ListRead): boolean => at >= rows.length && ranges.length > 0

/** Rows of other lists come between the rows of a page. Their number is estimated by the rows read so far, with this margin. */
const MARGIN = 1.1

/**
 * Whether the next page of a list can be counted: the list has most of the `taken` rows, and if it continues like that, the
 * page with all rows in between is no longer than `most`.
 */
const isCountable = (read: ListRead, most: number, taken: number): boolean =>
  read.isWhole &&
  read.after !== undefined &&
  needsRows(read) &&
  2 * read.kept > taken &&
  most * read.kept > MARGIN * read.limit * taken

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** The index of the first row, from `from` on, that does not come before `row`. Binary search: the rows are in order. */
function endBefore({ rows }: ListRead, from: number, row: Item, compare: ReturnType<typeof comparingRows>): number {
  let [low, high] = [from, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    // Stryker disable next-line EqualityOperator: only a user who moves is in two lists, and either row may go first
    if (compare(rows[middle] as Item, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

async function readPage(store: QueryStore, read: ListRead, wanted: number, keep: Merge['keep']): Promise<void> {
  // Where rows are left out, more are read for each that is wanted.
  const limit = Math.min(Math.ceil((wanted * (read.read + 1)) / (read.kept + 1)), read.limit)
  const page = await nextPage(store, read, { limit })
  const kept = page.items.filter(keep)
  read.rows = [...read.rows.slice(read.at), ...kept]
  read.at = 0
  advance(read, page, limit, kept.length)
}

const nextPage = (store: QueryStore, { ranges: [range], after }: ListRead, how: Pick<Range, 'limit' | 'countOnly'>) =>
  store.query({ ...(range as Range), ...how, ...(after ? { after } : {}) })

/** Moves a read to the end of a page that asked for `requested` rows, of which `kept` were kept. */
function advance(read: ListRead, page: Page, requested: number, kept: number): void {
  read.read += page.count
  read.kept += kept
  read.limit = limitAfter(requested, page, read.limit)
  if (page.next) read.after = page.next
  else {
    read.ranges = read.ranges.slice(1)
    delete read.after
  }
}

// Reads with a budget: a list may be of any length, but no call reads more than its budget.

/** About how many bytes a row's keys have. Its hint is counted as it is. */
const KEY_BYTES = 150
/** Reading a record costs half a read unit for 4 KB, as much as reading ROWS_PER_RECORD rows. */
const RECORD_BYTES = 4096
const ROWS_PER_RECORD = 16

/** The first page of each range that is read in step: next to a rare word, a common one must not cost a whole page. */
const FIRST_ROWS = 500

/** Thrown by a store whose budget does not suffice for another page. */
export class BudgetSpent extends Error {}

/** Bytes that several stores may still read: what DynamoDB charges for, and what memory holds. They share the object. */
export type ByteBudget = { bytes: number }

/** A store that reads no more rows and bytes than its budget. */
export type LimitedStore = QueryStore & {
  /** Takes the cost of reading this many records out of the budget. Returns false, and takes nothing, if that is too much. */
  reserveRecords: (records: number) => boolean
}

/** Limits the reads of a store to `rowBudget` rows, and to bytes that it may share with other stores. Throws BudgetSpent. */
export function limitedStore(store: QueryStore, rowBudget: number, byteBudget: ByteBudget): LimitedStore {
  let rowsLeft = rowBudget
  const underWay = new Set<Promise<Page>>()
  const read = (range: Range, limit: number): Promise<Page> => {
    rowsLeft -= limit
    const reading = store.query({ ...range, limit }).then((page) => {
      rowsLeft += limit - page.items.length
      for (const { hint = '' } of page.items) byteBudget.bytes -= KEY_BYTES + Buffer.byteLength(String(hint))
      return page
    })
    underWay.add(reading)
    return reading.finally(() => underWay.delete(reading))
  }
  return {
    reserveRecords(records) {
      const [rows, bytes] = [records * ROWS_PER_RECORD, records * RECORD_BYTES]
      if (rowsLeft < rows || byteBudget.bytes < bytes) return false
      rowsLeft -= rows
      byteBudget.bytes -= bytes
      return true
    },
    async query({ limit = FIRST_LIMIT, ...range }) {
      // A page under way has taken its whole limit out of the budget, and may give some of it back.
      while (rowsLeft < 1 && underWay.size > 0) await Promise.race(underWay)
      if (rowsLeft < 1 || byteBudget.bytes <= 0) throw new BudgetSpent()
      return read(range, Math.min(limit, rowsLeft))
    },
  }
}

/** A range to read, the store to read it from, and what gets its rows. */
type RangeRead = { range: Range; meter: LimitedStore; see: (rows: Item[]) => void }

/** Shows all rows of a range, page after page. Returns false if the budget does not suffice. */
export async function readRange(rangeRead: RangeRead): Promise<boolean> {
  const reading = readingOf(rangeRead, FIRST_LIMIT)
  while (!reading.isDone) if (!(await reading.readPage())) return false
  return true
}

/**
 * Reads several ranges in step, a page of each at a time, until one of them has ended. Returns its index in the list; if several
 * have ended, the index of the one with the fewest rows. Undefined if none ends within its budget.
 */
export async function readInStep(rangeReads: readonly RangeRead[]): Promise<number | undefined> {
  const readings = rangeReads.map((rangeRead) => readingOf(rangeRead, FIRST_ROWS))
  let left = readings
  while (left.length > 0) {
    const hasRead = await Promise.all(left.map((reading) => reading.readPage()))
    const [shortest] = readings.filter(({ isDone }) => isDone).sort((a, b) => a.rows - b.rows)
    if (shortest) return readings.indexOf(shortest)
    left = left.filter((_, n) => hasRead[n])
  }
  return undefined
}

/** Reads a range step by step; each page is larger than the one before. */
function readingOf({ range, meter, see }: RangeRead, first: number) {
  let [limit, most] = [first, FIRST_LIMIT]
  let after: Page['next']
  const reading = {
    rows: 0,
    isDone: false,
    /** Reads the next page. Returns false if the budget does not suffice. */
    readPage: async (): Promise<boolean> => {
      const page = await meter.query({ ...range, limit, ...(after ? { after } : {}) }).catch(undefinedIfSpent)
      if (!page) return false
      see(page.items)
      reading.rows += page.items.length
      most = limitAfter(limit, page, most)
      limit = Math.min(4 * limit, most)
      after = page.next
      reading.isDone = !after
      return true
    },
  }
  return reading
}

/** For `catch`: undefined if a budget is spent. Throws every other error. */
export function undefinedIfSpent(error: unknown): undefined {
  if (!(error instanceof BudgetSpent)) throw error
}

/** A walk through lists that are too long to be read to their ends, for the rows that can be matches. */
type WalkPlan = {
  /** Segments in order; the lists of each are merged. */
  segments: readonly (readonly string[])[]
  order: Order
  /** Whether a row can be a match. */
  keep: (row: Item) => boolean
  /** Whether further fields sort rows of equal values: then a run of such rows counts only if it was read to its end. */
  inRuns: boolean
  /** Whether a record is read for each row that is kept; otherwise `most` rows are enough. */
  needsRecords: boolean
  most: number
  /** How many matches to count, the kept ones included. */
  enough: number
  /** How many rows to read first of each list. */
  ahead: number
}

/** The first rows in order, how many matches there are at least, and why the walk ended. */
type Walk = {
  rows: Item[]
  seen: number
  /** Whether the lists were read to their ends. */
  isOver: boolean
  /** Whether there were rows, but no run of equal values was read to its end. */
  isStuck: boolean
}

/** Reads lists in the order of their index until it has enough, or until the budget is spent. */
export async function walkInOrder(meter: LimitedStore, plan: WalkPlan): Promise<Walk> {
  const walk = { rows: [] as Item[], settled: 0, seen: 0 }
  const isOver = (await collect(meter, plan, walk).catch(undefinedIfSpent)) ?? false
  const settled = plan.inRuns && !isOver ? walk.settled : walk.rows.length
  const isStuck = settled === 0 && walk.rows.length > 0
  return { rows: walk.rows.slice(0, settled), seen: walk.seen, isOver, isStuck }
}

/** Collects rows; `settled` of them are in runs that have ended. True if all rows were kept, false if it has enough. */
async function collect(
  meter: LimitedStore,
  plan: WalkPlan,
  walk: { rows: Item[]; settled: number; seen: number },
): Promise<boolean> {
  for await (const { row, startsRun } of rowsOf(meter, plan)) {
    if (startsRun) walk.settled = walk.rows.length
    const isFull = !plan.needsRecords && walk.settled >= plan.most
    if (isFull && walk.seen >= plan.enough) return false
    if (!isFull) walk.rows.push(row)
    walk.seen++
  }
  return walk.seen === walk.rows.length
}

/** All rows that can be matches, in order, and whether each has another value than the one before. */
async function* rowsOf(meter: LimitedStore, { segments, order, keep, inRuns, needsRecords, ahead }: WalkPlan) {
  const runOf = (row: Item): string => (inRuns ? sortValueOf(placeIn(row, order.index)) : placeIn(row, order.index))
  for (const lists of segments) {
    const rows = mergeLists(meter, { lists, keep, ...order })
    let run: string | undefined
    for (;;) {
      const [row] = await rows.take(1, ahead)
      if (!row) break
      if (needsRecords && !meter.reserveRecords(1)) throw new BudgetSpent()
      yield { row, startsRun: runOf(row) !== run }
      run = runOf(row)
    }
  }
}

// Lists of users, read whole or looked up user by user, whichever is cheaper.

/** A list of users, its size by a counter, and the key of a user's row in the table. */
export type PeopleList = { list: string; size: number; keyOf: (user: string) => Key }

/** Looking up one key costs half a read unit, as much as reading about ROWS_PER_KEY rows of an index. */
const ROWS_PER_KEY = 27

/** Reads lists of users by one index. A list that was read whole is not read again. */
export type ListReader = ReturnType<typeof listReader>

export function listReader(store: Pick<Store, 'query' | 'getSoon'>, index: string) {
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
      const rows = isWhole ? await whole(one) : await readEach({ get: store.getSoon }, [...ids].map(one.keyOf))
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** A page of a range of a list: of the rows in memory if it was read whole, else from a store. */
    async query(range: Range, pages: QueryStore = store): Promise<Page> {
      const rows = wholeLists.get(range.hash)
      // A read that has begun page by page continues like that.
      if (!rows || range.after) return pages.query(range)
      const { from, to, descending } = range
      const isWithin = (row: Item): boolean =>
        (from === undefined || compareBytes(placeIn(row, index), from) > 0) &&
        (to === undefined || compareBytes(placeIn(row, index), to) <= 0)
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
