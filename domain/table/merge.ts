import { compareBytes } from '../base/text.ts'
import * as places from './places.ts'
import type { Item, Range, Store } from './store.ts'

/** Rows of one page of DynamoDB are at most this many, so asking for more at once is asking for all. */
const MOST_ROWS = 8000

type Stream = {
  range: Range
  after?: Record<string, unknown>
  rows: Item[]
  at: number
  done: boolean
  /** How many rows were asked for last, beyond what was expected. */
  extra: number
  /** How many pages in a row held nothing to keep. */
  misses: number
}

/** Fields that some users lack: read backwards, those would come first, so they are a sequence of their own. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** The attribute that an index is sorted by. */
export const orderOf = (index: string): string => (index === 'find' ? 'found' : index)

/** The ranges that hold one list in order; several of one list are merged like several lists. */
export function listRanges(list: string, index: string, descending: boolean): Range[] {
  const range = { index, hash: list, descending }
  if (!descending || !optional.has(index)) return [range]
  return [
    { ...range, beginsWith: places.PRESENT },
    { ...range, beginsWith: places.MISSING },
  ]
}

/** Merges several lists of one index into one ordered sequence of rows, reading only as far as it is taken. */
export function merged(store: Pick<Store, 'query'>, ranges: readonly Range[], keep: (row: Item) => boolean) {
  const streams: Stream[] = ranges.map((range) => ({ range, rows: [], at: 0, done: false, extra: 0, misses: 0 }))
  const index = ranges[0]?.index ?? ''
  const sign = ranges[0]?.descending ? -1 : 1
  const before = (a: Item, b: Item): boolean => compareRows(a, b, index, sign) < 0

  const isDry = (stream: Stream): boolean => stream.at >= stream.rows.length && !stream.done
  const next = (): Item | undefined => {
    let first: Stream | undefined
    for (const stream of streams) {
      const row = stream.rows[stream.at]
      const best = first?.rows[first.at]
      if (row && (!best || before(row, best))) first = stream
    }
    return first?.rows[first.at++]
  }
  let taken = 0
  let expected: number | undefined
  const wanted = (stream: Stream, ahead: number): number => {
    if (expected !== undefined && taken < expected) return expected - taken
    // Whoever goes on after what was expected gets twice as much each time: few trips, however long a run is.
    stream.extra = Math.max(ahead, 2 * stream.extra)
    return stream.extra
  }
  const fill = async (ahead: number): Promise<void> => {
    for (let dry = streams.filter(isDry); dry.length > 0; dry = dry.filter(isDry))
      await Promise.all(dry.map((stream) => readOn(store, stream, wanted(stream, ahead), keep)))
  }
  return {
    /** Reads on while others are read, in case these rows are wanted too: `ahead` of them are likely to be. */
    async begin(ahead: number): Promise<void> {
      expected ??= ahead
      await fill(ahead)
    },
    /** Up to `count` rows further; `ahead` says how many are likely to be asked for in all, now or from here on. */
    async take(count: number, ahead = count): Promise<Item[]> {
      expected ??= Math.max(ahead, count)
      const rows: Item[] = []
      while (rows.length < count) {
        await fill(Math.max(ahead, count))
        const row = next()
        if (!row) break
        rows.push(row)
        taken++
      }
      return rows
    },
  }
}

function compareRows(a: Item, b: Item, index: string, sign: number): number {
  const [x, y] = [String(a[orderOf(index)]), String(b[orderOf(index)])]
  const missing = Number(x.startsWith(places.MISSING)) - Number(y.startsWith(places.MISSING))
  if (index !== 'by_id' && missing !== 0) return missing
  // Two roles of one user stand at the same place: then the role, the last part of the key, decides.
  return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
}

async function readOn(
  store: Pick<Store, 'query'>,
  stream: Stream,
  wanted: number,
  keep: (row: Item) => boolean,
): Promise<void> {
  // Where little is kept, more is read at once each time.
  const limit = wanted * 2 ** stream.misses
  const page = await store.query({
    ...stream.range,
    ...(limit < MOST_ROWS ? { limit } : {}),
    ...(stream.after ? { after: stream.after } : {}),
  })
  stream.rows = page.items.filter(keep)
  stream.misses = stream.rows.length === 0 ? stream.misses + 1 : 0
  stream.at = 0
  stream.done = page.next === undefined
  if (page.next) stream.after = page.next
}
