import { SEPARATOR } from '../base/text.ts'
import { endOf } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { afterTie, isDownwards, mergeLists, type Order } from '../table/lists.ts'
import { beginAll } from '../table/merge.ts'
import type { Item, Store } from '../table/store.ts'
import { isDeep, type Window } from './askedPage.ts'
import { comparing, type Position, type Sorting } from './sorting.ts'

// Reads one page from lists that are too long to hold: README.md of this folder says how that fits with the other files.
//
// A LISTING has SEGMENTS, which follow each other. In a segment, rows come in the order of one index. Further sort fields
// order each TIE, rows with the same value of that index, in memory. A LONG TIE, too long for that, is read in the order
// of the next field's index.

/**
 * Lists that are merged. If a page is sorted first by a field that is the same for a whole list, such as the status, it
 * has several segments, one after the other: `values` are the values of these leading fields. `size` is the number of
 * items, if known.
 */
export type Segment = { lists: readonly string[]; values: readonly string[]; size?: number | undefined }

/** A list of items that are read from rows of an index. */
export type Listing<T> = {
  store: Pick<Store, 'query'>
  segments: readonly Segment[]
  /** The index whose order the segments are read in. */
  order: Order
  /** The fields that order all items, and their directions. */
  sorts: readonly Sorting[]
  /** How many of these fields come before those of the segments: all items have the same values of them. */
  shared?: number
  /**
   * Which rows form a tie that is sorted in memory. `rows`: none, the index has the right order already. `sortKeys`: rows
   * with the same sort key. `values`: rows with the same value of the index.
   */
  ties: 'rows' | 'sortKeys' | 'values'
  /** Whether a row may belong to the list, by what the index shows. */
  keep: (row: Item) => boolean
  /** Whether `keep` and `load` drop no row of a list: see Merge. */
  keepsAllRows?: (list: string) => boolean
  /** The items of these rows that belong to the list. Each row is passed once, a tie at a time. */
  load: (rows: readonly Item[]) => readonly T[] | Promise<readonly T[]>
  /** Reads what the positions of these items need beyond their rows. */
  prepare?: (items: readonly T[]) => Promise<void>
  positionOf: (item: T) => Position
  /** How many rows to read beyond the page: to see the end of a tie, or because many rows are left out. */
  extraRows?: number
  /**
   * The items of a tie that is too long to be sorted in memory are those of the listing `listingInTie`, made from the value that
   * its rows share. Each of its rows must be one item. `most` is the longest tie to be sorted in memory, for a page that
   * ends after this many items.
   */
  longTies?: { most: (items: number) => number; listingInTie: (value: string, segment: Segment) => Listing<T> }
}

/** Rows that are loaded at once if many are left out. */
const MOST_AT_ONCE = 100

/** The items of a page. In segments of a known size, a page that is far from the beginning is read from the nearer end. */
export async function readPage<T>(listing: Listing<T>, window: Window): Promise<T[]> {
  const sizes = listing.segments.flatMap(({ size }) => size ?? [])
  if (window.after || !isDeep(window) || sizes.length < listing.segments.length)
    return firstOf(inOrder(listing, window), window.take)
  const parts = partsOfPage(window, sizes).map(async ({ nth, isFromEnd, ...part }) => {
    const segment = { ...listing, segments: listing.segments.slice(nth, nth + 1) }
    if (!isFromEnd) return firstOf(inOrder(segment, part, false), part.take)
    return (await firstOf(inOrder(backwards(segment), part, false), part.take)).reverse()
  })
  return (await Promise.all(parts)).flat()
}

/** The parts of a page in segments of these sizes, each as a window from the nearer end of its segment. */
export function partsOfPage({ skip, take }: Window, sizes: readonly number[]) {
  let before = 0
  return sizes.flatMap((size, nth) => {
    const [first, end] = [Math.max(0, skip - before), Math.min(size, skip + take - before)]
    before += size
    if (first >= end) return []
    const isFromEnd = first > size - end
    return [{ nth, isFromEnd, skip: isFromEnd ? size - end : first, take: end - first }]
  })
}

async function firstOf<T>(batches: AsyncIterable<readonly T[]>, count: number): Promise<T[]> {
  const items: T[] = []
  for await (const some of batches) {
    items.push(...some)
    if (items.length >= count) break
  }
  return items.slice(0, count)
}

