import { roles as allRoles, statuses as allStatuses } from '../../schemas/contract.ts'
import { isPast } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import { isDeep, type Listing, readPage } from '../request/pager.ts'
import type { Window } from '../request/paging.ts'
import { rankOfRow } from '../request/rows.ts'
import { comparing, type Rank, type Ranked } from '../request/sorting.ts'
import * as keys from '../table/keys.ts'
import { placeIn } from '../table/lists.ts'
import * as places from '../table/places.ts'
import type { Item } from '../table/store.ts'
import { loadUsers, type UserRecord } from './user.ts'
import { countEach, countUsers } from './userCounts.ts'
import {
  fieldValue,
  indexOf,
  orderOf,
  rankOf,
  type Sortable,
  sortableOf,
  type UserFilter,
  type UserList,
  type UserPage,
  type UserSorting,
} from './userLists.ts'
import { profileOfHint } from './userSearch.ts'

/** Rows read beyond the page when a run of equal leading values must be seen to its end. */
const REST_OF_RUN = 100
/** A longer run is not put in order in memory: it is read again, in the order of the next field. */
const LONGEST_RUN = 20_000
/**
 * In a directory of so many users, a run of this many or more is in order sooner by the index of the next field, which has
 * one user of the run among so many others.
 */
const longRun = (items: number): number => Math.min(LONGEST_RUN, Math.ceil(Math.sqrt(items * 100_000)))
/** The same where the users' records must be read for it. */
const LONGEST_RUN_OF_RECORDS = 500

/** Users without search. The index of the sort is read in order, so the first page costs the same in a directory of any size. */
export async function orderedUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  const statuses = filter.statuses.length > 0 ? filter.statuses : allStatuses
  const roles = filter.roles.length > 0 ? filter.roles : allRoles
  const lists = statuses.flatMap((status) => roles.map((role): UserList => ({ status, role })))
  const plan = planOf(filter.sorts, lists)
  const sizes = isDeep(window) ? await countEach(context, plan.segments) : undefined
  const total = sizes?.reduce((sum, size) => sum + size, 0)
  if (total !== undefined && window.skip >= total) return { users: [], total, next: undefined }
  const keep = (row: Item): boolean => !isPast(row.deletion_at as string | undefined, context.now)
  const read = () => readPage(listingOf(context, plan, keep, sizes), { ...window, take: window.take + 1 })
  const [first, counted] = await Promise.all([read(), total ?? (window.after ? undefined : countUsers(context, lists))])
  const load = (rows: readonly Ranked<Item>[]) => loadUsers(context, rows.map(idOf))
  // Who moves from one list to another while both are read can be seen in neither: a walk by cursor looks again.
  const [early, again] = await Promise.all([load(first.slice(0, window.take)), window.after ? read() : []])
  const rows = together(first, again, orderOf(filter.sorts))
  const shown = rows.slice(0, window.take)
  const late = await load(shown.filter((row) => !first.some((other) => idOf(other) === idOf(row))))
  const users = shown.flatMap((row) => early.get(idOf(row)) ?? late.get(idOf(row)) ?? [])
  // An index lags a moment behind: it can show a user in the old list and in the new one.
  const isAsked = ({ status, role }: UserRecord): boolean => statuses.includes(status) && roles.includes(role)
  const next = rows.length > shown.length ? shown.at(-1)?.rank : undefined
  return { users: users.filter(isAsked), total: counted, next }
}

const idOf = ({ record }: Ranked<Item>): string => keys.userOfRow(record)

/** The rows of two reads in order, each user once. */
function together(first: Ranked<Item>[], again: Ranked<Item>[], order: readonly UserSorting[]): Ranked<Item>[] {
  const known = new Set(first.map(idOf))
  const missed = again.filter((row) => !known.has(idOf(row)))
  const compare = comparing(order)
  return missed.length === 0 ? first : [...first, ...missed].sort((a, b) => compare(a.rank, b.rank))
}

/**
 * Segments of lists stand one behind the other, as the leading fields STATUS and ROLE put them. The lists of each are
 * merged by an index, which the next field names.
 */
