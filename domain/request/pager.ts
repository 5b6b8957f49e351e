import { SEPARATOR } from '../base/text.ts'
import { LAST } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { behindRun, isDownwards, mergeLists, type Order, type Rows } from '../table/lists.ts'
import type { Item, Store } from '../table/store.ts'
import type { Window } from './paging.ts'
import { comparing, type Rank, type Ranked, type Run, runsOf, type Sorting } from './sorting.ts'

/** Lists that are merged. Where some stand behind others, `values` is what the leading fields of the sort are for these. */
export type Segment = { lists: readonly string[]; values: readonly string[]; size?: number | undefined }

/** A list of items that stand for rows of an index. */
export type Listing<T> = {
  store: Pick<Store, 'query'>
  segments: readonly Segment[]
  /** The index whose order the segments are read in. */
  order: Order
  /** The directions of all values that order items in their segment. */
  sorts: readonly Sorting[]
  /** What is put in order as a whole: each row is; rows of one place; rows of one value. */
  runs: 'rows' | 'places' | 'values'
  /** Whether a row can belong to the list, as far as the index tells. */
  keep: (row: Item) => boolean
  /** Whether each row of a list is kept and stands for an item: see mergeLists. */
  isWhole?: (list: string) => boolean
  /** What rows stand for; leaves out what does not belong to the list. It is given each row once, a run at a time. */
  load: (rows: readonly Item[]) => readonly T[] | Promise<readonly T[]>
  /** What orders items in their segment. */
  rank: (items: readonly T[]) => readonly Rank[] | Promise<readonly Rank[]>
  /** Rows that are read beyond the page: to see the end of a run, or as many are left out. */
  ahead?: number
  /**
   * A run that is too long to be put in order in memory, as a list of its own. Each row of it is one item. `most` rows are
   * put in order in memory for a page of so many items, those before it included.
   */
  longRuns?: { most: (items: number) => number; within: (value: string, lists: readonly string[]) => Listing<T> }
}

/** A page that ends before this row is read from the beginning, all segments at once. */
const SHALLOW = 1000
/** Rows that are read at once where many are left out. */
const MOST_AT_ONCE = 100

/** Whether a page is so far behind the first that the sizes of segments are to be known before it is read. */
export const isDeep = ({ skip, take }: Window): boolean => skip + take > SHALLOW

/**
 * Items behind a position, or behind so many others. Where the size of a segment is known, it is read from the end that is
 * nearer, or not at all.
 */
export async function readPage<T>(listing: Listing<T>, { skip, take, after }: Window): Promise<Ranked<T>[]> {
  const all = listing.order.backwards ? listing.segments.toReversed() : listing.segments
  const begun = all.slice(after ? all.findIndex((one) => holds(one, after)) : 0).map((segment, n) => {
    const position = after && n === 0 ? inside(segment, after) : undefined
    const start = position && startOf(listing, position)
    return { segment, position, rows: open(listing, segment, start, !isDeep({ skip, take })) }
  })
  if (!isDeep({ skip, take })) {
    await Promise.all(begun.map(({ rows }) => rows.begin(likely(listing, { skip, take }))))
  }
  const found: Ranked<T>[] = []
  let left = skip
  for (const { segment, position, rows } of begun) {
    const window = { skip: left, take: take - found.length, after: position }
    const { items, passed } = await readSegment(listing, segment, window, rows)
    found.push(...items.map((one) => outside(segment, one)))
    left -= passed
    if (found.length >= take) break
  }
  return found
}

/** How many rows a window likely needs: one more than items, where the end of a run must be seen. */
const likely = <T>({ runs, ahead = runs === 'rows' ? 0 : 1 }: Listing<T>, { skip, take }: Window): number =>
  skip + take + ahead

const holds = ({ values }: Segment, { values: all }: Rank): boolean => values.every((value, n) => value === all[n])
const inside = ({ values }: Pick<Rank, 'values'>, rank: Rank): Rank => ({
  ...rank,
  values: rank.values.slice(values.length),
})
const outside = <T>({ values }: Pick<Rank, 'values'>, { record, rank }: Ranked<T>): Ranked<T> => ({
  record,
  rank: { ...rank, values: [...values, ...rank.values] },
})

const open = <T>(
  { store, order, keep, isWhole }: Listing<T>,
  { lists }: Segment,
  start?: string,
  eager = false,
): Rows => mergeLists(store, { lists, ...order, keep, isWhole, start, eager: eager && start === undefined })

/** Items in order, and how many were passed over before them. */
type Part<T> = { items: Ranked<T>[]; passed: number }

async function readSegment<T>(listing: Listing<T>, segment: Segment, window: Window, rows: Rows): Promise<Part<T>> {
  const { size = Number.POSITIVE_INFINITY } = segment
  const { skip, take } = window
  if (skip >= size) return { items: [], passed: size }
  const end = Math.min(size, skip + take)
  if (!isDeep(window) || skip <= size - end) return readRows(listing, segment, window, rows)
  const reversed = backwards(listing)
  const fromEnd = { skip: size - end, take: end - skip }
  const { items } = await readRows(reversed, segment, fromEnd, open(reversed, segment))
  return { items: items.reverse(), passed: skip }
}

