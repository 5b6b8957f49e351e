import { sideBySide, slices } from '../base/sideBySide.ts'
import { channelAssignmentItem } from '../channels/channelAssignment.ts'
import { groupAssignmentItem } from '../groups/groupAssignment.ts'
import type { Organisation } from '../organisation/organisation.ts'
import { SHARDS } from '../table/counters.ts'
import { absent } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Action, Item } from '../table/store.ts'
import { bumpUserVersion, isGone, type UserRecord, users as userRecords } from '../users/user.ts'
import { countKept } from './differences.ts'
import { needTime } from './importContext.ts'
import { type Lookup, lookup } from './lookup.ts'
import { countsOf, roleAdds } from './parts.ts'
import { patiently } from './patience.ts'
import type { Later, Plan } from './plan.ts'

/** Assignments looked up together, and written together: each brings its item, its user's version and two counts. */
export const SLICE = 1_000
export const TOGETHER = 25
export const AT_ONCE = 4

/** Gives users who exist already the roles that they do not hold yet. */
export async function writeLater(plan: Plan): Promise<void> {
  const { context, later } = plan
  let done = 0
  // Those of one user stand together, so that two transactions seldom want the same user.
  const sorted = later.toSorted((a, b) => (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0))
  for (const slice of slices(sorted, SLICE)) {
    const stored = await lookup(context.store, slice.map(keyOf))
    const missing = slice.filter((one) => !stored(keyOf(one)))
    for (const one of slice) countStored(plan, one, stored)
    await sideBySide(AT_ONCE, slices(missing, TOGETHER), (some) => give(plan, some))
    done += slice.length
    context.onProgress?.({ section: 'user_group_assignments', done, total: later.length })
  }
}

const sectionOf = (one: Later) => ('group' in one ? 'user_group_assignments' : 'channel_assignments')

const keyOf = (one: Later) =>
  'group' in one
    ? keys.groupAssignmentKey(one.userId, one.group, one.role)
    : keys.channelAssignmentKey(one.userId, one.channel, one.role)

/** Writes assignments of users as they are now; whoever changes meanwhile is read again. */
async function give({ context, organisation, summary }: Plan, some: readonly Later[]): Promise<void> {
  needTime(context)
  const given = await retrying(async () => {
    const stored = await lookup(
      context.store,
      some.flatMap((one) => [keyOf(one), keys.userKey(one.userId)]),
    )
    const judged = some.map((one) => ({ one, verdict: verdictOf(one, stored, context.now) }))
    const actions = actionsFor(
      judged.flatMap(({ one, verdict }) => (verdict === 'created' ? [one] : [])),
      { stored, predefined: organisation.predefined },
    )
    if (actions.length > 0) await patiently(() => context.store.write(actions))
    return { judged, stored }
  })
  for (const { one, verdict } of given.judged)
    if (verdict === 'kept') countStored({ summary }, one, given.stored)
    else summary[sectionOf(one)][verdict]++
}

/** Counts an assignment that is stored already: it stays as it is. */
function countStored({ summary }: Pick<Plan, 'summary'>, one: Later, stored: Lookup): void {
  const item = stored(keyOf(one))
  const place = { section: sectionOf(one), index: one.index } as const
  if (item) countKept(summary, place, 'group' in one && one.source !== item.source ? ['source'] : [])
}

function verdictOf(one: Later, stored: Lookup, now: string): 'created' | 'kept' | 'skipped' {
  const user = stored(keys.userKey(one.userId))
  if (!user || isGone(userRecords.of(user) as UserRecord, now)) return 'skipped'
  return stored(keyOf(one)) ? 'kept' : 'created'
}

type Known = { stored: Lookup } & Pick<Organisation, 'predefined'>

function actionsFor(some: readonly Later[], { stored, predefined }: Known): Action[] {
  const counts = countsOf()
  const users = new Map<string, UserRecord>()
  const puts = some.map((one): Action => {
    const user = userRecords.of(stored(keys.userKey(one.userId))) as UserRecord
    users.set(user.id, user)
    for (const add of roleAdds(one, predefined)) counts.add(add)
    return { put: itemOf(one, user), if: absent }
  })
  const shard = Math.floor(Math.random() * SHARDS)
  return [...puts, ...[...users.values()].map(bumpUserVersion), ...counts.actions(shard)]
}

const itemOf = (one: Later, user: UserRecord): Item =>
  'group' in one ? groupAssignmentItem(user, one) : channelAssignmentItem(user, one.channel, one.role)
