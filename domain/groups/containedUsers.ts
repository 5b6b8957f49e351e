import type { Context } from '../request/context.ts'
import { groupCounts } from '../table/keys.ts'
import { listReader } from '../table/lists.ts'
import { all } from '../table/store.ts'
import { countPeople } from '../users/people.ts'
import { countAllUsers } from '../users/userCounts.ts'
import { overdueUsers } from '../users/userLists.ts'
import { type Group, type RoleList, roleLists } from './group.ts'
import { type GroupTree, groupsFrom } from './groupTree.ts'

/**
 * Counts the users who hold a role in a group or in one below it, whatever that group's state, each once. What is read for
 * one group is not read again for the next.
 */
export function userCounter(context: Context, tree: GroupTree): (group: Group) => Promise<number> {
  const reader = listReader(context.store, 'by_last_name')
  const listsOf = new Map<string, Promise<RoleList[]>>()
  const readLists = (group: string): Promise<RoleList[]> => {
    const lists =
      listsOf.get(group) ?? all(context.store, groupCounts(group)).then((shards) => roleLists(group, shards))
    listsOf.set(group, lists)
    return lists
  }
  let overdue: ReturnType<typeof overdueUsers> | undefined
  return async ({ id, type }) => {
    // Every user has a primary group, and all groups lie below the root.
    if (type === 'ROOT') return countAllUsers(context)
    overdue ??= overdueUsers(context)
    const [gone, ...lists] = await Promise.all([overdue, ...groupsFrom(tree, id).map(readLists)])
    return countPeople(reader, lists.flat(), gone)
  }
}
