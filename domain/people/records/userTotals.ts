import { hash } from 'node:crypto'
import { momentAfter } from '../../base/text.ts'
import type { Context } from '../../request/context.ts'
import { sumOf } from '../../table/counters.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Item } from '../../table/store.ts'
import type { DeadlineItem } from './deadlineItem.ts'
import type { UserRecord, UserStatus } from './user.ts'
import { countAttribute, MOVED_AT, MOVES, userCounts } from './userCounters.ts'

// How many users lists have, by the counters.

/**
 * Milliseconds after which all indexes show a move. It is noted with the time when its call began, and a call takes up to 30
 * seconds.
 */
const RECENT_MOVE_MS = 60_000

/** Users in some lists, as all shards count them. An equal `digest` later proves that nobody has come, left or moved meanwhile. */
export function summarizeCounts(shards: readonly Item[], lists: Lists): { users: number; digest: string } {
  const names = lists.map(({ status, role }) => countAttribute(status, role))
  const counts = shards.map((shard) => [shard.sk, ...[...names, MOVES, MOVED_AT].map((name) => shard[name] ?? null)])
  return {
    users: names.reduce((sum, name) => sum + sumOf(shards, name), 0),
    digest: hash('sha256', JSON.stringify(counts)),
  }
}

/** How many users there are in the lists of these statuses and roles. */
export const countUsers = async (context: Reader, lists: Lists): Promise<number> =>
  (await countEach(context, [lists])).reduce((sum, count) => sum + count, 0)

type Reader = Pick<Context, 'store' | 'now'>
type Lists = readonly { status: UserStatus; role: UserRecord['role'] }[]

/** How many users there are in each of several groups of lists. */
export async function countEach(context: Reader, groups: readonly Lists[]): Promise<number[]> {
  const items = await readCounts(context, groups.flat())
  return groups.map((lists) => countIn(items, lists))
}

/**
 * How many users there are in some lists, and whether a user has moved from one list to another so lately that a read
 * of the lists just before may have found them in neither.
 */
export async function countAndMoves(context: Reader, lists: Lists): Promise<{ count: number; hasMoves: boolean }> {
  const items = await readCounts(context, lists)
  const earliest = momentAfter(context.now, -RECENT_MOVE_MS)
  return { count: countIn(items, lists), hasMoves: items.some((item) => String(item[MOVED_AT] ?? '') > earliest) }
}

/**
 * The shards, and for lists of users pending deletion the deadline items of those past their deadline: they no longer count, but
 * the shards count them until they are purged.
 */
function readCounts({ store, now }: Reader, lists: Lists): Promise<Item[]> {
  const hasPendingDeletion = lists.some(({ status }) => status === 'PENDING_DELETION')
  return hasPendingDeletion ? all(store, keys.countsAndOverdueItems(now)) : userCounts.read(store)
}

function countIn(items: readonly Item[], lists: Lists): number {
  const overdue = items.filter(keys.isDeadlineItem).map((item) => (item as DeadlineItem).role)
  const count = ({ status, role }: Lists[number]): number =>
    sumOf(items, countAttribute(status, role)) -
    (status === 'PENDING_DELETION' ? overdue.filter((one) => one === role).length : 0)
  return lists.reduce((sum, list) => sum + count(list), 0)
}
