import { compareBytes } from '../base/text.ts'
import { listRanges, merged, orderOf } from '../table/merge.ts'
import * as places from '../table/places.ts'
import type { Item, Range, Store } from '../table/store.ts'

/** How a cursor list is ordered: by an index; ties by id, in the direction of the last. */
export type CursorSort = { index: string; descending: boolean }

/** What a list's cursor stands behind: the sort values of the last item that was answered, and its id. */
export type Position = { leads: string[]; id: string }

/** What a row of an index stands for, if it still stands there. */
export type Entry<T> = { row: Item; value: T }

type Listing<T> = {
  /** Partitions of the indexes that hold it. */
  lists: readonly string[]
  sorts: readonly CursorSort[]
  after: Position | undefined
  /** What ties are broken by, where it is not what the places of all rows end with. */
  tie?: (row: Item) => string
  /** Whether a row can belong to it, as far as the index tells. */
  keep: (row: Item) => boolean
  /** Reads what rows stand for, with the places of all sorts; leaves out what does not belong to the list. */
  load: (rows: readonly Item[]) => Promise<Entry<T>[]>
  /** The bytes that a value takes in the answer, where they can be many. */
  weigh: (value: T) => number
}

/** A function's answer may have 6 MB: a page ends before, as nobody could be answered a longer one. */
const MOST_BYTES = 5_500_000

/** Rows that are read at once where many are left out. */
const MOST_AT_ONCE = 100

/** A page of a list and where the next one begins. Reads on until it is full, whatever is left out on the way. */
export async function cursorPage<T>(store: Pick<Store, 'query'>, listing: Listing<T>, limit: number) {
  const rows = merged(store, rangesFrom(listing), listing.keep)
  const isPlain = listing.sorts.length === 1
  const compare = comparator(listing.sorts)
  const next = reader(rows, listing.sorts, limit)
  const page: { value: T; at: Position }[] = []
  for (let count = limit + 1; page.length <= limit; count = Math.min(2 * count, MOST_AT_ONCE)) {
    const some = await next(Math.max(count, limit + 1 - page.length))
    if (some.length === 0) break
    const entries = (await listing.load(some)).map(({ row, value }) => ({ value, at: positionOf(row, listing.sorts) }))
    const ahead = entries.filter(({ at }) => isAhead(at, listing, compare))
    page.push(...(isPlain ? ahead : ahead.sort((a, b) => compare(a.at, b.at))))
  }
  const shown = page.slice(0, Math.min(limit, fitting(page.map(({ value }) => listing.weigh(value)))))
  return { values: shown.map(({ value }) => value), next: page.length > shown.length ? shown.at(-1)?.at : undefined }
}

type Compare = (a: Position, b: Position) => number

const isAhead = (at: Position, { after }: { after: Position | undefined }, compare: Compare): boolean =>
  !after || compare(at, after) > 0

/** Takes rows in the order of the list, as far as an index has it. */
function reader(
  rows: ReturnType<typeof merged>,
  sorts: readonly CursorSort[],
  limit: number,
): (count: number) => Promise<Item[]> {
  if (sorts.length === 1) return (count) => rows.take(count)
  return runsOf(rows, sorts[0] as CursorSort, limit)
}

/** How many of these fit into one answer; one in any case. */
function fitting(weights: readonly number[]): number {
  let bytes = 0
  const beyond = weights.findIndex((weight, index) => {
    bytes += weight
    return index > 0 && bytes > MOST_BYTES
  })
  return beyond < 0 ? weights.length : beyond
}

/** Further sorts order runs of equal leading values: a run is read as a whole. */
function runsOf(rows: ReturnType<typeof merged>, { index }: CursorSort, limit: number) {
  const leadIn = (row: Item): string => places.leadOf(String(row[orderOf(index)]))
  let first: Item | undefined
  return async (): Promise<Item[]> => {
    first ??= (await rows.take(1, limit + 1))[0]
    const run: Item[] = []
    const lead = first && leadIn(first)
    while (first && leadIn(first) === lead) {
      run.push(first)
      first = (await rows.take(1, limit + 1))[0]
    }
    return run
  }
}

/** Where a row stands by all sorts. */
function positionOf(row: Item, sorts: readonly CursorSort[]): Position {
  const standing = sorts.map(({ index }) => String(row[orderOf(index)]))
  const [first = ''] = standing
  return { leads: standing.map(places.leadOf), id: places.idOfPlace(first) }
}

function comparator(sorts: readonly CursorSort[]): (a: Position, b: Position) => number {
  const last = sorts.at(-1)?.descending ? -1 : 1
  return (a, b) => {
    for (const [n, sort] of sorts.entries()) {
      const order = compareLeads(a.leads[n] ?? '', b.leads[n] ?? '', sort)
      if (order !== 0) return order
    }
    return last * compareBytes(a.id, b.id)
  }
}

/** Who lacks the value comes last in both directions. */
function compareLeads(x: string, y: string, { descending }: CursorSort): number {
  const missing = Number(x.startsWith(places.MISSING)) - Number(y.startsWith(places.MISSING))
  return missing || (descending ? -compareBytes(x, y) : compareBytes(x, y))
}

/** The ranges of a list, from the position on: with further sorts, from the beginning of its run on. */
function rangesFrom<T>({ lists, sorts, after }: Pick<Listing<T>, 'lists' | 'sorts' | 'after'>): Range[] {
  const [{ index, descending }] = sorts as [CursorSort]
  const wholeRun = sorts.length > 1
  const ranges = lists.flatMap((list) => listRanges(list, index, descending))
  if (!after) return ranges
  const [lead = ''] = after.leads
  if (!descending) return ranges.map((range) => ({ ...range, from: wholeRun ? lead : places.placeAt(lead, after.id) }))
  const to = wholeRun ? places.placeAt(lead, '\uffff') : places.placeAt(lead, after.id)
  return ranges.flatMap(({ beginsWith, ...range }): Range[] => {
    // Those without a value are a sequence of its own, behind all others.
    if (beginsWith === undefined) return [{ ...range, to }]
    if (lead.startsWith(beginsWith)) return [{ ...range, from: beginsWith, to }]
    return beginsWith === places.MISSING ? [{ ...range, beginsWith }] : []
  })
}