const backwards = <T>(listing: Listing<T>): Listing<T> => ({
  ...listing,
  order: { ...listing.order, backwards: !listing.order.backwards },
})

/** What is left of a window while it is read. */
type Left = { skip: number; take: number }

/** The items of a window in order, in batches. `eager` begins all segments in parallel. */
async function* inOrder<T>(
  listing: Listing<T>,
  { skip, take, after }: Window,
  eager = !isDeep({ skip, take }),
): AsyncGenerator<readonly T[]> {
  const left = { skip, take }
  const segments = segmentsFrom(listing, after)
  const open = segments.map((segment, n) => {
    const start = after && n === 0 ? startOf(listing, segment, after) : undefined
    return openRows(listing, segment, left, { start, eager })
  })
  const rows = eager ? await beginAll(open) : open
  for (const [n, segment] of segments.entries()) {
    const items = itemsOf(listing, segment, { rows: rows[n] as Rows, left, after: n === 0 ? after : undefined })
    for await (const some of items) {
      left.take -= some.length
      yield some
      if (left.take <= 0) return
    }
  }
}

/** The segments, beginning with the one that has the position `after`. */
function segmentsFrom<T>({ segments, order, shared = 0 }: Listing<T>, after: Position | undefined): Segment[] {
  const all = order.backwards ? segments.toReversed() : [...segments]
  if (!after) return all
  return all.slice(all.findIndex(({ values }) => values.every((value, n) => value === after.values[shared + n])))
}

type Rows = AsyncIterable<Item[]>
type Reading = { rows: Rows; left: Left; after: Position | undefined }

/** The rows of a segment, from a sort key on. If its size is known, rows before the window are skipped. */
function openRows<T>(
  { store, order, keep, keepsAllRows, ties, extraRows }: Listing<T>,
  { lists, size }: Segment,
  left: Left,
  { start, eager = false }: { start: string | undefined; eager?: boolean },
): AsyncGenerator<Item[]> {
  const inRows = {
    likely: left.take + (extraRows ?? 0),
    more: Math.min(2 * left.take, Math.max(left.take, MOST_AT_ONCE)),
  }
  const inTies = { likely: left.take + (extraRows ?? 1), more: extraRows ?? left.take }
  const { likely, more } = ties === 'rows' ? inRows : inTies
  const skip = ties === 'rows' && size !== undefined && isDeep(left) ? left.skip : 0
  if (skip > 0) left.skip = 0
  const merged = { lists, ...order, keep, keepsAllRows, start, eager: eager && start === undefined }
  return mergeLists(store, { ...merged, skip, likely: left.skip + likely, more })
}

const itemsOf = <T>(listing: Listing<T>, segment: Segment, reading: Reading): AsyncIterable<readonly T[]> =>
  listing.ties === 'rows' ? itemsOfRows(listing, reading) : itemsOfTies(listing, segment, reading)

/** The items of rows that are in order. */
async function* itemsOfRows<T>(listing: Listing<T>, { rows, left, after }: Reading): AsyncGenerator<readonly T[]> {
  let waiting: Item[] = []
  let atOnce = left.take
  const loaded = async (some: readonly Item[]) => onlyAfter(listing, await listing.load(some), after)
  for await (const batch of rows) {
    waiting.push(...batch.slice(left.skip))
    left.skip = Math.max(0, left.skip - batch.length)
    if (waiting.length < atOnce) continue
    yield await loaded(waiting.slice(0, atOnce))
    waiting = waiting.slice(atOnce)
    atOnce = Math.min(2 * atOnce, Math.max(left.take, MOST_AT_ONCE))
  }
  if (waiting.length > 0) yield loaded(waiting)
}

const onlyAfter = <T>({ sorts, positionOf }: Listing<T>, items: readonly T[], after: Position | undefined) => {
  const compare = comparing(sorts)
  return after ? items.filter((item) => compare(positionOf(item), after) > 0) : items
}

