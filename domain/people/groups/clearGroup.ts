import { chunksOf, inParallel } from '../../base/parallel.ts'
import { decideAgain } from '../../base/retry.ts'
import { succeeded } from '../../table/actions.ts'
import { removeWithoutEvent } from '../../table/changes.ts'
import { closedShard, isClosed } from '../../table/counters.ts'
import { is } from '../../table/expressions.ts'
import { keyIn } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Action } from '../../table/store.ts'
import { inSteps, isShortOfTime } from '../../work/steps.ts'
import { attachmentsOf, detach } from '../records/channel.ts'
import { groupMembers } from '../records/group.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { countedRoles } from '../records/groupLists.ts'
import type { GroupEntry } from '../records/groupRules.ts'
import { countRoleUse } from '../records/heldRoles.ts'
import { readRules } from '../rules/rule.ts'
import { ruleChange } from '../rules/ruleWrites.ts'
import { type GroupWork, membersNow, moveToAllUsers } from './moveToAllUsers.ts'

/** Assignments deleted in one transaction. */
const ASSIGNMENTS_PER_TRANSACTION = 40
/** Transactions at the same time, each on another counter shard. */
const TRANSACTIONS_AT_ONCE = 8
/** How often one run reads the remaining assignments. */
const READS = 5

/**
 * Removes the remains of a group whose record is deleted. It first closes the counter, so that no user can join any more.
 * Then it deletes the group's rules, moves users whose primary group it was to ALL_USERS, and deletes its assignments and its
 * attachments to channels. While the entry of work exists, the id cannot be used. It is deleted last, when every call that has
 * read the group is over. The closed counter stays and stops even later calls. May be repeated, also by two runs at the same
 * time. True when only the entry is left.
 */
export async function clearGroup(work: GroupWork, entry: GroupEntry): Promise<boolean> {
  const { store } = work
  const id = keys.idOfWork(entry)
  const members = groupMembers(id)
  const isSame = { if: is({ token: entry.token }) }
  if (!(await succeeded(store.write([{ check: keyIn(entry), ...isSame }, ...members.close()])))) return false
  await removeRules(work, id)
  const isEmpty =
    (await moveToAllUsers(work, id)) && (await endAssignments(work, id)) && (await leaveChannels(work, id))
  if (!isEmpty || entry.kept > work.clock().toISOString()) return isEmpty
  const closed = members.keys.map((key) => ({ put: closedShard(key) }))
  await succeeded(store.write([{ delete: keyIn(entry), ...isSame }, ...closed]))
  return false
}

/** Deletes the rules of the group. */
async function removeRules(work: GroupWork, group: string): Promise<void> {
  const { store, predefined, clock } = work
  if (!(await work.hasRules())) return
  const removeOne = async () => {
    const stored = await readRules(store)
    const before = stored.rules.find(({ user_group_id }) => user_group_id === group)
    if (!before) return undefined
    const changing = { predefined, shard: keys.randomShard(), stored, now: clock().toISOString() }
    await store.write(ruleChange({ before }, { ...changing, noRoundBecause: 'GROUP_DELETED' }))
    return group
  }
  await inSteps(work, group, () => decideAgain(removeOne))
}

/** Deletes the remaining assignments, of any role and source. Returns true once the counter is zero. */
async function endAssignments(work: GroupWork, group: string): Promise<boolean> {
  for (let reads = 0; reads < READS && !isShortOfTime(work); reads++) {
    const roles = countedRoles(await groupMembers(group).read(work.store, 'strong'))
    if (roles.size === 0) return true
    for (const role of roles.keys()) await endRole(work, group, role)
  }
  return false
}

async function endRole(work: GroupWork, group: string, role: string): Promise<void> {
  const { store, predefined } = work
  const members = groupMembers(group)
  const { items } = await membersNow(store, group, role)
  await inParallel(TRANSACTIONS_AT_ONCE, chunksOf(items, ASSIGNMENTS_PER_TRANSACTION), async (some, nth) => {
    if (isShortOfTime(work)) return
    const shard = nth % TRANSACTIONS_AT_ONCE
    // The counter stays closed until the end: a late run must not write to a new group of the same id.
    const count = members.add(shard, { [keys.roleCount(role)]: -some.length }, { if: isClosed })
    const ends = some.map((item) => ({ delete: keyIn(item), if: is({ source: groupAssignments.sourceOf(item) }) }))
    // Fails if one of them was deleted meanwhile: the next read finds the rest.
    await succeeded(store.write([...ends, count, ...countRoleUse(role, -some.length, { predefined, shard })]))
  })
}

/** Detaches the group from its channels. */
async function leaveChannels({ store, predefined }: GroupWork, group: string): Promise<boolean> {
  await inParallel(TRANSACTIONS_AT_ONCE, await all(store, keys.channelsOfGroup(group)), async (pointer, nth) => {
    const channel = keys.channelOfPointer(pointer)
    const attachment = await attachmentsOf(channel).read(store, group)
    const shard = nth % TRANSACTIONS_AT_ONCE
    const ends: Action[] = attachment
      ? detach(channel, attachment, { predefined, shard }, removeWithoutEvent)
      : [{ delete: keyIn(pointer) }]
    await succeeded(store.write([groupMembers(group).requireClosed(shard), ...ends]))
  })
  return (await all(store, keys.channelsOfGroup(group))).length === 0
}
