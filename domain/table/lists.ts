import { compareBytes } from '../base/text.ts'
import { sortOf } from './expressions.ts'
import { userOfRow } from './keys.ts'
import * as places from './places.ts'
import { all, type Item, type Key, type Page, type Range, type Store } from './store.ts'

/** One page of DynamoDB holds fewer rows than this: a larger limit is left out. */
const MOST_ROWS = 8000

/** Indexes that some records have no value for. Read backwards, those without one would come first. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** Where a row stands in an index. */
export const placeIn = (row: Item, index: string): string => String(row[sortOf(index)])

/** The ranges that hold one list in order: a second one for the rows without a value, where those would come first. */
export function listRanges(list: string, index: string, descending: boolean): Range[] {
  const range = { index, hash: list, descending }
  if (!descending || !optional.has(index)) return [range]
  return [
    { ...range, beginsWith: places.PRESENT },
    { ...range, beginsWith: places.MISSING },
  ]
}

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

export type Rows = ReturnType<typeof mergeLists>

/** Merges ranges of one index into one ordered sequence of rows. Reads only as far as rows are taken. */
export function mergeLists(store: Pick<Store, 'query'>, ranges: readonly Range[], keep: (row: Item) => boolean) {
  const streams: Stream[] = ranges.map((range) => ({ range, rows: [], at: 0, done: false, extra: 0, misses: 0 }))
  const index = ranges[0]?.index ?? ''
  const sign = ranges[0]?.descending ? -1 : 1
  const isDry = (stream: Stream): boolean => stream.at >= stream.rows.length && !stream.done
  const next = (): Item | undefined => {
    let first: Stream | undefined
    for (const stream of streams) {
      const row = stream.rows[stream.at]
      const best = first?.rows[first.at]
      if (row && (!best || compareRows(row, best, index, sign) < 0)) first = stream
    }
    return first?.rows[first.at++]
  }
  let taken = 0
  let expected: number | undefined
  const wanted = (stream: Stream, ahead: number): number => {
    if (expected !== undefined && taken < expected) return expected - taken
    // Beyond what was expected, each read asks for twice as much: few round trips, however long a run is.
    stream.extra = Math.max(ahead, 2 * stream.extra)
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
        const row = next()
        if (!row) break
        rows.push(row)
        taken++
      }
      return rows
    },
  }
}

/**
 * Goes through rows in runs of equal value. `ahead` rows are likely needed; a run that goes on beyond them is read in
 * steps of `step`.
 */
export async function* runsOf(rows: Rows, valueIn: (row: Item) => string, ahead: number, step: number) {
  let [row] = await rows.take(1, ahead)
  while (row) {
    const value = valueIn(row)
    const run: Item[] = []
    while (row && valueIn(row) === value) {
      run.push(row)
      ;[row] = await rows.take(1, step)
    }
    yield run
  }
}

function compareRows(a: Item, b: Item, index: string, sign: number): number {
  const [x, y] = [placeIn(a, index), placeIn(b, index)]
  const missing = Number(x.startsWith(places.MISSING)) - Number(y.startsWith(places.MISSING))
  if (index !== 'by_id' && missing !== 0) return missing
  // Two roles of one user stand at the same place: the role, which ends the key, orders them.
  return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
}

async function readOn(
  store: Pick<Store, 'query'>,
  stream: Stream,
  wanted: number,
  keep: (row: Item) => boolean,
): Promise<void> {
  // Where nothing is kept, the next read is twice as long.
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
  const lookedUp = async ({ keyOf }: PeopleList, ids: readonly string[]): Promise<Item[]> =>
    (await Promise.all(ids.map((id) => store.getSoon(keyOf(id))))).filter((item) => item !== undefined)

  return {
    /** All rows of a list. */
    whole,
    /** The rows of these users in a list: looked up one by one, or found in the whole list if that is cheaper. */
    async among(one: PeopleList, ids: ReadonlySet<string>): Promise<Map<string, Item>> {
      if (ids.size === 0) return new Map()
      const isRead = read.has(one.list) || isCheaperWhole(one, ids.size)
      const rows = isRead ? await whole(one) : await lookedUp(one, [...ids])
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** A page of a range that is a list; without a request where that list was read whole. */
    async query(range: Range): Promise<Page> {
      const known = read.get(range.hash)
      if (!known) return store.query(range)
      const items = range.descending ? (await known).toReversed() : await known
      return { items, count: items.length }
    },
  }
}

/** Whether reading a whole list costs less than looking up so many users in it. */
export const isCheaperWhole = ({ size }: PeopleList, people: number): boolean => people * ROWS_PER_KEY > size
