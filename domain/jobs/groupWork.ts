import type { Organisation } from '../organisation/organisation.ts'
import type { Context } from '../request/context.ts'
import { is } from '../table/expressions.ts'
import { groupWorkKey } from '../table/keys.ts'
import { happened, type Item, type Store } from '../table/store.ts'
import { dueWork, type Work } from '../table/work.ts'

/** What is left to do for a group once it is archived, or deleted. */
export type GroupWorkKind = 'archive' | 'delete'

/** What work on groups needs from outside. */
export type GroupWork = Work & { predefined: Organisation['predefined'] }

/** Work on groups as far as a call has time for it. */
export const workOf = async ({ store, now, clock, timeLeft, organisation }: Context): Promise<GroupWork> => ({
  store,
  now,
  clock,
  timeLeft,
  predefined: (await organisation()).predefined,
})

/**
 * The entry that says what is left to do; `token` tells it from an earlier one of the same group. Of a group that has been
 * deleted it keeps the id until `kept`, however soon the rest is done: calls that knew the group may still be on their way.
 */
export const groupWorkEntry = (
  group: string,
  kind: GroupWorkKind,
  { now, token }: { now: string; token: string },
): Item => ({ ...groupWorkKey(group), kind, token, due: dueWork(now), kept: dueWork(now) })

/** Removes the entry of work that is done, unless it says something else by now. */
export const ended = (store: Store, { pk, sk, token }: Item): Promise<boolean> =>
  happened(store.write([{ delete: { pk, sk }, if: is({ token }) }], 'aside'))
