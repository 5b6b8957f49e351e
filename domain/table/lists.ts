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

/** Indexes that some records have no value for: those stand at the end, whatever the direction. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** The order of an index, up or down; `backwards` reads it from its end. */
export type Order = { index: string; descending: boolean; backwards?: boolean }

/**
 * The ranges that hold one list in this order, one behind the other, from `start` on: up, it is left out, down, it is not.
 * Rows without a value are a range of their own where the index has them at the wrong end.
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

/** The place where a list goes on behind a run of equal values. */
export const behindRun = (order: Order, lead: string): string => (isDownwards(order) ? lead : placeAt(lead, LAST))

/** Compares rows by their places in an order. */
export function comparingRows({ index, descending, backwards = false }: Order): (a: Item, b: Item) => number {
  const sign = descending === backwards ? 1 : -1
  const isMissing = (at: string): number => Number(index !== 'by_id' && at.startsWith(MISSING))
  return (a, b) => {
    const [x, y] = [placeIn(a, index), placeIn(b, index)]
    const missing = isMissing(x) - isMissing(y)
    if (missing !== 0) return backwards ? -missing : missing
    // Two roles of one user stand at the same place: the role, which ends the key, orders them.
    // Stryker disable next-line ArithmeticOperator: a sign divides as it multiplies
    return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
  }
}

// Several lists as one ordered sequence of rows.

type Stream = {
  /** Read one behind the other. */
  ranges: readonly Range[]
  /** Where the first of them goes on. */
  after?: Item
  /** Whether every row is kept. */
  isWhole: boolean
  /** Rows that were read and not yet taken, from `at` on. */
  rows: readonly Item[]
  at: number
  /** The most rows that the next read asks for. */
  limit: number
  /** How many rows were asked for last, beyond what was expected. */
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
  /** Whether every row of a list is kept. Then rows that are passed over need not be read: they are counted. */
  isWhole?: ((list: string) => boolean) | undefined
  /** Begins to read the rows without a value at once with the others: fewer round trips, but maybe for nothing. */
  eager?: boolean
}

/** Merges lists into one ordered sequence of rows. Reads only as far as rows are taken. */
export function mergeLists(store: Queries, merge: Merge) {
  const { lists, start, keep, isWhole, eager = false, ...order } = merge
  const streams = lists.flatMap((list) => {
    const ranges = listRanges(list, order, start)
    const counts = { at: 0, limit: FIRST_LIMIT, extra: 0, read: 0, kept: 0 }
    const stream = { isWhole: isWhole?.(list) ?? false, rows: [], ...counts }
    return (eager ? ranges.map((range) => [range]) : [ranges]).map((some): Stream => ({ ...stream, ranges: some }))
  })
  const compare = comparingRows(order)
  const first = (some: readonly Stream[]): Stream | undefined => {
    let found: Stream | undefined
    for (const stream of some) {
      const row = stream.rows[stream.at]
      const best = found?.rows[found.at]
      // Stryker disable next-line EqualityOperator: only a user who moves stands in two lists, and either row may go first
      if (row && (!best || compare(row, best) < 0)) found = stream
    }
    return found
  }
  let taken = 0
  let expected = 0
  const wanted = (stream: Stream, ahead: number): number => {
    if (taken < expected) return expected - taken
    // Beyond what was expected, each read asks for more and more: few round trips, however long a run is.
    stream.extra = Math.max(ahead, 4 * stream.extra, stream.kept)
    return stream.extra
  }
  const readMore = (some: readonly Stream[], ahead: number) =>
    Promise.all(some.map((stream) => readOn(store, stream, wanted(stream, ahead), keep)))
  const fill = async (ahead: number): Promise<void> => {
    for (let dry = streams.filter(isDry); dry.length > 0; dry = dry.filter(isDry)) await readMore(dry, ahead)
  }

  /** How many rows of each of these stand before a row. Reads up to there, unless these are more than `most`. */
  async function rowsBefore(row: Item, some: readonly Stream[], most: number, ahead: number): Promise<number[]> {
    for (;;) {
      const before = some.map((stream) => endBefore(stream, stream.at, row, compare) - stream.at)
      const short = some.filter(({ ranges, rows, at }, n) => ranges.length > 0 && at + (before[n] ?? 0) === rows.length)
      if (short.length === 0 || sumOf(before) > most) return before
      await readMore(short, ahead)
    }
  }

  /**
   * Passes over a page of the longest list, which is only counted, and over the rows of the others that stand before its
   * end. Answers over how many: zero where they are more than `most`, or where the list ends.
   */
  async function passPage(most: number, ahead: number): Promise<number> {
    const longest = streams.find((stream) => isCountable(stream, most, taken))
    if (!longest) return 0
    const page = await nextPage(store, longest, { limit: longest.limit, countOnly: true })
    if (!page.next) return 0
    const others = streams.filter((stream) => stream !== longest)
    const before = await rowsBefore(page.next, others, most - page.count, ahead)
    const passed = page.count + sumOf(before)
    if (passed > most) return 0
    for (const [n, stream] of others.entries()) stream.at += before[n] ?? 0
    goOn(longest, page, longest.limit, page.count)
    return passed
  }

  /** Passes over at most so many rows that were read: all that stand before the first row of every other list. */
  async function passRows(most: number, ahead: number): Promise<number> {
    await fill(ahead)
    const stream = first(streams)
    if (!stream) return 0
    const other = first(streams.filter((one) => one !== stream))
    const row = other?.rows[other.at]
    // At least one row: a user who moves may stand first in both lists.
    const end = row ? endBefore(stream, stream.at + 1, row, compare) : stream.rows.length
    const passed = Math.min(end - stream.at, most)
    stream.at += passed
    return passed
  }

  return {
    /** Starts to read before rows are taken, so that several sequences are read at once; `ahead` rows are likely needed. */
    async begin(ahead: number): Promise<void> {
      expected ||= ahead
      await fill(ahead)
    },
    /** The next `count` rows, fewer at the end; `ahead` says how many are likely needed in all, from here on. */
    async take(count: number, ahead = count): Promise<Item[]> {
      expected ||= Math.max(ahead, count)
      const rows: Item[] = []
      while (rows.length < count) {
        await fill(Math.max(ahead, count))
        const stream = first(streams)
        const row = stream?.rows[stream.at++]
        if (!row) break
        rows.push(row)
        taken++
      }
      return rows
    },
    /** Passes over `count` rows and answers over how many, fewer at the end; `ahead` rows behind them are likely needed. */
    async skip(count: number, ahead: number): Promise<number> {
      expected ||= count + ahead
      const start = taken
      const pass = async (left: number) => (await passPage(left, ahead)) || (await passRows(left, ahead))
      for (let passed = 1; passed > 0 && taken < start + count; taken += passed)
        passed = await pass(start + count - taken)
      return taken - start
    },
  }
}

