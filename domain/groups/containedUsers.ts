import type { Context } from '../request/context.ts'
import { groupCounts } from '../table/keys.ts'
import { listReader } from '../table/lists.ts'
import { all } from '../table/store.ts'
import { countPeople } from '../users/people.ts'
import { countAllUsers } from '../users/userCounts.ts'
import { overdueUsers } from '../users/userLists.ts'
import { type Group, roleLists } from './group.ts'
import { type GroupTree, groupsFrom } from './groupTree.ts'

/**
 * Counts the users of groups: those who hold any role in a group or in one below it, archived ones included, each once.
 * What is read for one group is not read again for another.
 */
export function userCounter(
  context: Context,
  tree: GroupTree | undefined,
): (group: Pick<Group, 'id' | 'type'>) => Promise<number> {
  const reader = listReader(context.store, 'by_last_name')
  const listsOf = once(async (group: string) => roleLists(group, await all(context.store, groupCounts(group))))
  const overdue = once((_: 'overdue') => overdueUsers(context))
  return async ({ id, type }) => {
    // Every user has a primary group, and all groups lie below the root.
    if (type === 'ROOT' || !tree) return countAllUsers(context)
    const [gone, ...found] = await Promise.all([overdue('overdue'), ...groupsFrom(tree, id).map(listsOf)])
    return countPeople(reader, found.flat(), gone)
  }
}

/** Asks only once for the same thing. */
function once<In, Out>(ask: (what: In) => Promise<Out>): (what: In) => Promise<Out> {
  const answers = new Map<In, Promise<Out>>()
  return (what) => {
    const answer = answers.get(what) ?? ask(what)
    answers.set(what, answer)
    return answer
  }
}
