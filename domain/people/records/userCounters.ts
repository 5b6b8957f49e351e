import { refuse } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { shardedCounter, sumOf } from '../../table/counters.ts'
import { atLeast, exists, is } from '../../table/expressions.ts'
import { keyIn } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import type { Action, ChangeEvent } from '../../table/store.ts'
import type { Editions } from './attributes.ts'
import type { DeadlineItem } from './deadlineItem.ts'
import { attributeNames, type UserRecord, type UserStatus } from './user.ts'

// How many users there are, by status, role and attribute: counted in the transactions that change them.

type Role = UserRecord['role']

/** Counts the users of each status and role, and the users who have a value of each attribute. */
export const userCounts = shardedCounter(keys.userCountKey, keys.userCountRange)

/** Counts the unprotected active administrators, in one item, as the check that one remains must be exact. */
const administrators = shardedCounter(() => keys.adminCountKey, keys.adminCountRange, 1)

/** The count of the users of one status and role. */
export const countAttribute = (status: UserStatus, role: Role): string => `${status}_${role}`

/** In a shard: when a user last moved from one list to another, and how often users have. */
export const MOVED_AT = 'moved_at'
export const MOVES = 'moves'
const countOf = (user: UserRecord | undefined): string | undefined => user && countAttribute(user.status, user.role)

/**
 * Deletes the deadline item of a user when everything else is removed, and counts the user off with all attributes. Stale if it is
 * gone, as another run has done this. `event` is the event of the purge.
 */
export function countOff(item: DeadlineItem, shard: number, event?: ChangeEvent): Action[] {
  const names = [countAttribute('PENDING_DELETION', item.role), ...(item.attributes ?? []).map(keys.useCount)]
  const by = Object.fromEntries(names.map((name) => [name, -1]))
  return [{ delete: keyIn(item), if: exists, event }, userCounts.add(shard, by)]
}

/**
 * Counts a change of a user: by status and role, by attributes, and as an administrator. `editions` are those of the
 * definitions by which new values were checked: stale if a definition has changed since.
 */
export function countUser(
  before: UserRecord | undefined,
  after: UserRecord,
  { now, shard, editions }: { now: string; shard: number; editions?: Editions | undefined },
): Action[] {
  const [from, to] = [countOf(before), countOf(after)]
  const moves = [[from, -1] as const, [to, 1] as const].flatMap(([name, by]) =>
    name === undefined || from === to ? [] : [[name, by] as const],
  )
  const uses = usesChanged(before, after, editions)
  const isMove = moves.length > 1
  const by = Object.fromEntries([...moves, ...(isMove ? [[MOVES, 1] as const] : []), ...uses.by])
  const moved = isMove ? { set: { [MOVED_AT]: now } } : {}
  const counting = Object.keys(by).length > 0 ? [userCounts.add(shard, by, { ...moved, if: is(uses.editions) })] : []
  return [...counting, ...countAdministrators(before, after)]
}

/** Whether an action counts a user who moves to another list: with another status or role. */
export const countsMove = (action: Action): boolean => 'update' in action && action.set?.[MOVED_AT] !== undefined

/**
 * What a change of a user counts, and the editions of attribute definitions that the shard must name for its new
 * values.
 */
type Uses = { by: (readonly [name: string, by: number])[]; editions: Record<string, number | undefined> }

/** Compares the attributes of a user before and after a change. */
function usesChanged(before: UserRecord | undefined, after: UserRecord, editions?: Editions): Uses {
  const [had, has] = [new Set(before ? attributeNames(before) : []), new Set(attributeNames(after))]
  const more = [...has].filter((name) => !had.has(name))
  const less = [...had].filter((name) => !has.has(name))
  return {
    by: [
      ...more.map((name) => [keys.useCount(name), 1] as const),
      ...less.map((name) => [keys.useCount(name), -1] as const),
    ],
    editions: Object.fromEntries(more.map((name) => [keys.requiredEdition(name), editions?.get(name)])),
  }
}

/** Whether a user counts as administrator. Service accounts do not: a person must be left. */
export const isCountedAdmin = (user: UserRecord): boolean =>
  user.role === 'ADMIN' && user.status === 'ACTIVE' && !user.protected

/** By how much a change increases the number of administrators. */
export const administratorsGained = (before: UserRecord | undefined, after: UserRecord): number =>
  Number(isCountedAdmin(after)) - Number(before !== undefined && isCountedAdmin(before))

function countAdministrators(before: UserRecord | undefined, after: UserRecord): Action[] {
  const by = administratorsGained(before, after)
  if (by === 0) return []
  if (by > 0) return [administrators.add(0, { count: by })]
  const property = before?.role === after.role ? 'user_id' : 'role'
  const otherwise = () => refuse('USER_MODIFICATION_NOT_ALLOWED', property, 'The last active administrator must remain')
  return [administrators.add(0, { count: by }, { if: atLeast('count', 2), otherwise })]
}

/** How many administrators there were a moment ago: to show which actions are allowed, not to decide. */
export async function recentAdministrators({ store }: Context): Promise<number> {
  const count = await store.getEventual(administrators.keyOf(0))
  return count ? sumOf([count], 'count') : 0
}
