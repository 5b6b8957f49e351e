import { roles as allRoles, statuses as allStatuses } from '../../schemas/userRecords.ts'
import { isPast } from '../base/moments.ts'
import type { Context } from '../request/context.ts'
import { isBehindAll, type Window } from '../request/paging.ts'
import * as keys from '../table/keys.ts'
import { listRanges, mergeLists, placeIn, type Rows, runsOf } from '../table/lists.ts'
import * as places from '../table/places.ts'
import type { Item, Range } from '../table/store.ts'
import { loadUsers, type UserRecord, type UserStatus } from './user.ts'
import { countUsers } from './userCounts.ts'
import { indexOf, sortableOf, sortUsers, type UserFilter, type UserPage, type UserSorting } from './userLists.ts'

/** The users of one status and role. */
type List = { status: UserStatus; role: UserRecord['role'] }
type Plan = { segments: List[][]; index: string; descending: boolean; sorts: UserSorting[] }

/** Users in the order of the sort. A run of ties is yet to be ordered by `sorts`; then the part of it on the page is taken. */
type Part = { ids: string[]; run?: { sorts: UserSorting[]; skip: number; take: number } }

/** Lists that stand one behind the other are all begun at once, if the page ends before this row. */
const SHALLOW = 1000
/** Rows read beyond the page when a run of equal leading values must be seen to its end. */
const REST_OF_RUN = 100
/** A longer run is read again in the order of the next field; a shorter one is ordered by its users' records. */
const SHORT_RUN = 500

/** Users without search. The index of the sort is read in order, so the first page costs the same in a directory of any size. */
export async function orderedUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  const statuses = filter.statuses.length > 0 ? filter.statuses : allStatuses
  const roles = filter.roles.length > 0 ? filter.roles : allRoles
  const lists = statuses.flatMap((status) => roles.map((role): List => ({ status, role })))
  const plan = planOf(filter.sorts, lists)
  const counted = countUsers(context, lists)
  if (await isBehindAll(window, counted)) return { users: [], total: await counted }
  const keep = (row: Item): boolean => !isPast(row.deletion_at as string | undefined, context.now)
  const [parts, total] = await Promise.all([readWindow({ store: context.store, keep }, plan, window), counted])
  const users = (await Promise.all(parts.map((part) => usersOf(context, part)))).flat()
  // An index lags a moment behind: it can show a user in the old list and in the new one.
  const isAsked = ({ status, role }: UserRecord): boolean => statuses.includes(status) && roles.includes(role)
  const shown = new Map(users.filter(isAsked).map((user) => [user.id, user]))
  return { users: [...shown.values()], total }
}

/** The users of a part; a run is ordered in memory. */
async function usersOf(context: Context, { ids, run }: Part): Promise<UserRecord[]> {
  const users = [...(await loadUsers(context, ids)).values()]
  if (!run) return users
  const ordered = sortUsers(users.map(sortableOf), run.sorts)
  return ordered.slice(run.skip, run.skip + run.take).map(({ record }) => record)
}

/** Leading STATUS and ROLE put lists one behind the other; the next field orders each of them by its index. */
function planOf(sorts: readonly UserSorting[], all: readonly List[]): Plan {
  const leading = sorts.findIndex(({ field }) => field !== 'STATUS' && field !== 'ROLE')
  const splitting = leading < 0 ? sorts : sorts.slice(0, leading)
  const rest = leading < 0 ? [] : sorts.slice(leading)
  let segments: List[][] = [[...all]]
  for (const { field, descending } of splitting) {
    const of = (one: List): string => (field === 'STATUS' ? one.status : one.role)
    const values = [...new Set(all.map(of))].sort()
    if (descending) values.reverse()
    segments = segments.flatMap((segment) => values.map((value) => segment.filter((one) => of(one) === value)))
  }
  const [first] = rest
  return {
    segments: segments.filter((segment) => segment.length > 0),
    index: (first && indexOf[first.field]) ?? 'by_id',
    descending: (first ?? sorts.at(-1))?.descending ?? false,
    sorts: rest,
  }
}

/** Where rows are read, and which of them are kept. */
type Reading = { store: Pick<Context['store'], 'query'>; keep: (row: Item) => boolean }
/** Lists that are merged into one sequence. */
type Segment = { reading: Reading; plan: Plan; lists: List[]; rows: Rows }
type Read = { parts: Part[]; skipped: number; taken: number }

/** Further fields leave runs of equal leading values, which are ordered on their own. */
const hasRuns = ({ sorts }: Plan): boolean => sorts.length > 1

async function readWindow(reading: Reading, plan: Plan, { skip, take }: Window): Promise<Part[]> {
  const segments = plan.segments.map((lists): Segment => {
    const rows = mergeLists(reading.store, rangesOf(lists, plan), reading.keep)
    return { reading, plan, lists, rows }
  })
  const likely = skip + take + (hasRuns(plan) ? REST_OF_RUN : 0)
  if (likely <= SHALLOW) await Promise.all(segments.map(({ rows }) => rows.begin(likely)))
  const parts: Part[] = []
  let [toSkip, toTake] = [skip, take]
  for (const segment of segments) {
    if (toTake <= 0) break
    const read = await (hasRuns(plan) ? readRuns : readRows)(segment, { skip: toSkip, take: toTake })
    parts.push(...read.parts)
    toSkip -= read.skipped
    toTake -= read.taken
  }
  return parts
}

async function readRows({ rows }: Segment, { skip, take }: Window): Promise<Read> {
  const read = await rows.take(skip + take)
  const ids = read.slice(skip).map(keys.userOfRow)
  return { parts: [{ ids }], skipped: Math.min(skip, read.length), taken: ids.length }
}

/** Reads runs of equal leading values; those before the page are only counted. */
async function readRuns(segment: Segment, { skip, take }: Window): Promise<Read> {
  const { plan, rows } = segment
  const parts: Part[] = []
  let [passed, taken] = [0, 0]
  const leadIn = (row: Item): string => places.leadOf(placeIn(row, plan.index))
  for await (const run of runsOf(rows, leadIn, skip + take + REST_OF_RUN, REST_OF_RUN)) {
    const ids = run.map(keys.userOfRow)
    const from = Math.max(0, skip - passed)
    const window = { skip: from, take: Math.min(take - taken, Math.max(0, ids.length - from)) }
    if (window.take > 0) parts.push(...(await partsOfRun(segment, ids, window)))
    taken += window.take
    passed += ids.length
    if (taken >= take) break
  }
  return { parts, skipped: Math.min(skip, passed), taken }
}

/** The part of a run that is on the page. */
async function partsOfRun({ reading, plan, lists }: Segment, ids: string[], window: Window): Promise<Part[]> {
  if (ids.length <= SHORT_RUN) return [{ ids, run: { ...window, sorts: plan.sorts } }]
  const run = new Set(ids)
  const keep = (row: Item): boolean => run.has(keys.userOfRow(row)) && reading.keep(row)
  return readWindow({ store: reading.store, keep }, planOf(plan.sorts.slice(1), lists), window)
}

const rangesOf = (lists: readonly List[], { index, descending }: Plan): Range[] =>
  lists.flatMap(({ status, role }) => listRanges(places.userList(status, role), index, descending))
