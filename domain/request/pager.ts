import { listRanges, mergeLists, placeIn, type Rows, runsOf } from '../table/lists.ts'
import * as places from '../table/places.ts'
import type { Item, Range, Store } from '../table/store.ts'
import { type Cursor, DEFAULT_LIMIT } from './paging.ts'
import { comparing, type Rank, type Sorting, type SortValue, sortings } from './sorting.ts'

/** A row of an index, with the places of all sorts, and the value that it stands for. */
export type Entry<T> = { row: Item; value: T }

type Listing<T> = {
  /** The lists of the indexes that are merged. */
  lists: readonly string[]
  /** The index for each field of the sort. */
  indexes: Readonly<Record<string, string>>
  /** Whether a row can belong to the list, as far as the index tells. */
  keep: (row: Item) => boolean
  /** Reads what rows stand for; leaves out what does not belong to the list. */
  load: (rows: readonly Item[]) => Promise<Entry<T>[]>
  /** The bytes that a value takes in the answer. */
  weigh: (value: T) => number
}

/** A function's answer has at most 6 MB; a page that would be longer ends earlier. */
const MOST_BYTES = 5_500_000

/** Rows that are read at once where many are left out. */
const MOST_AT_ONCE = 100

/** A page of a cursor list, and the cursor of the next one. Reads on until the page is full, whatever is left out. */
export async function cursorPage<T, F>(
  store: Pick<Store, 'query'>,
  cursor: Cursor<F>,
  listing: Listing<T>,
  limit = DEFAULT_LIMIT,
): Promise<{ values: T[]; next: Cursor<F> | undefined }> {
  const sorts = sortings(cursor.sort as SortValue[]).map(
    (one): Sorting => ({ ...one, field: listing.indexes[one.field] ?? '' }),
  )
  const [{ field: index }] = sorts as [Sorting]
  const compare = comparing(sorts)
  const after = cursor.at
  const rows = mergeLists(store, rangesFrom(listing.lists, sorts, cursor.at), listing.keep)
  // One sort is the order of its index; further ones order runs of equal values, each read whole.
  const isPlain = sorts.length === 1
  const leadIn = (row: Item): string => places.leadOf(placeIn(row, index))
  const page: { value: T; rank: Rank }[] = []
  for await (const some of isPlain ? batchesOf(rows, limit + 1) : runsOf(rows, leadIn, limit + 1, limit + 1)) {
    const entries = (await listing.load(some)).map(({ row, value }) => ({ value, rank: rankIn(row, sorts) }))
    const ahead = entries.filter(({ rank }) => !after || compare(rank, after) > 0)
    page.push(...(isPlain ? ahead : ahead.sort((a, b) => compare(a.rank, b.rank))))
    if (page.length > limit) break
  }
  const shown = page.slice(0, Math.min(limit, fitting(page.map(({ value }) => listing.weigh(value)))))
  const last = page.length > shown.length ? shown.at(-1) : undefined
  return { values: shown.map(({ value }) => value), next: last && { ...cursor, at: last.rank } }
}

/** Takes rows, twice as many each time, as many may be left out. */
async function* batchesOf(rows: Rows, first: number): AsyncGenerator<Item[]> {
  for (let count = first; ; count = Math.min(2 * count, MOST_AT_ONCE)) {
    const some = await rows.take(count)
    if (some.length === 0) return
    yield some
  }
}

/** How many of these weights fit into one answer; one in any case. */
function fitting(weights: readonly number[]): number {
  let bytes = 0
  const beyond = weights.findIndex((weight, index) => {
    bytes += weight
    return index > 0 && bytes > MOST_BYTES
  })
  return beyond < 0 ? weights.length : beyond
}

/** What orders a row: its values in the indexes of the sort, and its id. */
function rankIn(row: Item, sorts: readonly Sorting[]): Rank {
  const standing = sorts.map(({ field }) => placeIn(row, field))
  return {
    values: standing.map((place) => places.valueOfLead(places.leadOf(place))),
    id: places.idOfPlace(standing[0] ?? ''),
  }
}

/** The ranges of lists, from a position on; with further sorts, from the beginning of its run on. */
function rangesFrom(lists: readonly string[], sorts: readonly Sorting[], after: Rank | undefined): Range[] {
  const [{ field: index, descending }] = sorts as [Sorting]
  const wholeRun = sorts.length > 1
  const ranges = lists.flatMap((list) => listRanges(list, index, descending))
  if (!after) return ranges
  const lead = after.values[0] ?? places.MISSING
  if (!descending) return ranges.map((range) => ({ ...range, from: wholeRun ? lead : places.placeAt(lead, after.id) }))
  const to = wholeRun ? places.placeAt(lead, '\uffff') : places.placeAt(lead, after.id)
  return ranges.flatMap(({ beginsWith, ...range }): Range[] => {
    // Rows without a value are a sequence of their own, behind all others.
    if (beginsWith === undefined) return [{ ...range, to }]
    if (lead.startsWith(beginsWith)) return [{ ...range, from: beginsWith, to }]
    return beginsWith === places.MISSING ? [{ ...range, beginsWith }] : []
  })
}
