import { roles as allRoles, statuses as allStatuses } from '../../schemas/userRecords.ts'
import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import { all, type Item, type Range } from '../table/store.ts'
import { type UserRecord, type UserStatus, userOf } from './userRecord.ts'
import { countAttribute } from './userWrites.ts'

type Role = UserRecord['role']

/** How many users there are, whatever their states. */
export const countEverybody = (context: Context): Promise<number> =>
  countUsers(
    context,
    allStatuses.flatMap((status) => allRoles.map((role) => ({ status, role }))),
  )

/**
 * How many users there are in lists of one status and role each, by the same predicate as the items: counters for the
 * living, the purge partition for those on their way out.
 */
export async function countUsers(
  context: Context,
  lists: readonly { status: UserStatus; role: Role }[],
): Promise<number> {
  const leaving = lists.filter(({ status }) => status === 'PENDING_DELETION').map(({ role }) => role)
  const [shards, pending] = await Promise.all([all(context.store, keys.userCounts), countPending(context, leaving)])
  const names = lists.map(({ status, role }) => countAttribute(status, role))
  let count = pending
  for (const shard of shards) for (const name of names) count += Number(shard[name] ?? 0)
  return count
}

/** Users on their way out, of these roles: only where some of the roles are asked for do their entries matter. */
async function countPending(context: Context, roles: readonly Role[]): Promise<number> {
  const range = keys.pending(context.now)
  if (roles.length === 0) return 0
  if (roles.length === allRoles.length) return countEntries(context, range)
  const entries = await all(context.store, range)
  const found = await Promise.all(entries.map((entry) => entry['role'] ?? roleOf(context, entry)))
  return found.filter((role) => roles.includes(role as Role)).length
}

async function countEntries({ store }: Context, range: Range): Promise<number> {
  let count = 0
  let rest: Range | undefined = { ...range, countOnly: true }
  while (rest) {
    const page: Awaited<ReturnType<Context['store']['query']>> = await store.query(rest)
    count += page.count
    rest = page.next ? { ...rest, after: page.next } : undefined
  }
  return count
}

/** Entries of older versions do not name the role: it is that of the record, which nobody changes before the deadline. */
async function roleOf({ store }: Context, entry: Item): Promise<Role | undefined> {
  const item = await store.getSoon(keys.userKey(keys.userOfPurge(entry.sk)))
  return item && userOf(item).role
}
