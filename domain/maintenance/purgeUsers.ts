import { chunksOf } from '../base/parallel.ts'
import { forgetValues } from '../events/event.ts'
import { channelAssignments } from '../people/records/channelAssignment.ts'
import { type DeadlineItem, deadlineItems } from '../people/records/deadlineItem.ts'
import { groupAssignments } from '../people/records/groupAssignment.ts'
import type { Counting } from '../people/records/heldRoles.ts'
import { type Organisation, readOrganisation } from '../people/records/organisation.ts'
import { countOff } from '../people/records/userCounters.ts'
import { dropException, exceptionsNow } from '../people/rules/exceptedUsers.ts'
import { succeeded } from '../table/actions.ts'
import { giveUpName } from '../table/changes.ts'
import { eventOf } from '../table/events.ts'
import { absent, atMost, either } from '../table/expressions.ts'
import { keyIn } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { pagesOf } from '../table/reader.ts'
import type { Action, Item } from '../table/store.ts'
import { namelessAssignment } from '../tasks/taskAssignment.ts'
import { isShortOfTime, type Work } from '../work/steps.ts'
import { isOverdue } from '../work/taking.ts'
import {
  type AttemptContext,
  addOutcome,
  type Outcome,
  untilDown,
  type WorkerContext,
  workThrough,
} from '../work/workThrough.ts'

/** The outcome of a run, with the number of users that it removed. */
export type PurgeSummary = Outcome & { purged: number }

type Purging = AttemptContext &
  Pick<Organisation, 'predefined'> & {
    /** Whether a rule excepts a user whose record is gone. */
    isExcepted: (user: string) => Promise<boolean>
  }

/** Users removed at the same time, and assignments of each: enough that the database is never idle. */
const REMOVED_AT_ONCE = 8

/**
 * Removes all that remains of users whose deadline has passed, except the tombstones of their ids. Every step may be
 * repeated, and runs may overlap: the record is removed first, the deadline item last.
 */
export async function purgeUsers(context: WorkerContext): Promise<PurgeSummary> {
  const { store } = context
  const summary: PurgeSummary = { purged: 0, failed: 0, left: false }
  const overdue = keys.overdueDeadlineItems(context.clock().toISOString())
  return untilDown(summary, async () => {
    for await (const { items } of pagesOf(store, { ...overdue, limit: 100 })) {
      if (items.length === 0) continue
      const organisation = await readOrganisation(store)
      const { predefined } = organisation
      const isExcepted = exceptionsNow(store, organisation)
      const purge = async (work: AttemptContext, item: DeadlineItem): Promise<void> => {
        if (await purgeUser({ ...work, predefined, isExcepted }, item)) summary.purged++
      }
      const now = context.clock().toISOString()
      const due = items.map(deadlineItems.of).filter((item) => isOverdue(item, now))
      const queues = due.map((item) => [item])
      addOutcome(summary, await workThrough(context, { atOnce: REMOVED_AT_ONCE, reserve: 0 }, queues, purge))
      if (summary.left) break
    }
  })
}

/** Removes one user; false if another run has done so, or has to finish it. */
async function purgeUser(context: Purging, item: DeadlineItem): Promise<boolean> {
  const { store } = context
  const id = keys.userOfDeadlineItem(item)
  if (!(await removeRecord(context, id)) || !(await removeItems(context, id))) return false
  if (await context.isExcepted(id)) await dropException(context, id)
  const { username, external_id } = item
  const names = [keys.usernameKey(username), ...(external_id ? [keys.externalIdKey(external_id)] : [])]
  // Where another user has taken a name meanwhile, it stays theirs.
  await Promise.all(names.map((name) => succeeded(store.write([giveUpName(name, id)]))))
  const purged = eventOf(
    { record: { kind: 'user', id }, last: await forgetValues(store, id), verb: 'purged' },
    {},
    undefined,
  )
  return succeeded(store.write(countOff(item, keys.randomShard(), purged)))
}

/** Removes the record of a user who is due; false if they have been restored since, and their deadline item is gone. */
const removeRecord = ({ store, now }: Work, id: string): Promise<boolean> =>
  succeeded(store.write([{ delete: keys.userKey(id), if: either(absent, atMost('deletion_at', now)) }]))

/**
 * Removes all items under the user's key, page by page, except the tombstone and the assignments of tasks. Each
 * assignment is deleted and counted in one transaction: a second run finds it gone and counts nothing. False if the time
 * was too short for all of them.
 */
async function removeItems(context: Purging, id: string): Promise<boolean> {
  const { store } = context
  for await (const { items } of pagesOf(store, keys.ofUser(id))) {
    const [assignments, others] = [items.filter(keys.isAssignment), items.filter((item) => !keys.isAssignment(item))]
    for (const some of chunksOf(assignments, REMOVED_AT_ONCE)) {
      if (isShortOfTime(context)) return false
      const ends = some.map((item, shard) => release(item, { ...context, shard })).filter(({ length }) => length > 0)
      await Promise.all(ends.map((actions) => succeeded(store.write(actions))))
    }
    const removed = others.filter(({ sk }) => sk !== keys.tombstoneKey(id).sk)
    await store.bulk(removed.map((item) => ({ delete: keyIn(item) })))
  }
  return true
}

/** Ends a role in a group or on a channel; the assignment of a task stays, but without a name. */
function release(item: Item, counting: Counting): Action[] {
  if (keys.kindOfAssignment(item) === 'TASK') return namelessAssignment(item)
  const { kind, target, role: role_id } = keys.partsOfAssignment(item)
  const held = { user_id: keys.userOfRow(item), role_id }
  return kind === 'GROUP'
    ? groupAssignments.removeWithoutEvent({ ...held, group_id: target }, counting)
    : channelAssignments.removeWithoutEvent({ ...held, channel_id: target }, counting)
}
