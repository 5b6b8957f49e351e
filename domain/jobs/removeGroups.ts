import { refuse } from '../base/errors.ts'
import { existingGroup, type Group, readGroup } from '../groups/group.ts'
import { checkGroupAction } from '../groups/groupRules.ts'
import { groupsFrom, readTree, readTreeVersion, treeChanged, unlessChanged } from '../groups/groupTree.ts'
import { groupExternalIds } from '../groups/groupWrites.ts'
import { is } from '../table/expressions.ts'
import { groupKey, groupTreeKey, userCountKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { type Action, type Item, StaleRead } from '../table/store.ts'
import { isLate } from '../table/work.ts'
import { unlessImporting } from '../users/userWrites.ts'
import { type GroupWork, groupWorkEntry } from './groupWork.ts'

/** Entries of groups whose records are gone, and whether that is all of them. */
type Removed = { entries: Item[]; isAll: boolean }

/** Groups removed in one transaction: each takes up to four actions, four are for all of them. */
const AT_ONCE = 24

/**
 * Removes the records of a group and of those below it, the lowest first, as many as one transaction takes; from then on
 * they are gone for everybody. Each leaves an entry, which keeps its id until nothing of it is left; that of the group
 * itself says from the first step on that all below it are to go. Whoever restores the group before that keeps it, and all
 * below it. Answers the entries, and whether that was all.
 */
export async function removeNext(work: GroupWork, top: Item): Promise<Removed> {
  const { store, clock, predefined } = work
  // The version comes before the tree: whoever changes it between the two reads, or afterwards, makes the write fail.
  const version = await readTreeVersion(store)
  const [tree, read] = await Promise.all([readTree(store, 'now'), existingGroup(store, top.sk)])
  checkGroupAction('delete', read)
  const below = groupsFrom(tree, top.sk).reverse()
  await unlessChanged(store, version, () => {
    if (below.some((id) => id === predefined.ROOT || id === predefined.ALL_USERS))
      throw refuse('USER_GROUP_IS_PREDEFINED', 'group_id', 'A predefined user group lies below this one')
  })
  const groups = await Promise.all(below.slice(0, AT_ONCE).map((id) => (id === top.sk ? read : readGroup(store, id))))
  const removed = groups.filter((group) => group !== undefined)
  if (removed.length < groups.length) throw new StaleRead()
  const isAll = removed.length === below.length
  // From now on they are gone: the top one comes last, and its id is kept from then on, too.
  const gone = { now: clock().toISOString(), token: String(top.token) }
  const entries = removed.map(({ id }) => groupWorkEntry(id, 'delete', gone))
  const actions = [
    treeChanged(version),
    // What an import brings may belong to any group.
    { check: userCountKey(0), ...unlessImporting },
    ...removed.flatMap(removal),
    ...entries.map((put) => ({ put })),
    ...(isAll ? [] : [{ put: top }, { check: groupKey(top.sk), ...isStill(read) }]),
  ]
  await store.write(actions, isAll ? undefined : 'part')
  return { entries, isAll }
}

/** Removes what there is time for of the records that are left; answers what is removed by then. */
export async function removeRest(work: GroupWork, top: Item, before: Removed): Promise<Removed> {
  let removed = before
  while (!removed.isAll && !isLate(work)) {
    const next = await retrying(() => removeNext(work, top))
    removed = { ...next, entries: [...removed.entries, ...next.entries] }
  }
  return removed
}

const isStill = (read: Group) => ({ if: is({ data: read }) })

const removal = (group: Group): Action[] => [
  { delete: groupKey(group.id), ...isStill(group) },
  { delete: groupTreeKey(group.id) },
  ...groupExternalIds.giveUp(group),
]
