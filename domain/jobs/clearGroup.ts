import { sideBySide, slices } from '../base/sideBySide.ts'
import type { Attachment } from '../channels/channel.ts'
import { attachmentDeletion } from '../channels/channelGroupWrites.ts'
import { groupMembers } from '../groups/group.ts'
import { countedRoles } from '../groups/memberCounts.ts'
import { membersNow } from '../groups/membersNow.ts'
import { countRoleUse } from '../roles/role.ts'
import { closedShard, isClosed } from '../table/counters.ts'
import { is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { type Action, all, happened, type Item, type Key } from '../table/store.ts'
import { isLate } from '../table/work.ts'
import { evictMembers } from './evictMembers.ts'
import type { GroupWork } from './groupWork.ts'

/** Assignments ended in one transaction, and such transactions at once, each on a counter shard of its own. */
const TOGETHER = 40
const AT_ONCE = 8
/** Looks at what is left in one go. */
const ROUNDS = 5

/**
 * Removes all that is left of a group whose record is gone: nobody joins it any more, whose primary group it was comes to
 * ALL_USERS, its assignments and its places on channels end. At last, when no call that knew the group should still be on
 * its way, the entry goes that keeps its id. The counters stay, closed: a call that comes even later than that must meet
 * them. May be repeated, and two may be at it at once.
 */
export async function clearGroup(work: GroupWork, entry: Item): Promise<void> {
  const { store } = work
  const id = entry.sk
  const members = groupMembers(id)
  const isSame = { if: is({ token: entry.token }) }
  if (!(await happened(store.write([{ check: keyOf(entry), ...isSame }, ...members.close()])))) return
  const isEmpty = (await evictMembers(work, id)) && (await endAssignments(work, id)) && (await detach(work, id))
  if (!isEmpty || String(entry.kept) > work.clock().toISOString()) return
  const closed = members.keys.map((key) => ({ put: closedShard(key) }))
  await happened(store.write([{ delete: keyOf(entry), ...isSame }, ...closed]))
}

const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk })

/** Ends the assignments that are left, whatever their role and source; true when the counters say that none is. */
async function endAssignments(work: GroupWork, group: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS && !isLate(work); round++) {
    const counts = await all(work.store, { ...keys.groupCounts(group), consistent: true })
    const roles = [...countedRoles(counts).keys()]
    if (roles.length === 0) return true
    for (const role of roles) await endRole(work, group, role)
  }
  return false
}

async function endRole(work: GroupWork, group: string, role: string): Promise<void> {
  const { store, predefined } = work
  const members = groupMembers(group)
  const { items } = await membersNow(store, group, role)
  let shard = 0
  await sideBySide(AT_ONCE, slices(items, TOGETHER), async (some) => {
    if (isLate(work)) return
    const nth = shard++ % AT_ONCE
    // The counter is closed until the end: a late call must not write to a new group of the same id.
    const count = members.add(nth, { [keys.roleCount(role)]: -some.length }, { if: isClosed })
    const ends = some.map((item) => ({ delete: keyOf(item), if: is({ source: item.source }) }))
    // If one of them has been ended meanwhile, the next look knows.
    await happened(store.write([...ends, count, ...countRoleUse(predefined, role, -some.length, nth)]))
  })
}

/** Ends the group's places on channels. */
async function detach(work: GroupWork, group: string): Promise<boolean> {
  const { store, predefined } = work
  let shard = 0
  await sideBySide(AT_ONCE, await all(store, keys.channelsOfGroup(group)), async (pointer) => {
    const channel = keys.channelOfPointer(pointer)
    const attachment = (await store.get(keys.channelGroupKey(channel, group)))?.data as Attachment | undefined
    const nth = shard++ % AT_ONCE
    const ends: Action[] = attachment
      ? [...attachmentDeletion(channel, attachment), ...countRoleUse(predefined, attachment.role_id, -1, nth)]
      : [{ delete: keyOf(pointer) }]
    await happened(store.write([groupMembers(group).requireClosed(nth), ...ends]))
  })
  return (await all(store, keys.channelsOfGroup(group))).length === 0
}
