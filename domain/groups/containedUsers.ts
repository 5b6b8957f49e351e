import type { Context } from '../request/context.ts'
import { groupCounts, userOfRow } from '../table/keys.ts'
import { listReader } from '../table/lists.ts'
import { all } from '../table/store.ts'
import { absentUsers } from '../users/people.ts'
import { countEverybody } from '../users/userLists.ts'
import { type Group, roleLists } from './group.ts'
import { type GroupTree, groupsFrom } from './groupTree.ts'

/**
 * Counts the users of groups: everybody who holds a role in a group or in one below it, whatever that group's state, once.
 * Of the lists of those who hold a role there, the largest is only counted; the others are read and compared with it.
 * What is read for one group is not read again for the next.
 */
export function userCounter(
  context: Context,
  tree: GroupTree | undefined,
): (group: Pick<Group, 'id' | 'type'>) => Promise<number> {
  const reader = listReader(context.store, 'by_last_name')
  const listsOf = once(async (group: string) => roleLists(group, await all(context.store, groupCounts(group))))
  const absent = once((_: 'absent') => absentUsers(context))
  return async ({ id, type }) => {
    // Every user has a primary group, and all groups lie below the root.
    if (type === 'ROOT' || !tree) return countEverybody(context)
    const [gone, ...found] = await Promise.all([absent('absent'), ...groupsFrom(tree, id).map(listsOf)])
    const [largest, ...others] = found.flat().sort((a, b) => b.size - a.size)
    if (!largest) return 0
    const rows = await Promise.all(others.map((one) => reader.whole(one)))
    const ids = new Set(rows.flat().map(userOfRow))
    const more = new Set([...ids].filter((user) => !gone.all.has(user)))
    const [known, overdue] = await Promise.all([reader.among(largest, more), reader.among(largest, gone.overdue)])
    return largest.size - overdue.size + more.size - known.size
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
