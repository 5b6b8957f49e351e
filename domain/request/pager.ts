import { SEPARATOR } from '../base/text.ts'
import { LAST } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { behindRun, isDownwards, mergeLists, type Order, type Rows } from '../table/lists.ts'
import type { Item, Store } from '../table/store.ts'
import { isDeep, type Window } from './paging.ts'
import { comparing, type Position, type Positioned, type Sorting } from './sorting.ts'

// Reads one page from lists that are too long to hold: README.md of this folder says how that fits with the other files.
//
// A LISTING has SEGMENTS, which follow each other. In a segment, rows come in the order of one index. Further sort fields
// order each RUN of rows with the same value of that index, in memory. A LONG RUN, too long for that, is read as a listing
// inside the listing, in the order of the next field's index. A STRETCH is what is read from one place on: a segment, a long
// run, or what follows a long run.

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
  /** The fields that order items within a segment, and their directions. */
  sorts: readonly Sorting[]
  /**
   * Which rows form a run that is sorted in memory. `rows`: none, the index has the right order already. `places`: rows
   * at the same place. `values`: rows with the same value of the first field.
   */
  runs: 'rows' | 'places' | 'values'
  /** Whether a row may belong to the list, by what the index shows. */
  keep: (row: Item) => boolean
  /** Whether `keep` and `load` drop no row of a list: see mergeLists. */
  isWhole?: (list: string) => boolean
  /** The items of these rows that belong to the list. Each row is passed once, a run at a time. */
  load: (rows: readonly Item[]) => readonly T[] | Promise<readonly T[]>
  /** The positions of items in their segment. */
  positionsOf: (items: readonly T[]) => readonly Position[] | Promise<readonly Position[]>
  /** How many rows to read beyond the page: to see the end of a run, or because many rows are left out. */
  ahead?: number
  /**
   * A run that is too long to be sorted in memory is read as a list, which `within` makes from the value that its rows
   * share. Each of its rows must be one item. `most` is the longest run to be sorted in memory, for a page that ends
   * after this many items.
   */
  longRuns?: { most: (items: number) => number; within: (value: string, lists: readonly string[]) => Listing<T> }
}

/** Rows in one read if many are left out. */
const MOST_AT_ONCE = 100

/**
 * The items after a position, or after `skip` others. A segment of a known size is read from the nearer end, or not at
 * all if it ends before the page.
 */
export async function readPage<T>(listing: Listing<T>, { skip, take, after }: Window): Promise<Positioned<T>[]> {
  const found: Positioned<T>[] = []
  let passed = 0
  for (const stretch of await beginStretches(listing, [], { skip, take, after })) {
    if (found.length >= take) break
    const window = { skip: skip - passed, take: take - found.length }
    const part = await (isNearerToEnd(stretch, window) ? readFromEnd(stretch, window) : readStretches(stretch, window))
    found.push(...part.items)
    passed += part.passed
  }
  return found
}

/** Rows that are read one after the other: those of a segment, or of a long run in it. */
type Stretch<T> = {
  listing: Listing<T>
  segment: Segment
  /** The leading values that all items of the stretch share: those of the segment, and of long runs that contain it. */
  values: Position['values']
  /** The items come after this position, which is without these values. */
  after: Position | undefined
  rows: Rows
}

/** Items in order, and how many others were skipped before them. */
type Part<T> = { items: Positioned<T>[]; passed: number }

/**
 * The stretches of a list, beginning with the one that has the position `after`. Near the beginning of the list all are
 * read in parallel.
 */
