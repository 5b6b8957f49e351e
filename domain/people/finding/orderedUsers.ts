import { isPast } from '../../base/text.ts'
import { afterPreviousPage, isDeep, type ListSize, type Window } from '../../request/askedPage.ts'
import type { Context } from '../../request/context.ts'
import { limitedPage, refuseTooFar } from '../../request/pageBudget.ts'
import { type Listing, readPage, type Segment } from '../../request/readPage.ts'
import { comparing, type Position, positionOfRow } from '../../request/sorting.ts'
import * as keys from '../../table/keys.ts'
import type { Item } from '../../table/store.ts'
import type { UserRecord } from '../records/user.ts'
import {
  fieldValue,
  listOfName,
  listsOf,
  matchesStatusAndRole,
  nameOfList,
  orderOf,
  positionOf,
  type SortedRead,
  sortableOf,
  sortableOfRow,
  sortedReadOf,
  type UserFilter,
  type UserList,
  type UserSorting,
  valueIn,
} from '../records/userLists.ts'
import { loadUsers } from '../records/userReference.ts'
import { countAndMoves, countEach, countUsers } from '../records/userTotals.ts'

type Reader = Pick<Context, 'store' | 'now'>

/** Rows read beyond the page, to see the end of a tie. */
const REST_OF_TIE = 100
/** A longer tie is not sorted in memory: it is read again, in the order of the next field. */
const LONGEST_TIE = 20_000
/**
 * From this size on, reading the tie in the order of the next field's index is cheaper than sorting it. `items`: how many items
 * come before the end of the page.
 */
const longTie = (items: number): number => Math.min(LONGEST_TIE, Math.ceil(Math.sqrt(items * 100_000)))
/** The same if sorting needs the users' records. */
const LONGEST_TIE_OF_RECORDS = 500
/**
 * Rows read beyond the page in the index of the next field. Most of its users are not in the tie, so a read of the page's size
 * would find few: reading more saves round trips.
 */
const ROWS_OUTSIDE_TIE = 500

/**
 * A page of users without a search, shown by `show`. The index of the sort is read in order, so the first page costs
 * the same in an organisation of any size.
 */
export async function orderedUsers<V>(
  context: Reader,
  filter: UserFilter,
  window: Window,
  show: (users: UserRecord[]) => Promise<V[]>,
): Promise<{ users: V[] } & ListSize> {
  const lists = listsOf(filter)
  const sortedRead = sortedReadOf(filter.sorts, lists)
  const sizes = isDeep(window) ? await countEach(context, sortedRead.segments) : undefined
  const total = sizes?.reduce((sum, size) => sum + size, 0)
  if (total !== undefined && window.skip >= total) return { users: [], total, next: undefined }
  const from = afterPreviousPage(window, total)
  const store = limitedPage(context.store, from, sizes)
  const listing = listingOf({ ...context, store }, sortedRead, { order: orderOf(filter.sorts), sizes })
  const readRows = from.skip === 0 && lists.length > 1 ? readWithMoves : readOnce
  const { rows, hasMore, users, count } = await readRows<V>(context, {
    listing,
    lists,
    take: window.take,
    needsCount: window.after === undefined && total === undefined,
    read: () => readPage(listing, { ...from, take: from.take + 1 }).catch(refuseTooFar),
    // An index is a moment late: it can show a user in a list that they have left.
    show: (some, records) =>
      show(
        some
          .flatMap((row) => records.get(keys.userOfRow(row)) ?? [])
          .filter((user) => matchesStatusAndRole(user, filter)),
      ),
  })
  const last = rows.at(-1)
  return {
    users,
    total: window.after ? undefined : (total ?? count),
    next: hasMore && last ? listing.positionOf(last) : undefined,
  }
}

type Wanted<V> = {
  listing: Listing<Item>
  lists: readonly UserList[]
  /** Whether the lists have to be counted for the total. */
  needsCount: boolean
  take: number
  /** Reads the rows of the page, and one more if there are more. */
  read: () => Promise<Item[]>
  /** What the answer shows of the users of rows. */
  show: (rows: readonly Item[], users: Map<string, UserRecord>) => Promise<V[]>
}
/** The rows and users of the page, and whether there are more. */
type ReadPage<V> = { rows: Item[]; hasMore: boolean; users: V[]; count: number | undefined }

const loadRows = (context: Reader, rows: readonly Item[]) => loadUsers(context, rows.map(keys.userOfRow))

/** Reads a page, and counts the lists in parallel. */
async function readOnce<V>(context: Reader, wanted: Wanted<V>): Promise<ReadPage<V>> {
  const { listing, lists, needsCount, take, read, show } = wanted
  const [found, count] = await Promise.all([read(), needsCount ? countUsers(context, lists) : undefined])
  const rows = mergeReads(listing, found, []).slice(0, take)
  return { rows, hasMore: found.length > take, users: await show(rows, await loadRows(context, rows)), count }
}

/**
 * Reads a page without missing a user who is in one of the lists all the time. A user who moves from one list to
 * another while both are read may be seen in neither. The counters, which are read afterwards, show such moves; then
 * the lists are read again.
 */
