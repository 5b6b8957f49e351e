import { statuses as allStatuses, roles } from '../../schemas/users.ts'
import { type Context, isPast } from '../context.ts'
import { listRanges, merged } from '../lists/merge.ts'
import * as keys from '../store/keys.ts'
import { all, type Item, type Range } from '../store/store.ts'
import type { UserFilter, UserPage } from './listUsers.ts'
import { loadUsers } from './loadUsers.ts'
import type { UserStatus } from './userRecord.ts'
import { comparator, indexOf, inOrder, type Sorting, sortableOf } from './userSorting.ts'
import { countAttribute } from './userWrites.ts'

type Window = { skip: number; take: number }
type Plan = { segments: string[][]; index: string; descending: boolean; runs: boolean; sorts: Sorting[] }

/** Users without search: the sort's index is read in order, so that the first page costs the same at any size. */
export async function orderedUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  const statuses = filter.statuses.length > 0 ? filter.statuses : allStatuses
  const plan = planOf(filter.sorts, statuses)
  const [rows, total] = await Promise.all([readWindow(context, plan, window), countUsers(context, statuses)])
  return { users: await loadUsers(context, rows), total }
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

async function readWindow(context: Context, plan: Plan, { skip, take }: Window): Promise<string[]> {
  const ids: string[] = []
  let toSkip = skip
  for (const segment of plan.segments) {
    if (ids.length >= take) break
    const read = plan.runs ? readRuns : readRows
    const page = await read(context, segment, plan, { skip: toSkip, take: take - ids.length })
    ids.push(...page.ids)
    toSkip -= page.skipped
  }
  return ids
}

type Read = { ids: string[]; skipped: number }

const isHere = (context: Context) => (row: Item) => !isPast(row.deletion_at as string | undefined, context.now)

async function readRows(context: Context, lists: string[], plan: Plan, { skip, take }: Window): Promise<Read> {
  const rows = merged(context.store, rangesOf(lists, plan), isHere(context))
  const read = await rows.take(skip + take)
  return { ids: read.slice(skip).map(keys.userOfRow), skipped: Math.min(skip, read.length) }
}

/** Further sorts order the runs of equal leading values in memory; runs wholly before the page are only counted. */
async function readRuns(context: Context, lists: string[], plan: Plan, { skip, take }: Window): Promise<Read> {
  const rows = merged(context.store, rangesOf(lists, plan), isHere(context))
  const compare = comparator(plan.sorts)
  const ids: string[] = []
  let passed = 0
  let [row] = await rows.take(1, skip + take + 1)
  while (row && ids.length < take) {
    const lead = keys.leadOf(String(row[plan.index]))
    const run: string[] = []
    while (row && keys.leadOf(String(row[plan.index])) === lead) {
      run.push(keys.userOfRow(row))
      ;[row] = await rows.take(1, take + 1)
    }
    if (passed + run.length > skip) {
      const sorted = (await loadUsers(context, run)).map(sortableOf).sort(compare)
      ids.push(
        ...sorted.slice(Math.max(0, skip - passed), Math.max(0, skip - passed) + take - ids.length).map(({ id }) => id),
      )
    }
    passed += run.length
  }
  return { ids, skipped: Math.min(skip, passed) }
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
  const counted = shards.flatMap((shard) => names.map((name) => Number(shard[name] ?? 0)))
  return counted.reduce((sum, count) => sum + count, pending)
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
