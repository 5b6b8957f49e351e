import type { Organisation } from '../organisation/organisation.ts'
import { has, is, lacks } from '../table/expressions.ts'
import { roleUseKey, roleUseKeys } from '../table/roleKeys.ts'
import type { Action, Item } from '../table/store.ts'

/**
 * Counts a use of a role more or less, in the transaction that makes or ends it: a role handed out in a group or on a
 * channel, conferred by a group attached to a channel, or a channel's default. So a role is deleted only while nobody
 * uses it, and nobody can use one that has been deleted: its counters are closed then, and the transaction is stale.
 * The predefined roles are never deleted, so nobody counts them.
 */
export function roleUse(predefined: Organisation['predefined'], role: string, by: number, shard: number): Action[] {
  if (isPredefinedRole(predefined, role)) return []
  return [
    {
      update: roleUseKey(role, shard),
      add: { count: by },
      ...(by > 0 ? { if: lacks('closed') } : {}),
    },
  ]
}

/**
 * Lets a role be used that is about to be created; `counter` is the first of its counters as it was read, closed where
 * a role of this id has been deleted.
 */
export const openUses = (role: string, counter: Item | undefined): Action[] =>
  counter?.['closed']
    ? roleUseKeys(role).map((update) => ({ update, clear: ['closed'], if: has('closed') }))
    : [{ check: roleUseKey(role, 0), if: lacks('closed') }]

/** Ends all use of a role for good, as long as nobody uses it; undefined where somebody does by what has been read. */
export function closeUses(role: string, read: readonly Item[]): Action[] | undefined {
  const counted = new Map(read.map((item) => [item.sk, item['count'] as number | undefined]))
  const counters = roleUseKeys(role).map((update) => ({ update, count: counted.get(update.sk) }))
  if (counters.reduce((sum, { count = 0 }) => sum + count, 0) !== 0) return undefined
  return counters.map(({ update, count }) => ({
    update,
    set: { closed: true },
    // Nobody has begun to use it since.
    if: is({ count }),
  }))
}

/** Whether a role is one of the four that every directory has. */
export function isPredefinedRole(
  { ROOT: _root, ALL_USERS: _all, ...roles }: Organisation['predefined'],
  role: string,
): boolean {
  return Object.values(roles).includes(role)
}