async function readWithMoves<V>(context: Reader, wanted: Wanted<V>): Promise<ReadPage<V>> {
  const { listing, lists, needsCount, take, read, show } = wanted
  const first = await read()
  const rows = mergeReads(listing, first, []).slice(0, take)
  const [records, { count, hasMoves }] = await Promise.all([
    loadRows(context, rows),
    countAndMoves(context, needsCount ? lists : []),
  ])
  // The second read seldom shows another user, so the page is made in parallel.
  const [users, again] = await Promise.all([show(rows, records), hasMoves ? read() : []])
  const all = mergeReads(listing, first, again)
  const hasMore = Math.max(first.length, again.length, all.length) > take
  const merged = all.slice(0, take)
  const isOf = (row: Item, one: Item | undefined): boolean => !!one && keys.userOfRow(row) === keys.userOfRow(one)
  if (merged.every((row, n) => isOf(row, rows[n]))) return { rows: merged, hasMore, users, count }
  const late = await loadRows(
    context,
    merged.filter((row) => !records.has(keys.userOfRow(row))),
  )
  return { rows: merged, hasMore, users: await show(merged, new Map([...records, ...late])), count }
}

/** The rows of two reads in order, each user once: a user who moves from one list to another may be seen in both. */
function mergeReads({ sorts, positionOf }: Listing<Item>, first: readonly Item[], again: readonly Item[]): Item[] {
  const compare = comparing(sorts)
  const all = [...new Map([...first, ...again].map((row) => [keys.userOfRow(row), row])).values()]
  return again.length === 0 ? all : all.sort((a, b) => compare(positionOf(a), positionOf(b)))
}

type ListingPart = {
  /** The fields that order the whole list, and how many of them come before those of the read. */
  order: readonly UserSorting[]
  shared?: number
  /** The sizes of the segments, if counted. */
  sizes?: readonly number[] | undefined
  /** Whether a row is in the long ties that are being read. */
  isInTie?: (row: Item) => boolean
  /** The users whose records were read for the order. */
  users?: Map<string, UserRecord>
}

/** The rows of users in the order of a sort: all, or with `isInTie` those of a long tie. */
function listingOf(context: Reader, sortedRead: SortedRead, among: ListingPart): Listing<Item> {
  const { order, shared = 0, sizes, isInTie, users = new Map() } = among
  const { leading, segments, index, descending, sorts } = sortedRead
  const [first, ...further] = sorts
  const needsRecords = index !== 'by_updated_at' && further.some(({ field }) => field === 'UPDATED_AT')
  const isInLongTies = isInTie ?? (() => true)
  const isInOrder = shared === 0 && further.length === 0
  const longTies = {
    most: (items: number) => (needsRecords ? LONGEST_TIE_OF_RECORDS : longTie(items)),
    listingInTie: (value: string, { lists }: Segment) => {
      const isOfValue = (row: Item): boolean =>
        first !== undefined && fieldValue(sortableOfRow(row), first.field) === (keys.valueOrNull(value) ?? undefined)
      const some = lists.flatMap((name) => listOfName.get(name) ?? [])
      const isInside = (row: Item): boolean => isInLongTies(row) && isOfValue(row)
      const part = { order, shared: shared + leading.length + 1, isInTie: isInside, users }
      return { ...listingOf(context, sortedReadOf(further, some), part), extraRows: ROWS_OUTSIDE_TIE }
    },
  }
  return {
    store: context.store,
    segments: segments.map((lists, n) => ({
      lists: lists.map(nameOfList),
      values: leading.map((sort) => (lists[0] ? valueIn(lists[0], sort) : '')),
      size: sizes?.[n],
    })),
    order: { index, descending },
    sorts: order,
    shared,
    keep: (row) => !isPast(row.deletion_at as string | undefined, context.now) && isInLongTies(row),
    // Only users pending deletion can be past their deadline.
    keepsAllRows: (name) => isInTie === undefined && listOfName.get(name)?.status !== 'PENDING_DELETION',
    load: (rows) => rows,
    prepare: async (rows) => {
      if (needsRecords) for (const [id, user] of await loadRows(context, rows)) users.set(id, user)
    },
    positionOf: (row) => {
      if (isInOrder) return positionOfListed(row, sortedRead)
      const user = users.get(keys.userOfRow(row))
      return positionOf(user ? sortableOf(user) : sortableOfRow(row), order)
    },
    ...(further.length === 0 ? { ties: 'rows' } : { ties: 'values', extraRows: REST_OF_TIE }),
    // Rows do not say when their users were changed last, so equal times are sorted in memory, whatever their
    // length.
    ...(further.length === 0 || index === 'by_updated_at' ? {} : { longTies }),
  }
}

/** The position of a row of lists whose index has the whole order. */
function positionOfListed(row: Item, { leading, index }: SortedRead): Position {
  const { values, id } = positionOfRow(row, index)
  const list = leading.length > 0 ? listOfName.get(String(row.list)) : undefined
  return { values: [...(list ? leading.map((sort) => valueIn(list, sort)) : []), ...values], id }
}