export type Plan = {
  leading: readonly UserSorting[]
  segments: UserList[][]
  index: string
  descending: boolean
  sorts: readonly UserSorting[]
}

/** How users are read in the order of a sort. */
export function planOf(sorts: readonly UserSorting[], lists: readonly UserList[]): Plan {
  const first = sorts.findIndex(({ field }) => field !== 'STATUS' && field !== 'ROLE')
  const rest = first < 0 ? [] : sorts.slice(first)
  const leading = sorts.slice(0, sorts.length - rest.length)
  let segments: UserList[][] = [[...lists]]
  for (const sort of leading) {
    const values = [...new Set(lists.map((list) => valueIn(list, sort)))].sort()
    if (sort.descending) values.reverse()
    segments = segments.flatMap((some) => values.map((value) => some.filter((one) => valueIn(one, sort) === value)))
  }
  const [by] = rest
  return {
    leading,
    segments: segments.filter(({ length }) => length > 0),
    index: (by && indexOf[by.field]) ?? 'by_id',
    descending: (by ?? sorts.at(-1))?.descending ?? false,
    sorts: rest,
  }
}

const valueIn = ({ status, role }: UserList, { field }: UserSorting): string => (field === 'STATUS' ? status : role)

const nameOf = ({ status, role }: UserList): string => places.userList(status, role)

/** All lists of users by their names. */
const listOf = new Map(
  allStatuses.flatMap((status) => allRoles.map((role) => [places.userList(status, role), { status, role }] as const)),
)

type Keep = (row: Item) => boolean

/** The rows of users in the order of a plan. */
function listingOf(context: Context, plan: Plan, keep: Keep, sizes?: readonly number[]): Listing<Item> {
  const { leading, segments, index, descending, sorts } = plan
  const [first, ...further] = sorts
  const needsRecords = index !== 'by_updated_at' && further.some(({ field }) => field === 'UPDATED_AT')
  const order = orderOf(sorts)
  const rank = async (rows: readonly Item[]): Promise<Rank[]> => {
    if (further.length === 0) return rows.map((row) => rankOfRow(row, index))
    const users = needsRecords ? await loadUsers(context, rows.map(keys.userOfRow)) : undefined
    return rows.map((row) => {
      const user = users?.get(keys.userOfRow(row))
      return rankOf(user ? sortableOf(user) : sortableOfRow(row, index), order)
    })
  }
  const longRuns = {
    most: (items: number) => (needsRecords ? LONGEST_RUN_OF_RECORDS : longRun(items)),
    within: (value: string, lists: readonly string[]) => {
      const isInRun = (row: Item): boolean =>
        first !== undefined &&
        fieldValue(sortableOfRow(row, index), first.field) === (places.valueOfLead(value) ?? undefined)
      const some = lists.flatMap((name) => listOf.get(name) ?? [])
      return listingOf(context, planOf(further, some), (row) => keep(row) && isInRun(row))
    },
  }
  return {
    store: context.store,
    segments: segments.map((lists, n) => ({
      lists: lists.map(nameOf),
      values: leading.map((sort) => (lists[0] ? valueIn(lists[0], sort) : '')),
      size: sizes?.[n],
    })),
    order: { index, descending },
    sorts: order.length > 0 ? order : [{ field: index, descending }],
    keep,
    load: (rows) => rows,
    rank,
    ...(further.length === 0 ? { runs: 'rows' } : { runs: 'values', ahead: REST_OF_RUN }),
    // Rows do not say when their users were changed last: runs of that are put in order in memory, however long.
    ...(further.length === 0 || index === 'by_updated_at' ? {} : { longRuns }),
  }
}

/** What the row of a user says of them. */
function sortableOfRow(row: Item, index: string): Sortable {
  const list = listOf.get(String(row.list))
  const updated = index === 'by_updated_at' ? places.textOf(places.leadOf(placeIn(row, index))) : undefined
  return {
    id: keys.userOfRow(row),
    profile: profileOfHint(String(row.hint)),
    ...list,
    ...(updated === undefined ? {} : { updated_at: updated }),
  }
}
