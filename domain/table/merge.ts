import { advance, FIRST_LIMIT, nextPage, type QueryStore, type ReadPosition } from './reader.ts'
import type { Item, Page, Range } from './store.ts'

// All rows of several ranges in one order.

/** Compares two rows: negative if the first comes first. */
export type Compare = (a: Item, b: Item) => number

/** What is merged. */
export type Merge = {
  /** The lists: the ranges of each follow each other, in the order of `compare`. */
  lists: readonly (readonly Range[])[]
  compare: Compare
  keep?: ((row: Item) => boolean) | undefined
  /** Whether `keep` drops no row of a list. Then rows that are skipped need not be read, only counted. */
  keepsAllRows?: ((hash: string) => boolean) | undefined
  /** How many rows to skip at the beginning. */
  skip?: number
  /** How many rows the loop likely needs after these, and how many more at once if it needs more. */
  likely: number
  more: number
}

/** The read of one list. */
type ListRead = ReadPosition & {
  keepsAll: boolean
  /** The rows that were read and kept; those from `at` on are left. */
  rows: readonly Item[]
  at: number
  /** How many rows the last page asked for beyond the likely ones. */
  extra: number
  /** How many rows were read or counted so far, and how many of them were kept. */
  read: number
  kept: number
}

/** Merges lists into one sequence of rows, in batches. Reads only when no more rows are certain to come next. */
export async function* merge(store: QueryStore, asked: Merge): AsyncGenerator<Item[]> {
  const { lists, compare, keep = () => true, keepsAllRows = () => false, skip = 0, likely, more } = asked
  const reads = lists.map((ranges): ListRead => {
    const start = { limit: FIRST_LIMIT, rows: [], at: 0, extra: 0, read: 0, kept: 0 }
    return { ranges, keepsAll: ranges.every(({ hash }) => keepsAllRows(hash)), ...start }
  })
  let passed = 0

  const wanted = (read: ListRead): number => {
    if (passed < skip + likely) return skip + likely - passed
    // Beyond the likely rows, each page asks for more and more: few round trips, however long a run is.
    read.extra = Math.max(more, 4 * read.extra, read.kept)
    return read.extra
  }
  const readMore = (some: readonly ListRead[]) =>
    Promise.all(some.map((read) => readPage(store, read, wanted(read), keep)))
  /** The next rows, at most so many; none at the end. */
  const nextRows = async (most: number): Promise<Item[]> => {
    for (let empty = reads.filter(needsRows); empty.length > 0; empty = empty.filter(needsRows)) await readMore(empty)
    const rows = takeRows(reads, compare, most)
    passed += rows.length
    return rows
  }

  /** How many rows of each of these come before a row. Reads up to there, unless these are more than `most`. */
  async function rowsBefore(row: Item, some: readonly ListRead[], most: number): Promise<number[]> {
    for (;;) {
      const before = some.map((read) => endBefore(read, row, compare) - read.at)
      const short = some.filter(({ ranges, rows, at }, n) => ranges.length > 0 && at + (before[n] ?? 0) === rows.length)
      if (short.length === 0 || sumOf(before) > most) return before
      await readMore(short)
    }
  }
  /**
   * Counts a page of the longest list instead of reading it, and skips it and the others' rows that come before its end.
   * Returns how many rows it skipped: zero if they are more than `most`, or if the list ends.
   */
  async function skipPage(most: number): Promise<number> {
    const longest = reads.find((read) => isCountable(read, most, passed))
    if (!longest) return 0
    const asked = longest.limit
    const page = await nextPage(store, longest, { limit: asked, countOnly: true })
    if (!page.next) return 0
    const others = reads.filter((read) => read !== longest)
    const before = await rowsBefore(page.next, others, most - page.count)
    const skipped = page.count + sumOf(before)
    if (skipped > most) return 0
    for (const [n, read] of others.entries()) read.at += before[n] ?? 0
    moveOn(longest, page, asked, page.count)
    passed += skipped
    return skipped
  }

  for (let left = skip; left > 0; ) {
    const skipped = (await skipPage(left)) || (await nextRows(left)).length
    if (skipped === 0) return
    left -= skipped
  }
  for (;;) {
    const rows = await nextRows(Math.max(skip + likely - passed, 0) || more)
    if (rows.length === 0) return
    yield rows
  }
}

const needsRows = ({ rows, at, ranges }: ListRead): boolean => at >= rows.length && ranges.length > 0

/** Rows of other lists come between the rows of a page. Their number is estimated by the rows read so far, with this margin. */
const MARGIN = 1.1

/**
 * Whether the next page of a list can be counted: the list has most of the `passed` rows, and if it continues like that, the
 * page with all rows in between is no longer than `most`.
 */
const isCountable = (read: ListRead, most: number, passed: number): boolean =>
  read.keepsAll &&
  read.after !== undefined &&
  needsRows(read) &&
  2 * read.kept > passed &&
  most * read.kept > MARGIN * read.limit * passed

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Takes rows in order, at most so many, until a list has to be read before the next row is certain. */
function takeRows(reads: readonly ListRead[], compare: Compare, most: number): Item[] {
  const rows: Item[] = []
  while (rows.length < most && !reads.some(needsRows)) {
    const read = firstOf(reads, compare)
    if (!read) break
    rows.push(read.rows[read.at++] as Item)
  }
  return rows
}

/** The read whose next row is first in the order. */
function firstOf(reads: readonly ListRead[], compare: Compare): ListRead | undefined {
  let found: ListRead | undefined
  for (const read of reads) {
    const row = read.rows[read.at]
    const best = found?.rows[found.at]
    // Stryker disable next-line EqualityOperator: only a user who moves is in two lists, and either row may go first
    if (row && (!best || compare(row, best) < 0)) found = read
  }
  return found
}

/** The index of the first row left that does not come before `row`. Binary search: the rows are in order. */
function endBefore({ rows, at }: ListRead, row: Item, compare: Compare): number {
  let [low, high] = [at, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    // Stryker disable next-line EqualityOperator: only a user who moves is in two lists, and either row may go first
    if (compare(rows[middle] as Item, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

async function readPage(store: QueryStore, read: ListRead, wanted: number, keep: (row: Item) => boolean) {
  // Where rows are left out, more are read for each that is wanted.
  const limit = Math.min(Math.ceil((wanted * (read.read + 1)) / (read.kept + 1)), read.limit)
  const page = await nextPage(store, read, { limit })
  const kept = page.items.filter(keep)
  read.rows = [...read.rows.slice(read.at), ...kept]
  read.at = 0
  moveOn(read, page, limit, kept.length)
}

/** Moves a read to the end of a page, of which so many rows were kept. */
function moveOn(read: ListRead, page: Page, asked: number, kept: number): void {
  read.read += page.count
  read.kept += kept
  advance(read, page, asked)
}

/**
 * Begins several sequences at the same time, so that the first batch of each is read in parallel. A sequence continues when
 * the loop comes to it.
 */
export async function beginAll<T>(sequences: readonly AsyncGenerator<T>[]): Promise<AsyncGenerator<T>[]> {
  const firsts = await Promise.all(sequences.map((one) => one.next()))
  return sequences.map(async function* continued(one, n) {
    const first = firsts[n]
    if (!first || first.done) return
    yield first.value
    yield* one
  })
}
