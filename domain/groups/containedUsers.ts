import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import { listReader, type PeopleList } from '../table/lists.ts'
import * as places from '../table/places.ts'
import { all } from '../table/store.ts'
import { type Absent, absentUsers } from '../users/people.ts'
import { countEverybody } from '../users/userLists.ts'
import type { Group } from './group.ts'
import { type GroupTree, groupsFrom } from './groupTree.ts'
import { countedRoles } from './memberCounts.ts'

/**
 * Counts the users of groups: whoever holds any role in a group or in one below it, whatever that group's state, each
 * once. Of the lists of people who hold a role somewhere there, the largest is only counted; the others are read, and
 * compared with it. What is read for one group is not read again for another.
 */
export function userCounter(
  context: Context,
  tree: Pick<GroupTree, 'childrenOf'>,
): (group: Pick<Group, 'id' | 'type'>) => Promise<number> {
  const reader = listReader(context.store, 'by_last_name')
  const listsOf = onceFor((group: string) => listsIn(context, group))
  const absent = onceFor((_: 'absent'): Promise<Absent> => absentUsers(context))
  return async ({ id, type }) => {
    // Everybody has a primary group, and all of them lie below the root.
    if (type === 'ROOT') return countEverybody(context)
    const [gone, ...found] = await Promise.all([absent('absent'), ...groupsFrom(tree, id).map(listsOf)])
    const [largest, ...others] = found.flat().sort((a, b) => b.size - a.size)
    if (!largest) return 0
    const rows = await Promise.all(others.map((one) => reader.whole(one)))
    const ids = new Set(rows.flat().map(keys.userOfRow))
    const more = new Set([...ids].filter((user) => !gone.all.has(user)))
    const [known, overdue] = await Promise.all([reader.among(largest, more), reader.among(largest, gone.overdue)])
    return largest.size - overdue.size + more.size - known.size
  }
}

/** The lists of those who hold a role in a group. */
async function listsIn({ store }: Context, group: string): Promise<PeopleList[]> {
  const counts = countedRoles(await all(store, keys.groupCounts(group)))
  return [...counts].map(([role, size]) => ({
    size,
    list: places.groupList(group, role),
    keyOf: (user) => keys.groupAssignmentKey(user, group, role),
  }))
}

/** The same answer for the same question. */
function onceFor<In, Out>(ask: (what: In) => Promise<Out>): (what: In) => Promise<Out> {
  const answers = new Map<In, Promise<Out>>()
  return (what) => {
    const answer = answers.get(what) ?? ask(what)
    answers.set(what, answer)
    return answer
  }
}