const isDry = ({ rows, at, ranges }: Stream): boolean => at >= rows.length && ranges.length > 0

/** How much longer than a list's own rows a page may turn out to be with those of the others between them, at most. */
const MARGIN = 1.1

/**
 * Whether the next page of a list can be counted: the list has most of the `taken` rows, and if it goes on like that, the
 * page with all rows between is no longer than `most`.
 */
const isCountable = (stream: Stream, most: number, taken: number): boolean =>
  stream.isWhole &&
  stream.after !== undefined &&
  isDry(stream) &&
  2 * stream.kept > taken &&
  most * stream.kept > MARGIN * stream.limit * taken

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** How far the rows of a stream go before one of another stream, from some row on. They are in order. */
function endBefore({ rows }: Stream, from: number, row: Item, compare: ReturnType<typeof comparingRows>): number {
  let [low, high] = [from, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    // Stryker disable next-line EqualityOperator: only a user who moves stands in two lists, and either row may go first
    if (compare(rows[middle] as Item, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

type Queries = Pick<Store, 'query'>

async function readOn(store: Queries, stream: Stream, wanted: number, keep: Merge['keep']): Promise<void> {
  // Where rows are left out, more are read for each that is wanted.
  const limit = Math.min(Math.ceil((wanted * (stream.read + 1)) / (stream.kept + 1)), stream.limit)
  const page = await nextPage(store, stream, { limit })
  const kept = page.items.filter(keep)
  stream.rows = [...stream.rows.slice(stream.at), ...kept]
  stream.at = 0
  goOn(stream, page, limit, kept.length)
}

const nextPage = (store: Queries, { ranges: [range], after }: Stream, how: Pick<Range, 'limit' | 'countOnly'>) =>
  store.query({ ...(range as Range), ...how, ...(after ? { after } : {}) })

/** Goes on behind a page of at most `asked` rows, of which so many were kept. */
function goOn(stream: Stream, page: Page, asked: number, kept: number): void {
  stream.read += page.count
  stream.kept += kept
  stream.limit = limitAfter(asked, page, stream.limit)
  if (page.next) stream.after = page.next
  else {
    stream.ranges = stream.ranges.slice(1)
    delete stream.after
  }
}

// Reads of lists whose length nobody knows: none costs more than its budget, whatever a caller asks for.

/** The bytes of a row's keys, about. Hints come on top. */
const KEY_BYTES = 150
/** Reading a record costs half a read unit for 4 KB, as much as reading so many rows. */
const RECORD_BYTES = 4096
const ROWS_PER_RECORD = 16

/** Rows of each range that are read first: beside a rare word, a common one must not cost a whole page. */
const FIRST_ROWS = 500

/** Thrown once a budget is spent. */
export class BudgetSpent extends Error {}

/** The bytes that are left to several meters together: what DynamoDB charges for, and what memory holds. */
export type ByteBudget = { bytes: number }

/** A store that reads no more than so many rows. */
export type LimitedStore = Pick<Store, 'query'> & {
  /** Takes what reading so many records costs out of the budget; false if there is not so much left. */
  affords: (records: number) => boolean
}

export function limitedStore(store: Pick<Store, 'query'>, budget: number, purse: ByteBudget): LimitedStore {
  let left = budget
  const underway = new Set<Promise<Page>>()
  const read = (range: Range, limit: number): Promise<Page> => {
    left -= limit
    const reading = store.query({ ...range, limit }).then((page) => {
      left += limit - page.items.length
      for (const { hint = '' } of page.items) purse.bytes -= KEY_BYTES + Buffer.byteLength(String(hint))
      return page
    })
    underway.add(reading)
    return reading.finally(() => underway.delete(reading))
  }
  return {
    affords(records) {
      const [rows, bytes] = [records * ROWS_PER_RECORD, records * RECORD_BYTES]
      if (left < rows || purse.bytes < bytes) return false
      left -= rows
      purse.bytes -= bytes
      return true
    },
    async query({ limit = FIRST_LIMIT, ...range }) {
      // Pages that are under way may leave something of what they were given.
      while (left < 1 && underway.size > 0) await Promise.race(underway)
      if (left < 1 || purse.bytes <= 0) throw new BudgetSpent()
      return read(range, Math.min(limit, left))
    },
  }
}

/** A range that is to be read, by which meter, and what gets its rows. */
type RangeRead = { range: Range; meter: LimitedStore; see: (rows: Item[]) => void }

/** Shows all rows of a range, page after page; false where the budget does not suffice. */
export async function readRange(wish: RangeRead): Promise<boolean> {
  const reading = readingOf(wish, FIRST_LIMIT)
  while (await reading.goOn()) if (reading.isDone) return true
  return false
}

/**
 * Reads several ranges in step, a page of each at a time, until one is read to its end: answers its place among them; of
 * several, of the one with the fewest rows. Undefined where none ends within its budget.
 */
export async function readInStep(wishes: readonly RangeRead[]): Promise<number | undefined> {
  const all = wishes.map((wish) => readingOf(wish, FIRST_ROWS))
  let left = all
  while (left.length > 0) {
    const goesOn = await Promise.all(left.map((reading) => reading.goOn()))
    const [shortest] = all.filter(({ isDone }) => isDone).sort((a, b) => a.rows - b.rows)
    if (shortest) return all.indexOf(shortest)
    left = left.filter((_, n) => goesOn[n])
  }
  return undefined
}

/** A range on its way to its end: each page is larger than the one before. */
function readingOf({ range, meter, see }: RangeRead, first: number) {
  let [limit, most] = [first, FIRST_LIMIT]
  let after: Page['next']
  const reading = {
    rows: 0,
    isDone: false,
    /** Reads the next page; false once the budget is spent. */
    goOn: async (): Promise<boolean> => {
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

/** Answers nothing where a budget is spent, and throws every other failure. */
export function undefinedIfSpent(error: unknown): undefined {
  if (!(error instanceof BudgetSpent)) throw error
}

/** What to look for in lists that are too long to be read to their ends. */
type WalkRequest = {
  /** Lists that are merged, one segment of them behind the other. */
  segments: readonly (readonly string[])[]
  order: Order
  /** Whether a row can stand for a match. */
  keep: (row: Item) => boolean
  /** Whether further fields order rows of equal values: such a run counts only if it was seen to its end. */
  inRuns: boolean
  /** Whether a record is read for each row that is kept; else `most` rows are enough. */
  needsRecords: boolean
  most: number
  /** Matches that are to be counted beyond those that are kept. */
  enough: number
  /** How many rows are read first of each list. */
  ahead: number
}

/** The first rows in order, how many more there are at least, and why the walk ended. */
type Walk = {
  rows: Item[]
  seen: number
  /** Whether the lists were read to their ends. */
  isOver: boolean
  /** Whether there were rows, but no run of equal values that was seen to its end. */
  isStuck: boolean
}

/** Reads lists in the order of their index until there is enough, or until the budget is spent. */
export async function walkInOrder(meter: LimitedStore, wanted: WalkRequest): Promise<Walk> {
  const walk = { rows: [] as Item[], settled: 0, seen: 0 }
  const isOver = (await collect(meter, wanted, walk).catch(undefinedIfSpent)) ?? false
  const settled = wanted.inRuns && !isOver ? walk.settled : walk.rows.length
  const isStuck = settled === 0 && walk.rows.length > 0
  return { rows: walk.rows.slice(0, settled), seen: walk.seen, isOver, isStuck }
}

/** True at the end of the lists, if all rows were kept; false where there is enough. */
async function collect(
  meter: LimitedStore,
  wanted: WalkRequest,
  walk: { rows: Item[]; settled: number; seen: number },
): Promise<boolean> {
  for await (const { row, startsRun } of rowsOf(meter, wanted)) {
    if (startsRun) walk.settled = walk.rows.length
    const isFull = !wanted.needsRecords && walk.settled >= wanted.most
    if (isFull && walk.seen >= wanted.enough) return false
    if (!isFull) walk.rows.push(row)
    walk.seen++
  }
  return walk.seen === walk.rows.length
}

async function* rowsOf(meter: LimitedStore, { segments, order, keep, inRuns, needsRecords, ahead }: WalkRequest) {
  const runOf = (row: Item): string => (inRuns ? sortValueOf(placeIn(row, order.index)) : placeIn(row, order.index))
  for (const lists of segments) {
    const rows = mergeLists(meter, { lists, keep, ...order })
    let run: string | undefined
    for (let [row] = await rows.take(1, ahead); row; [row] = await rows.take(1, ahead)) {
      if (needsRecords && !meter.affords(1)) throw new BudgetSpent()
      yield { row, startsRun: runOf(row) !== run }
      run = runOf(row)
    }
  }
}

// Lists of users that are read as a whole, or looked up user by user, whatever is cheaper.

/** A list of users: its size, as a counter has it, and the key of a user's row in the table. */
export type PeopleList = { list: string; size: number; keyOf: (user: string) => Key }

/** Looking up one key costs as much as reading about so many rows of an index: half a read unit. */
const ROWS_PER_KEY = 27

/** Reads lists of users by one index. A list that was read whole is not read again. */
export type ListReader = ReturnType<typeof listReader>

export function listReader(store: Pick<Store, 'query' | 'getSoon'>, index: string) {
  const read = new Map<string, Promise<Item[]>>()
  const whole = ({ list }: Pick<PeopleList, 'list'>): Promise<Item[]> => {
    const rows = read.get(list) ?? all(store, { index, hash: list })
    read.set(list, rows)
    return rows
  }
  return {
    /** All rows of a list. */
    whole,
    /** The rows of these users in a list: looked up one by one, or found in the whole list if that is cheaper. */
    async among(one: PeopleList, ids: ReadonlySet<string>): Promise<Map<string, Item>> {
      const isRead = read.has(one.list) || isCheaperWhole(one, ids.size)
      const rows = isRead ? await whole(one) : await readEach({ get: store.getSoon }, [...ids].map(one.keyOf))
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** A page of a range that is a list; without a request where that list was read whole. */
    async query(range: Range): Promise<Page> {
      const known = read.get(range.hash)
      // What was begun page by page goes on like that.
      if (!known || range.after) return store.query(range)
      const { from, to, descending } = range
      const isWithin = (row: Item): boolean =>
        (from === undefined || compareBytes(placeIn(row, index), from) > 0) &&
        (to === undefined || compareBytes(placeIn(row, index), to) <= 0)
      const items = (await known).filter(isWithin)
      return { items: descending ? items.reverse() : items, count: items.length }
    },
  }
}

/** Whether reading a whole list costs less than looking up so many users in it. */
export const isCheaperWhole = ({ size }: PeopleList, people: number): boolean => people * ROWS_PER_KEY > size

/** How many rows reading these people in lists costs, about. */
export const costOfAmong = (lists: readonly PeopleList[], people: number): number =>
  lists.reduce((sum, { size }) => sum + Math.min(size, people * ROWS_PER_KEY), 0)
