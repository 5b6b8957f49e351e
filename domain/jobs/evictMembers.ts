import { sideBySide } from '../base/sideBySide.ts'
import { membersNow } from '../groups/membersNow.ts'
import { groupAssignmentKey, userKey, userOfRow } from '../table/keys.ts'
import { happened, type Key } from '../table/store.ts'
import { isLate } from '../table/work.ts'
import { moveOf } from '../users/primaryGroup.ts'
import { isGone, userOf } from '../users/userRecord.ts'
import { change } from '../users/userWrites.ts'
import type { GroupWork } from './groupWork.ts'

/** Users moved at once, each on a counter shard of his own. */
const AT_ONCE = 16
/** Looks at the members in one go: who keeps being changed by others is left to the next. */
const ROUNDS = 5

/**
 * Makes ALL_USERS the primary group of everybody whose primary group an archived group is, whatever the state he is in.
 * True when nobody is left but people past their deadline. May be repeated, and two may be at it at once.
 */
export async function evictMembers(work: GroupWork, group: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const { items, isAll } = await membersNow(work.store, group, work.predefined.USER_GROUP_MEMBER ?? '')
    const primary = items.filter(({ source }) => source === 'PRIMARY')
    const outcomes = new Set<Outcome>()
    let shard = 0
    await sideBySide(AT_ONCE, primary, async (member) => {
      outcomes.add(isLate(work) ? 'late' : await evicted(work, group, member, shard++ % AT_ONCE))
    })
    if (outcomes.has('late')) return false
    if (!outcomes.has('moved') && !outcomes.has('stale')) return isAll
  }
  return false
}

type Outcome = 'moved' | 'stale' | 'gone' | 'late'

/** Moves one user, unless he is changed meanwhile, or the group is no longer archived. */
async function evicted(work: GroupWork, group: string, member: Key, shard: number): Promise<Outcome> {
  const { store, now, predefined } = work
  const { USER_GROUP_MEMBER: memberRole = '', ALL_USERS: allUsers = '' } = predefined
  const id = userOfRow(member)
  const [item, there] = await Promise.all([
    store.get(userKey(id)),
    store.get(groupAssignmentKey(id, allUsers, memberRole)),
  ])
  const user = item && userOf(item)
  if (!user || isGone(user, now)) return 'gone'
  if (user.primary_user_group_id !== group) return 'stale'
  const wanted = { ...user, primary_user_group_id: allUsers, updated_at: now, version: user.version + 1 }
  const { after, move } = moveOf(user, wanted, memberRole, there ? [there] : [])
  const actions = change(user, after, { now, shard, memberRole }, move && { ...move, isEvicted: true })
  return (await happened(store.write(actions, 'aside'))) ? 'moved' : 'stale'
}