/** The items of ties. Those of a long tie are read as a listing, and then the rows behind it. */
async function* itemsOfTies<T>(
  listing: Listing<T>,
  segment: Segment,
  { rows: first, left, after }: Reading,
): AsyncGenerator<readonly T[]> {
  const { order, longTies } = listing
  for (let rows = first; ; ) {
    const longTie: string | undefined = yield* sortedTies(listing, { rows, left, after })
    if (!longTies || longTie === undefined) return
    const ofTie = longTies.listingInTie(longTie, segment)
    const isOfCursor = after?.values[(ofTie.shared ?? 0) - 1] === keys.valueOrNull(longTie)
    yield* inOrder(order.backwards ? backwards(ofTie) : ofTie, { ...left, after: isOfCursor ? after : undefined })
    left.skip = 0
    rows = openRows(listing, segment, left, { start: afterTie(order, longTie) })
  }
}

/** The items of ties, each sorted in memory. Ties before the window are only counted. Returns the value of a long tie. */
async function* sortedTies<T>(listing: Listing<T>, { rows, left, after }: Reading) {
  for await (const tie of tiesOf(listing, rows, left)) {
    if (isTooLong(tie, left)) return tie.value
    // If the listing has no long ties, `load` may drop rows: only what it returns can be counted.
    if (listing.longTies && tie.size <= left.skip) left.skip -= tie.size
    else yield await itemsOfTie(listing, tie.rows, { left, after })
  }
  return undefined
}

/** Rows with the same value. `rows` has the first ones, at most `most`. */
type Tie = { value: string; rows: Item[]; size: number; most: number }

/** A tie before the window may have any length, as its rows are not kept. */
const isTooLong = ({ size, most }: Tie, { skip }: Left): boolean => size > Math.max(most, skip)

/** What the rows of a tie share. */
function valueIn<T>({ ties, order }: Listing<T>, row: Item): string {
  const sortKey = keys.sortKeyIn(row, order.index)
  return ties === 'values' ? keys.sortValueOf(sortKey) : sortKey
}

/** The ties of rows, each read to its end. Ends with one that is too long. */
async function* tiesOf<T>(listing: Listing<T>, rows: Rows, left: Left): AsyncGenerator<Tie> {
  const { longTies } = listing
  let tie: Tie | undefined
  for await (const [value, some] of neighbours(listing, rows)) {
    if (tie && tie.value !== value) {
      yield tie
      tie = undefined
    }
    tie ??= { value, rows: [], size: 0, most: longTies?.most(left.skip + left.take) ?? Number.POSITIVE_INFINITY }
    tie.rows.push(...some.slice(0, tie.most - tie.rows.length))
    tie.size += some.length
    if (isTooLong(tie, left)) break
  }
  if (tie) yield tie
}

/** Rows of one batch that have the same value, and that value. */
async function* neighbours<T>(listing: Listing<T>, rows: Rows) {
  for await (const batch of rows) yield* Map.groupBy(batch, (row) => valueIn(listing, row))
}

/** The items of a tie, in order, without those before the window. */
async function itemsOfTie<T>(
  listing: Listing<T>,
  rows: readonly Item[],
  { left, after }: Omit<Reading, 'rows'>,
): Promise<readonly T[]> {
  const { load, prepare, positionOf, sorts, order } = listing
  const items = await load(rows)
  const before = Math.min(left.skip, items.length)
  left.skip -= before
  if (before === items.length) return []
  await prepare?.(items)
  const compare = comparing(sorts)
  const sign = order.backwards ? -1 : 1
  const placed = items.map((item) => ({ item, position: positionOf(item) }))
  const sorted = placed.sort((a, b) => compare(a.position, b.position) * sign).slice(before)
  return sorted.filter(({ position }) => !after || compare(position, after) > 0).map(({ item }) => item)
}

/** The sort key from which a segment is read after a position: the start of the tie that has this position. */
function startOf<T>(
  { order, ties, shared = 0 }: Listing<T>,
  { values }: Segment,
  { values: all, id }: Position,
): string {
  const [first = null, ...others] = all.slice(shared + values.length)
  const lead = first ?? keys.MISSING
  if (ties === 'values') return isDownwards(order) ? endOf(keys.sortKeyAt(lead, '')) : lead
  const names = [lead, ...others.map((value) => keys.textOfValue(value ?? ''))]
  // The id may consist of a user and a role: then several rows share a sort key.
  const [user = ''] = id.split(SEPARATOR)
  const sortKey = order.index === 'by_id' ? user : keys.sortKeyAt(names.join(SEPARATOR), user)
  return isDownwards(order) === (user === id) ? keys.justBefore(sortKey) : sortKey
}