const backwards = <T>(listing: Listing<T>): Listing<T> => ({
  ...listing,
  order: { ...listing.order, backwards: !listing.order.backwards },
})

/** Reads the items of a window: row by row where rows are in order, else run by run. */
async function readRows<T>(listing: Listing<T>, segment: Segment, window: Window, rows: Rows): Promise<Part<T>> {
  if (listing.runs !== 'rows') return readRuns(listing, segment, window, rows)
  const { skip, take, after } = window
  const passed = skip > 0 ? await rows.skip(skip, take) : 0
  const items: Ranked<T>[] = []
  for (let count = take; items.length < take; count = Math.min(2 * count, Math.max(take, MOST_AT_ONCE))) {
    const some = await rows.take(count)
    if (some.length === 0) break
    items.push(...(await ranked(listing, await listing.load(some), after)))
  }
  return { items: items.slice(0, take), passed }
}

async function readRuns<T>(listing: Listing<T>, segment: Segment, window: Window, rows: Rows): Promise<Part<T>> {
  const { skip, take, after } = window
  const { order, longRuns } = listing
  const valueIn = (row: Item): string =>
    listing.runs === 'values' ? keys.sortValueOf(keys.placeIn(row, order.index)) : keys.placeIn(row, order.index)
  const items: Ranked<T>[] = []
  let passed = 0
  const enough = () => skip - passed
  const most = () => longRuns?.most(enough() + take - items.length) ?? Number.POSITIVE_INFINITY
  const steps = { ahead: likely(listing, window), step: listing.ahead ?? take, most, enough }
  for await (const run of runsOf(rows, valueIn, steps)) {
    const left = { skip: skip - passed, take: take - items.length, after }
    const part = await (run.isWhole ? readRun(listing, run, left) : readLongRun(listing, segment, run.value, left))
    items.push(...part.items)
    passed += part.passed
    if (items.length >= take) break
  }
  return { items: items.slice(0, take), passed }
}

/** The items of a run. Runs before the page are only counted. */
async function readRun<T>(listing: Listing<T>, { rows, size }: Run, { skip, after }: Window): Promise<Part<T>> {
  if (listing.longRuns && size <= skip) return { items: [], passed: size }
  const loaded = await listing.load(rows)
  if (loaded.length <= skip) return { items: [], passed: loaded.length }
  const items = await ranked(listing, loaded, after)
  return { items: items.slice(skip), passed: skip }
}

/** Items of a run that is too long for memory, and of the runs behind it. */
async function readLongRun<T>(listing: Listing<T>, segment: Segment, lead: string, window: Window): Promise<Part<T>> {
  const { skip, take, after } = window
  const { order, longRuns } = listing
  const value = { values: [keys.valueOrNull(lead)] }
  const within = longRuns?.within(lead, segment.lists)
  if (!within) return { items: [], passed: 0 }
  const position = after && after.values[0] === value.values[0] ? inside(value, after) : undefined
  const some = await readPage(order.backwards ? backwards(within) : within, { skip, take, after: position })
  const items = some.map((one) => outside(value, one))
  if (items.length >= take) return { items, passed: skip }
  const behind = open(listing, segment, behindRun(order, lead))
  const rest = await readRuns(listing, segment, { skip: 0, take: take - items.length }, behind)
  return { items: [...items, ...rest.items], passed: skip }
}

/** Items with their positions, those of a run in order; without those that are not behind a position. */
async function ranked<T>(
  { sorts, runs, order, rank }: Listing<T>,
  items: readonly T[],
  after: Rank | undefined,
): Promise<Ranked<T>[]> {
  const compare = comparing(sorts)
  const ranks = await rank(items)
  const all = items.map((record, n) => ({ record, rank: ranks[n] as Rank }))
  if (runs !== 'rows') all.sort((a, b) => compare(a.rank, b.rank) * (order.backwards ? -1 : 1))
  return after ? all.filter((one) => compare(one.rank, after) > 0) : all
}

/** The place where a list goes on behind a position: with the whole run that it lies in. */
function startOf<T>({ order, runs }: Listing<T>, { values: [first = null, ...others], id }: Rank): string {
  const lead = first ?? keys.MISSING
  if (runs === 'values') return isDownwards(order) ? keys.placeAt(lead, LAST) : lead
  const names = [lead, ...others.map((value) => keys.textOfValue(value ?? ''))]
  // Behind the id of the user there may be that of a role: several rows stand at one place.
  const [user = ''] = id.split(SEPARATOR)
  const place = order.index === 'by_id' ? user : keys.placeAt(names.join(SEPARATOR), user)
  return isDownwards(order) === (user === id) ? keys.justBefore(place) : place
}