async function beginStretches<T>(
  listing: Listing<T>,
  values: Position['values'],
  { skip, take, after }: Window,
): Promise<Stretch<T>[]> {
  const all = listing.order.backwards ? listing.segments.toReversed() : listing.segments
  const first = after ? all.findIndex((segment) => segment.values.every((value, n) => value === after.values[n])) : 0
  const isShallow = !isDeep({ skip, take })
  const stretches = all.slice(first).map((segment, n): Stretch<T> => {
    const behind = after && n === 0 ? withoutValues(after, segment.values.length) : undefined
    const rows = openRows(listing, segment, behind && startOf(listing, behind), isShallow)
    return { listing, segment, values: [...values, ...segment.values], after: behind, rows }
  })
  if (isShallow) await Promise.all(stretches.map(({ rows }) => rows.begin(likelyRows(listing, { skip, take }))))
  return stretches
}

/** How many rows a window likely needs: one more than its items, if the end of a run must be seen. */
const likelyRows = <T>({ runs, ahead = runs === 'rows' ? 0 : 1 }: Listing<T>, { skip, take }: Window): number =>
  skip + take + ahead

const openRows = <T>(
  { store, order, keep, isWhole }: Listing<T>,
  { lists }: Segment,
  start?: string,
  eager = false,
): Rows => mergeLists(store, { lists, ...order, keep, isWhole, start, eager: eager && start === undefined })

const withoutValues = ({ values, id }: Position, count: number): Position => ({ values: values.slice(count), id })

const isNearerToEnd = <T>({ segment: { size } }: Stretch<T>, window: Window): boolean =>
  size !== undefined && isDeep(window) && window.skip > Math.max(0, size - window.skip - window.take)

/** The items of a window, read from the end of a segment whose size is known. */
async function readFromEnd<T>({ listing, segment, values }: Stretch<T>, { skip, take }: Window): Promise<Part<T>> {
  const { size = 0 } = segment
  const end = Math.min(size, skip + take)
  if (skip >= end) return { items: [], passed: size }
  const reversed = backwards(listing)
  const stretch = { listing: reversed, segment, values, after: undefined, rows: openRows(reversed, segment) }
  const { items } = await readStretches(stretch, { skip: size - end, take: end - skip })
  return { items: items.reverse(), passed: skip }
}

const backwards = <T>(listing: Listing<T>): Listing<T> => ({
  ...listing,
  order: { ...listing.order, backwards: !listing.order.backwards },
})

/** The items of a window. A long run is read as stretches, followed by the rest of the stretch that it is in. */
async function readStretches<T>(first: Stretch<T>, { skip, take }: Window): Promise<Part<T>> {
  const stretches = [first]
  const found: Part<T> = { items: [], passed: 0 }
  // The list grows while it is read.
  for (const [n, stretch] of stretches.entries()) {
    const left = { skip: skip - found.passed, take: take - found.items.length }
    const { items, passed, longRun } = await (stretch.listing.runs === 'rows' ? readRows : readRuns)(stretch, left)
    const { values } = stretch
    found.items.push(
      ...items.map(({ record, position }) => ({
        record,
        position: { ...position, values: [...values, ...position.values] },
      })),
    )
    found.passed += passed
    if (found.items.length >= take) break
    const inside = { skip: skip - found.passed, take: take - found.items.length }
    if (longRun !== undefined) stretches.splice(n + 1, 0, ...(await stretchesOfRun(stretch, longRun, inside)))
  }
  return found
}

/** The stretches of a long run, and the stretch after it. */
async function stretchesOfRun<T>(
  { listing, segment, values, after }: Stretch<T>,
  sortValue: string,
  { skip, take }: Window,
): Promise<Stretch<T>[]> {
  const { order, longRuns } = listing
  const run = longRuns?.within(sortValue, segment.lists)
  if (!run) return []
  const value = keys.valueOrNull(sortValue)
  const position = after && after.values[0] === value ? withoutValues(after, 1) : undefined
  const window = { skip, take, after: position }
  const behind = openRows(listing, segment, behindRun(order, sortValue))
  return [
    ...(await beginStretches(order.backwards ? backwards(run) : run, [...values, value], window)),
    { listing, segment, values, after: undefined, rows: behind },
  ]
}

/** What was read of a stretch, up to a long run if there is one: `longRun` is the value that its rows share. */
type ReadPart<T> = Part<T> & { longRun?: string }

