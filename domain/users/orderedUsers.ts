import { statuses as allStatuses, roles } from '../../schemas/userValues.ts'
import { type Context, isPast } from '../context.ts'
import { listRanges, merged } from '../lists/merge.ts'
import * as keys from '../store/keys.ts'
import { all, type Item, type Range } from '../store/store.ts'
import type { UserFilter, UserPage } from './listUsers.ts'
import { loadUsers } from './loadUsers.ts'
import type { UserRecord, UserStatus } from './userRecord.ts'
import { comparator, indexOf, inOrder, type Sorting, sortableOf } from './userSorting.ts'
import { countAttribute } from './userWrites.ts'

type Window = { skip: number; take: number }
type Plan = { segments: string[][]; index: string; descending: boolean; runs: boolean; sorts: Sorting[] }

/** People in the order of the sort, but for ties within `ids`: those of them who belong on the page. */
type Part = { ids: string[]; skip: number; take: number }

/** Lists put one behind the other are all begun at once if the page is not further than this. */
const SHALLOW = 1000
/** Rows read beyond the page when a run of equal leading values must be seen to its end. */
const REST_OF_RUN = 100

/** From so many rows on, the total is asked before they are read. */
const DEEP = 10_000

/** Users without search: the sort's index is read in order, so that the first page costs the same at any size. */
export async function orderedUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  const statuses = filter.statuses.length > 0 ? filter.statuses : allStatuses
  const plan = planOf(filter.sorts, statuses)
  const counted = countUsers(context, statuses)
  // A page far behind the last one would read every row to find that out.
  if (window.skip >= DEEP && window.skip >= (await counted)) return { users: [], total: await counted }
  const [parts, total] = await Promise.all([readWindow(context, plan, window), counted])
  const users = (await Promise.all(parts.map((part) => usersOf(context, part, plan)))).flat()
  // An index may follow a moment late, and show a user in his old list and in his new one.
  const shown = new Map(users.filter(({ status }) => statuses.includes(status)).map((user) => [user.id, user]))
  return { users: [...shown.values()], total }
}

/** Only further sorts leave ties, which are ordered in memory. */
async function usersOf(context: Context, { ids, skip, take }: Part, plan: Plan): Promise<UserRecord[]> {
  const users = await loadUsers(context, ids)
  if (!plan.runs) return users
  const sorted = users.map((record) => ({ ...sortableOf(record), record })).sort(comparator(plan.sorts))
  return sorted.slice(skip, skip + take).map(({ record }) => record)
}

/** Leading STATUS and ROLE put lists one behind the other; the next field orders each of them by its index. */
export function planOf(sorts: readonly Sorting[], statuses: readonly UserStatus[]): Plan {
  const leading = sorts.findIndex(({ field }) => field !== 'STATUS' && field !== 'ROLE')
  const lists = leading < 0 ? sorts : sorts.slice(0, leading)
  const rest = leading < 0 ? [] : sorts.slice(leading)
  let segments: { status: UserStatus; role: (typeof roles)[number] }[][] = [
    statuses.flatMap((status) => roles.map((role) => ({ status, role }))),
  ]
  for (const { field, descending } of lists) {
    const values: readonly string[] = field === 'STATUS' ? inOrder(statuses, descending) : inOrder(roles, descending)
    const of = (one: { status: string; role: string }) => (field === 'STATUS' ? one.status : one.role)
    segments = segments.flatMap((segment) => values.map((value) => segment.filter((one) => of(one) === value)))
  }
  const [first] = rest
  return {
    segments: segments
      .filter((segment) => segment.length > 0)
      .map((segment) => segment.map(({ status, role }) => keys.userList(status, role))),
    index: (first && indexOf[first.field]) ?? 'by_id',
    descending: (first ?? sorts.at(-1))?.descending ?? false,
    runs: rest.length > 1,
    sorts: rest,
  }
}

async function readWindow({ store, now }: Context, plan: Plan, { skip, take }: Window): Promise<Part[]> {
  const isHere = (row: Item): boolean => !isPast(row.deletion_at as string | undefined, now)
  const sequences = plan.segments.map((lists) => merged(store, rangesOf(lists, plan), isHere))
  const likely = skip + take + (plan.runs ? REST_OF_RUN : 0)
  if (likely <= SHALLOW) await Promise.all(sequences.map((rows) => rows.begin(likely)))
  const parts: Part[] = []
  let [toSkip, toTake] = [skip, take]
  for (const rows of sequences) {
    if (toTake <= 0) break
    const read = await (plan.runs ? readRuns : readRows)(rows, plan.index, { skip: toSkip, take: toTake })
    parts.push(...read.parts)
    toSkip -= read.skipped
    toTake -= read.taken
  }
  return parts
}

type Rows = ReturnType<typeof merged>
type Read = { parts: Part[]; skipped: number; taken: number }

async function readRows(rows: Rows, _index: string, { skip, take }: Window): Promise<Read> {
  const read = await rows.take(skip + take)
  const ids = read.slice(skip).map(keys.userOfRow)
  return { parts: [{ ids, skip: 0, take: ids.length }], skipped: Math.min(skip, read.length), taken: ids.length }
}

/** Runs of equal leading values; those wholly before the page are only counted. */
async function readRuns(rows: Rows, index: string, { skip, take }: Window): Promise<Read> {
  const parts: Part[] = []
  let [passed, taken] = [0, 0]
  let [row] = await rows.take(1, skip + take + REST_OF_RUN)
  while (row && taken < take) {
    const lead = keys.leadOf(String(row[index]))
    const ids: string[] = []
    while (row && keys.leadOf(String(row[index])) === lead) {
      ids.push(keys.userOfRow(row))
      ;[row] = await rows.take(1, REST_OF_RUN)
    }
    const from = Math.max(0, skip - passed)
    const part = { ids, skip: from, take: Math.min(take - taken, Math.max(0, ids.length - from)) }
    if (part.take > 0) parts.push(part)
    taken += part.take
    passed += ids.length
  }
  return { parts, skipped: Math.min(skip, passed), taken }
}

const rangesOf = (lists: readonly string[], { index, descending }: Plan): Range[] =>
  lists.flatMap((list) => listRanges(list, index, descending))

/** Totals by the same predicate as the items: counters for the living, the purge partition for those on their way out. */
async function countUsers(context: Context, statuses: readonly UserStatus[]): Promise<number> {
  const [shards, pending] = await Promise.all([
    all(context.store, keys.userCounts),
    statuses.includes('PENDING_DELETION') ? countPending(context) : 0,
  ])
  const names = statuses.flatMap((status) => roles.map((role) => countAttribute(status, role)))
  let count = pending
  for (const shard of shards) for (const name of names) count += Number(shard[name] ?? 0)
  return count
}

async function countPending(context: Context): Promise<number> {
  let count = 0
  let range: Range | undefined = keys.pending(context.now)
  while (range) {
    const page: Awaited<ReturnType<Context['store']['query']>> = await context.store.query(range)
    count += page.count
    range = page.next ? { ...range, after: page.next } : undefined
  }
  return count
}
