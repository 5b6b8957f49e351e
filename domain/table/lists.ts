import { comparingRows, listRanges, type Order } from './places.ts'
import { FIRST_LIMIT, type Item, limitAfter, type Page, type Range, type Store } from './store.ts'

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
