import { refuse } from '../errors.ts'
import { groupKey, groupTreeKey, userCountKey } from '../store/keys.ts'
import { type Action, type Item, StaleRead } from '../store/store.ts'
import { unlessImporting } from '../users/userWrites.ts'
import { existingGroup, type Group, readGroup } from './group.ts'
import { checkGroupAction } from './groupRules.ts'
import { type GroupWork, groupWorkEntry } from './groupWork.ts'
import { givingUp } from './groupWrites.ts'
import { groupsFrom, readTree, readTreeVersion, treeChanged } from './tree.ts'

/** Groups removed in one transaction: each takes up to four actions, four are for all of them. */
const AT_ONCE = 24

/**
 * Removes the records of a group and of those below it, the lowest first, as many as one transaction takes; from then on
 * they are gone for everybody. Each leaves an entry, which keeps its id until nothing of it is left; that of the group
 * itself says from the first step on that all below it are to go. Whoever restores the group before that keeps it, and all
 * below it. Answers the entries, and whether that was all.
 */
export async function removeNext(work: GroupWork, top: Item): Promise<{ entries: Item[]; isAll: boolean }> {
  const { store, now, predefined } = work
  // The version comes before the tree: whoever changes it between the two reads, or afterwards, makes the write fail.
  const version = await readTreeVersion(store)
  const [tree, read] = await Promise.all([readTree(store, 'now'), existingGroup(store, top.sk)])
  checkGroupAction('delete', read)
  const below = groupsFrom(tree, top.sk).reverse()
  if (below.some((id) => id === predefined.ROOT || id === predefined.ALL_USERS))
    throw refuse('USER_GROUP_IS_PREDEFINED', 'group_id', 'A predefined user group lies below this one')
  const groups = await Promise.all(below.slice(0, AT_ONCE).map((id) => (id === top.sk ? read : readGroup(store, id))))
  const removed = groups.filter((group) => group !== undefined)
  if (removed.length < groups.length) throw new StaleRead()
  const isAll = removed.length === below.length
  const entries = removed.map(({ id }) =>
    id === top.sk ? top : groupWorkEntry(id, 'delete', { now, token: String(top.token) }),
  )
  await store.write([
    treeChanged(version),
    // What an import brings may belong to any group.
    { check: userCountKey(0), ...unlessImporting },
    ...removed.flatMap(removal),
    ...entries.map((put) => ({ put })),
    ...(isAll ? [] : [{ put: top }, { check: groupKey(top.sk), ...isStill(read) }]),
  ])
  return { entries, isAll }
}

const isStill = (read: Group) => ({ if: '#data = :read', values: { read } })

const removal = (group: Group): Action[] => [
  { delete: groupKey(group.id), ...isStill(group) },
  { delete: groupTreeKey(group.id) },
  ...givingUp(group),
]
