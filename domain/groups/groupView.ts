import type { Context } from '../request/context.ts'
import { bestText, bestTexts } from '../request/localization.ts'
import { groupCounts } from '../table/keys.ts'
import { listReader } from '../table/lists.ts'
import { all } from '../table/store.ts'
import { countPeople } from '../users/people.ts'
import { countAllUsers } from '../users/userCounts.ts'
import { overdueUsers } from '../users/userLists.ts'
import { type Group, type GroupTree, groups, groupsFrom, pathTo, type RoleList, readTree, roleLists } from './group.ts'
import { allowedGroupActions, placeIn } from './groupRules.ts'

/** What can be asked for besides the record. */
type GroupEmbed = readonly ('NUMBER_OF_CONTAINED_USERS' | 'PATH' | 'ACTIONS')[] | undefined

/** What the answers of one call are made from besides the groups. */
type ViewScope = {
  embed: NonNullable<GroupEmbed>
  tree: GroupTree
  countUsers: (group: Group) => Promise<number>
  /** Finds the groups of a path. */
  groupOf: (id: string) => Group | undefined | Promise<Group | undefined>
}

/** The scope of an answer; undefined if only the record is asked for. */
export function viewScope(
  context: Context,
  embed: GroupEmbed,
  tree: GroupTree,
  groupOf: ViewScope['groupOf'] = (id) => groups.readSoon(context.store, id),
): ViewScope | undefined {
  return embed?.length ? { embed, tree, countUsers: userCounter(context, tree), groupOf } : undefined
}

/** The same with the tree as it is now. A group's own change moves nothing above it, so this may be read before. */
export const readViewScope = async (context: Context, embed: GroupEmbed): Promise<ViewScope | undefined> =>
  embed?.length ? viewScope(context, embed, await readTree(context.store, 'now')) : undefined

/** A group as single operations answer it: its texts in all languages. */
export const viewGroup = async (context: Context, group: Group, scope: ViewScope | undefined) => ({
  ...group,
  ...(await embedded(context, group, scope)),
})

/** A group as lists answer it: with the texts that fit the caller best. */
export const listedGroup = async (context: Context, group: Group, scope: ViewScope | undefined) => ({
  ...group,
  ...(await bestTexts(context, group)),
  ...(await embedded(context, group, scope)),
})

async function embedded(context: Context, group: Group, scope: ViewScope | undefined) {
  if (!scope) return {}
  const { embed, tree, countUsers, groupOf } = scope
  const pathOf = async () => {
    const above = await Promise.all(pathTo(tree, group.parent_id).map(groupOf))
    const path = [...above.filter((one) => one !== undefined), group]
    return Promise.all(path.map(async ({ id, title }) => ({ id, title: await bestText(context, title) })))
  }
  const actionsOf = async () => {
    const { predefined } = await context.organisation()
    return allowedGroupActions(group, placeIn(tree, group, predefined))
  }
  const [number_of_contained_users, path, actions] = await Promise.all([
    embed.includes('NUMBER_OF_CONTAINED_USERS') ? countUsers(group) : undefined,
    embed.includes('PATH') ? pathOf() : undefined,
    embed.includes('ACTIONS') ? actionsOf() : undefined,
  ])
  return {
    ...(number_of_contained_users === undefined ? {} : { number_of_contained_users }),
    ...(path ? { path } : {}),
    ...(actions ? { actions } : {}),
  }
}

/**
 * Counts the users who hold a role in a group or in one below it, whatever that group's state, each once. What is read for
 * one group is not read again for the next.
 */
function userCounter(context: Context, tree: GroupTree): (group: Group) => Promise<number> {
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
