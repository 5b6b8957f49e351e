import { chunksOf, inParallel } from '../../base/parallel.ts'
import type { Context } from '../../request/context.ts'
import { succeeded } from '../../table/actions.ts'
import { groupList, idOfWork, userOfRow } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { type Item, type Key, readEach, type Store } from '../../table/store.ts'
import { endWork } from '../../table/work.ts'
import { isShortOfTime, type Work } from '../../work/steps.ts'
import { groupMembers, groups } from '../records/group.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { countedRoles } from '../records/groupLists.ts'
import type { GroupEntry } from '../records/groupRules.ts'
import type { Organisation } from '../records/organisation.ts'
import { moveOf } from '../records/primaryGroupMove.ts'
import { users } from '../records/user.ts'
import { isGone } from '../records/userFields.ts'
import { readHeld } from '../rules/roleChanges.ts'
import { type RuleSet, rulesFor } from '../rules/ruleSet.ts'
import { oldMembershipOf } from '../rules/rulesForChange.ts'
import { change } from '../users/change.ts'

/** Users moved at the same time, each on another counter shard. */
const USERS_AT_ONCE = 16
/** How often one run reads the members. If other calls keep changing a user, the next run moves them. */
const ATTEMPTS = 5

/** Work on groups: time, table, and the rules. */
export type GroupWork = Work &
  Pick<Organisation, 'predefined'> & {
    rules: () => Promise<RuleSet | undefined>
    /** Whether there are rules now. */
    hasRules: () => Promise<boolean>
  }

/** Work on groups by a call, within the time of the call. */
export const groupWorkOf = async (context: Context): Promise<GroupWork> => {
  const { store, now, clock, timeLeft, organisation, organisationNow } = context
  const { predefined } = await organisation()
  const hasRules = async () => (await organisationNow()).has_rules ?? false
  return { store, now, clock, timeLeft, predefined, rules: () => rulesFor(context), hasRules }
}

/**
 * Finishes the archiving of a group: users whose primary group it was move to ALL_USERS, then the entry is deleted. False
 * if the time was too short for all of them.
 */
export async function finishArchiving(work: GroupWork, entry: GroupEntry): Promise<boolean> {
  const group = await groups.read(work.store, idOfWork(entry))
  const isDone = group?.status !== 'ARCHIVED' || (await moveToAllUsers(work, group.id))
  // If a deletion of the group has replaced the entry meanwhile, it stays.
  if (isDone) await succeeded(work.store.write([endWork(entry, { token: entry.token })], 'housekeeping'))
  return isDone
}

/**
 * Makes ALL_USERS the primary group of all users whose primary group is this one, which is archived or deleted. True when
 * all have moved, apart from users past their deadline. May be repeated, and two may run at the same time.
 */
export async function moveToAllUsers(work: GroupWork, group: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { items, isAll } = await membersNow(work.store, group, work.predefined.USER_GROUP_MEMBER ?? '')
    const primary = items.filter((item) => groupAssignments.sourceOf(item) === 'PRIMARY')
    const outcomes = new Set<MoveResult>()
    await inParallel(USERS_AT_ONCE, primary, async (member, nth) => {
      outcomes.add(isShortOfTime(work) ? 'late' : await moveOne(work, group, member, nth % USERS_AT_ONCE))
    })
    if (outcomes.has('late')) return false
    if (!outcomes.has('moved') && !outcomes.has('stale')) return isAll
  }
  return false
}

type MoveResult = 'moved' | 'stale' | 'gone' | 'late'

/** Moves one user. Returns `stale` if the user has changed meanwhile, or the group is no longer archived. */
async function moveOne(work: GroupWork, group: string, member: Key, shard: number): Promise<MoveResult> {
  const { store, now, predefined } = work
  const { USER_GROUP_MEMBER: memberRole = '', ALL_USERS: allUsers = '' } = predefined
  const id = userOfRow(member)
  const [user, held] = await Promise.all([
    users.read(store, id),
    groupAssignments.read(store, { user_id: id, group_id: allUsers, role_id: memberRole }),
  ])
  if (!user || isGone(user, now)) return 'gone'
  if (user.primary_user_group_id !== group) return 'stale'
  const wanted = { ...user, primary_user_group_id: allUsers, updated_at: now, version: user.version + 1 }
  const rules = user.status === 'PENDING_DELETION' ? undefined : await work.rules()
  const rulesForUser = rules && { rules, predefined, held: await readHeld(store, id) }
  const old = rulesForUser && {
    oldMembership: oldMembershipOf(rulesForUser, { before: user, after: wanted, memberRole }),
  }
  const { after, move } = moveOf(user, wanted, held && groupAssignments.sourceOf(held), old)
  const actions = change(
    user,
    after,
    { now, shard, memberRole, rulesForUser },
    move && { ...move, isFromArchived: true },
  )
  return (await succeeded(store.write(actions, 'housekeeping'))) ? 'moved' : 'stale'
}

/** Assignments that are read at once. */
const READ_AT_ONCE = 1000

/**
 * The assignments of a role in a group as they are now, found by an index that may lag. `isAll`: the index shows as many as the
 * counter says, and all of them still exist.
 */
export async function membersNow(
  store: Pick<Store, 'get' | 'query'>,
  group: string,
  role: string,
): Promise<{ items: Item[]; isAll: boolean }> {
  const [rows, shards] = await Promise.all([
    all(store, { index: 'by_last_name', hash: groupList(group, role) }),
    groupMembers(group).read(store, 'strong'),
  ])
  const items: Item[] = []
  for (const some of chunksOf(rows, READ_AT_ONCE)) items.push(...(await readEach(store, some)))
  const counted = countedRoles(shards).get(role) ?? 0
  return { items, isAll: items.length === rows.length && items.length === counted }
}
