import { compareBytes } from '../base/text.ts'
import { sortOf } from './expressions.ts'
import * as places from './places.ts'
import { FIRST_LIMIT, type Item, limitAfter, type Range, type Store } from './store.ts'

/** Indexes that some records have no value for: those stand at the end, whatever the direction. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** Where a row stands in an index. */
export const placeIn = (row: Item, index: string): string => String(row[sortOf(index)])

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
  const parts = backwards ? [places.MISSING, places.PRESENT] : [places.PRESENT, places.MISSING]
  const left = start === undefined ? parts : parts.slice(parts.indexOf(start.slice(0, 1)))
  return left.map((part, n) => {
    if (start === undefined || n > 0) return { ...range, beginsWith: part }
    return range.descending
      ? { ...range, from: part, to: start }
      : { ...range, from: start, to: `${part}${places.LAST}` }
  })
}

type Stream = {
  /** Read one behind the other. */
  ranges: readonly Range[]
  after?: Record<string, unknown>
  rows: Item[]
  at: number
  /** The most rows that the next read asks for. */
  limit: number
  /** How many rows were asked for last, beyond what was expected. */
  extra: number
  /** How many rows were read so far, and how many of them were kept. */
  read: number
  kept: number
}

export type Rows = ReturnType<typeof mergeLists>

type Merge = Order & {
  lists: readonly string[]
  /** The place to begin at: see listRanges. */
  start?: string | undefined
  keep: (row: Item) => boolean
  /** Begins to read the rows without a value at once with the others: fewer round trips, but maybe for nothing. */
  eager?: boolean
}

/** Merges lists into one ordered sequence of rows. Reads only as far as rows are taken. */
export function mergeLists(store: Pick<Store, 'query'>, { lists, start, keep, eager = false, ...order }: Merge) {
  const streams = lists
    .map((list) => listRanges(list, order, start))
    .flatMap((ranges) => (eager ? ranges.map((range) => [range]) : [ranges]))
    .map((ranges): Stream => ({ ranges, rows: [], at: 0, limit: FIRST_LIMIT, extra: 0, read: 0, kept: 0 }))
  const compare = comparingRows(order)
  const isDry = (stream: Stream): boolean => stream.at >= stream.rows.length && stream.ranges.length > 0
  const first = (some: readonly Stream[]): Stream | undefined => {
    let found: Stream | undefined
    for (const stream of some) {
      const row = stream.rows[stream.at]
      const best = found?.rows[found.at]
      if (row && (!best || compare(row, best) < 0)) found = stream
    }
    return found
  }
  let taken = 0
  let expected: number | undefined
  const wanted = (stream: Stream, ahead: number): number => {
    if (expected !== undefined && taken < expected) return expected - taken
    // Beyond what was expected, each read asks for more and more: few round trips, however long a run is.
    stream.extra = Math.max(ahead, 4 * stream.extra, stream.kept)
    return stream.extra
  }
  const fill = async (ahead: number): Promise<void> => {
    for (let dry = streams.filter(isDry); dry.length > 0; dry = dry.filter(isDry))
      await Promise.all(dry.map((stream) => readOn(store, stream, wanted(stream, ahead), keep)))
  }
  return {
    /** Starts to read before rows are taken, so that several sequences are read at once; `ahead` rows are likely needed. */
    async begin(ahead: number): Promise<void> {
      expected ??= ahead
      await fill(ahead)
    },
    /** The next `count` rows, fewer at the end; `ahead` says how many are likely needed in all, from here on. */
    async take(count: number, ahead = count): Promise<Item[]> {
      expected ??= Math.max(ahead, count)
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
      expected ??= count + ahead
      const before = taken
      while (taken - before < count) {
        await fill(ahead)
        const stream = first(streams)
        if (!stream) break
        // A whole stretch at once: all that stands before the first row of every other stream.
        const other = first(streams.filter((one) => one !== stream))
        const end = other ? endBefore(stream, other.rows[other.at] as Item, compare) : stream.rows.length
        const passed = Math.min(end - stream.at, count - (taken - before))
        stream.at += passed
        taken += passed
      }
      return taken - before
    },
  }
}

type Compare = (a: Item, b: Item) => number

/** How far the rows of a stream go before one of another stream. They are in order, and the first of them does. */
function endBefore({ rows, at }: Stream, row: Item, compare: Compare): number {
  let [low, high] = [at + 1, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(rows[middle] as Item, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function comparingRows({ index, descending, backwards = false }: Order): Compare {
  const sign = descending === backwards ? 1 : -1
  const isMissing = (place: string): number => Number(index !== 'by_id' && place.startsWith(places.MISSING))
  return (a, b) => {
    const [x, y] = [placeIn(a, index), placeIn(b, index)]
    const missing = isMissing(x) - isMissing(y)
    if (missing !== 0) return backwards ? -missing : missing
    // Two roles of one user stand at the same place: the role, which ends the key, orders them.
    return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
  }
}

async function readOn(
  store: Pick<Store, 'query'>,
  stream: Stream,
  wanted: number,
  keep: (row: Item) => boolean,
): Promise<void> {
  // Where rows are left out, more are read for each that is wanted.
  const limit = Math.min(Math.ceil((wanted * (stream.read + 1)) / (stream.kept + 1)), stream.limit)
  const [range, ...others] = stream.ranges as [Range]
  const page = await store.query({ ...range, limit, ...(stream.after ? { after: stream.after } : {}) })
  stream.rows = page.items.filter(keep)
  stream.read += page.count
  stream.kept += stream.rows.length
  stream.at = 0
  stream.limit = limitAfter(limit, page, stream.limit)
  if (page.next) stream.after = page.next
  else {
    stream.ranges = others
    delete stream.after
  }
}
