import type { Organisation } from '../organisation/organisation.ts'
import type { Context } from '../request/context.ts'
import { happened, type Store } from '../table/store.ts'
import { dueWork, type Entry, endWork, type Work, workEntry } from '../table/work.ts'

/** What is left to do for a group once it is archived, or deleted. */
export type GroupEntry = Entry<'group'>

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
  todo: GroupEntry['todo'],
  { now, token }: { now: string; token: string },
): GroupEntry => workEntry('group', group, { todo, token, kept: dueWork(now) }, now)

/** Removes the entry of work that is done, unless it says something else by now. */
export const ended = (store: Store, entry: GroupEntry): Promise<boolean> =>
  happened(store.write([endWork(entry, { token: entry.token })], 'aside'))
