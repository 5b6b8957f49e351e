import { roles as allRoles, statuses as allStatuses } from '../../schemas/contract.ts'
import { isPast } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import { inRows, isBehindAll, nextInRows, type Window } from '../request/paging.ts'
import * as keys from '../table/keys.ts'
import { listRanges, mergeLists, placeIn, type Rows, runsOf } from '../table/lists.ts'
import * as places from '../table/places.ts'
import type { Item } from '../table/store.ts'
import { loadUsers, type UserRecord } from './user.ts'
import { countUsers } from './userCounts.ts'
import {
  indexOf,
  sortableOf,
  sortUsers,
  type UserFilter,
  type UserList,
  type UserPage,
  type UserSorting,
} from './userLists.ts'

/** A page that ends before this row ends early. */
const SHALLOW = 1000
/** Rows read beyond the page when a run of equal leading values must be seen to its end. */
const REST_OF_RUN = 100
/** A longer run is read again in the order of the next field; a shorter one is ordered by its users' records. */
const SHORT_RUN = 500

/** Users without search. The index of the sort is read in order, so the first page costs the same in a directory of any size. */
export async function orderedUsers(context: Context, filter: UserFilter, asked: Window): Promise<UserPage> {
  const window = inRows(asked)
  const statuses = filter.statuses.length > 0 ? filter.statuses : allStatuses
  const roles = filter.roles.length > 0 ? filter.roles : allRoles
  const lists = statuses.flatMap((status) => roles.map((role): UserList => ({ status, role })))
  const counted = countUsers(context, lists)
  if (await isBehindAll(window, counted)) return { users: [], total: await counted, next: undefined }
  const keep = (row: Item): boolean => !isPast(row.deletion_at as string | undefined, context.now)
  const reading = { store: context.store, keep }
  const [parts, total] = await Promise.all([partsOf(reading, planOf(filter.sorts, lists), window), counted])
  const users = (await Promise.all(parts.map((part) => usersOf(context, part)))).flat()
  // An index lags a moment behind: it can show a user in the old list and in the new one.
  const isAsked = ({ status, role }: UserRecord): boolean => statuses.includes(status) && roles.includes(role)
  const shown = new Map(users.filter(isAsked).map((user) => [user.id, user]))
  return { users: [...shown.values()], total, next: nextInRows(window, total) }
}

/** Users in the order of the sort. A run of ties is yet to be ordered by `sorts`; a part of it is on the page. */
type Part = { ids: string[]; run?: Window & { sorts: readonly UserSorting[] } }

async function usersOf(context: Context, { ids, run }: Part): Promise<UserRecord[]> {
  const users = [...(await loadUsers(context, ids)).values()]
  if (!run) return users
  const ordered = sortUsers(users.map(sortableOf), run.sorts)
  return ordered.slice(run.skip, run.skip + run.take).map(({ record }) => record)
}

/** Segments of lists stand one behind the other. The lists of each are merged by an index, which the first sort names. */
type Plan = { segments: UserList[][]; index: string; descending: boolean; sorts: readonly UserSorting[] }

/** Leading STATUS and ROLE make segments; the next field is the order of an index. */
function planOf(sorts: readonly UserSorting[], lists: readonly UserList[]): Plan {
  const leading = sorts.findIndex(({ field }) => field !== 'STATUS' && field !== 'ROLE')
  const rest = leading < 0 ? [] : sorts.slice(leading)
  let segments: UserList[][] = [[...lists]]
  for (const { field, descending } of sorts.slice(0, sorts.length - rest.length)) {
    const valueIn = ({ status, role }: UserList): string => (field === 'STATUS' ? status : role)
    const values = [...new Set(lists.map(valueIn))].sort()
    if (descending) values.reverse()
    segments = segments.flatMap((some) => values.map((value) => some.filter((one) => valueIn(one) === value)))
  }
  const [first] = rest
  return {
    segments: segments.filter(({ length }) => length > 0),
    index: (first && indexOf[first.field]) ?? 'by_id',
    descending: (first ?? sorts.at(-1))?.descending ?? false,
    sorts: rest,
  }
}

/** Where rows are read, and which of them are kept. */
type Reading = { store: Pick<Context['store'], 'query'>; keep: (row: Item) => boolean }

/** The rows of each segment. They are begun at once if the page ends early. */
async function sequencesOf({ store, keep }: Reading, { segments, index, descending, sorts }: Plan, end: number) {
  const sequences = segments.map((lists) => {
    const ranges = lists.flatMap(({ status, role }) => listRanges(places.userList(status, role), index, descending))
    return { lists, rows: mergeLists(store, ranges, keep) }
  })
  const likely = sorts.length > 1 ? end + REST_OF_RUN : end
  if (likely <= SHALLOW) await Promise.all(sequences.map(({ rows }) => rows.begin(likely)))
  return sequences
}

/** Reads the rows of a window. Runs before it are only counted. */
async function partsOf(reading: Reading, plan: Plan, { skip, take }: Window): Promise<Part[]> {
  const end = skip + take
  const parts: Part[] = []
  let passed = 0
  for (const { lists, rows } of await sequencesOf(reading, plan, end))
    for await (const run of runsIn(rows, plan, end - passed)) {
      const from = Math.max(0, skip - passed)
      const to = Math.min(run.length, end - passed)
      if (from < to) parts.push(...(await partsOfRun(reading, plan, lists, run, { skip: from, take: to - from })))
      passed += run.length
      if (passed >= end) return parts
    }
  return parts
}

/** Further fields order runs of equal leading values on their own; without them, all rows that are wanted are one run. */
async function* runsIn(rows: Rows, { index, sorts }: Plan, wanted: number): AsyncGenerator<string[]> {
  const leadIn = (row: Item): string => places.leadOf(placeIn(row, index))
  const runs = sorts.length > 1 ? runsOf(rows, leadIn, wanted + REST_OF_RUN, REST_OF_RUN) : [await rows.take(wanted)]
  for await (const run of runs) yield run.map(keys.userOfRow)
}

/** The part of a run that is on the page. */
async function partsOfRun(
  { store, keep }: Reading,
  { sorts }: Plan,
  lists: readonly UserList[],
  ids: string[],
  page: Window,
): Promise<Part[]> {
  if (sorts.length < 2) return [{ ids: ids.slice(page.skip, page.skip + page.take) }]
  if (ids.length <= SHORT_RUN) return [{ ids, run: { ...page, sorts } }]
  const run = new Set(ids)
  const keepRun = (row: Item): boolean => run.has(keys.userOfRow(row)) && keep(row)
  return partsOf({ store, keep: keepRun }, planOf(sorts.slice(1), lists), page)
}