/** Reads rows that are in order. */
async function readRows<T>({ listing, after, rows }: Stretch<T>, { skip, take }: Window): Promise<ReadPart<T>> {
  const passed = skip > 0 ? await rows.skip(skip, take) : 0
  const items: Positioned<T>[] = []
  let count = take
  while (items.length < take) {
    const some = await rows.take(count)
    if (some.length === 0) break
    items.push(...(await positioned(listing, await listing.load(some), after)))
    count = Math.min(2 * count, Math.max(take, MOST_AT_ONCE))
  }
  return { items: items.slice(0, take), passed }
}

/** Reads rows run by run, and sorts each run. Runs before the window are only counted. */
async function readRuns<T>({ listing, after, rows }: Stretch<T>, { skip, take }: Window): Promise<ReadPart<T>> {
  const items: Positioned<T>[] = []
  let passed = 0
  let [first] = await rows.take(1, likelyRows(listing, { skip, take }))
  while (first && items.length < take) {
    const left = { skip: skip - passed, take: take - items.length }
    const run = await readRun(listing, rows, first, left)
    if (run.isTooLong) return { items, passed, longRun: run.value }
    const loaded = run.isBefore ? [] : await listing.load(run.rows)
    const before = run.isBefore ? run.size : Math.min(left.skip, loaded.length)
    if (loaded.length > before) items.push(...(await positioned(listing, loaded, after)).slice(before))
    passed += before
    first = run.next
  }
  return { items: items.slice(0, take), passed }
}

/** Reads a run, from its first row on. A run before the window may have any length, as its rows are not kept. */
async function readRun<T>(
  { runs, order, longRuns, ahead }: Listing<T>,
  rows: Rows,
  first: Item,
  { skip, take }: Window,
) {
  const valueIn = (row: Item): string => {
    const place = keys.placeIn(row, order.index)
    return runs === 'values' ? keys.sortValueOf(place) : place
  }
  const most = longRuns ? longRuns.most(skip + take) : Number.POSITIVE_INFINITY
  const run = { value: valueIn(first), rows: [] as Item[], size: 0, isTooLong: false, isBefore: false }
  let next: Item | undefined = first
  while (next && valueIn(next) === run.value) {
    if (run.size >= Math.max(most, skip)) return { ...run, isTooLong: true, next }
    run.size++
    if (run.size <= most) run.rows.push(next)
    ;[next] = await rows.take(1, ahead ?? take)
  }
  // If the listing has no long runs, `load` may drop rows: only what it returns can be counted.
  return { ...run, isBefore: longRuns !== undefined && run.size <= skip, next }
}

/** Items with their positions, those of a run in order. Only items after the position `after` are returned. */
async function positioned<T>(
  { sorts, runs, order, positionsOf }: Listing<T>,
  items: readonly T[],
  after: Position | undefined,
): Promise<Positioned<T>[]> {
  const compare = comparing(sorts)
  const positions = await positionsOf(items)
  const all = items.map((record, n) => ({ record, position: positions[n] as Position }))
  if (runs !== 'rows') all.sort((a, b) => compare(a.position, b.position) * (order.backwards ? -1 : 1))
  return after ? all.filter(({ position }) => compare(position, after) > 0) : all
}

/** The place from which a list is read after a position: the start of the run that has this position. */
function startOf<T>({ order, runs }: Listing<T>, { values: [first = null, ...others], id }: Position): string {
  const lead = first ?? keys.MISSING
  if (runs === 'values') return isDownwards(order) ? keys.placeAt(lead, LAST) : lead
  const names = [lead, ...others.map((value) => keys.textOfValue(value ?? ''))]
  // The id may consist of a user and a role: then several rows share a place.
  const [user = ''] = id.split(SEPARATOR)
  const place = order.index === 'by_id' ? user : keys.placeAt(names.join(SEPARATOR), user)
  return isDownwards(order) === (user === id) ? keys.justBefore(place) : place
}
