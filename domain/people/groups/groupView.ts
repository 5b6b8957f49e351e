import type { Context } from '../../request/context.ts'
import { bestText, bestTexts } from '../../request/localization.ts'
import { groupCounts } from '../../table/keys.ts'
import { listReader } from '../../table/peopleLists.ts'
import { all } from '../../table/reader.ts'
import { countPeople } from '../finding/members.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { type Group, groupFields, groups } from '../records/group.ts'
import { type RoleList, roleLists } from '../records/groupLists.ts'
import { allowedGroupActions, treePlaceOf } from '../records/groupRules.ts'
import { type GroupTree, groupsFrom, pathTo, readTree } from '../records/groupTree.ts'
import { allLists } from '../records/userLists.ts'
import { countUsers } from '../records/userTotals.ts'

/** What an answer can show besides the record. */
type GroupEmbed = readonly ('NUMBER_OF_CONTAINED_USERS' | 'PATH' | 'ACTIONS')[] | undefined

/** What the views of one call need besides the groups. */
type ViewScope = {
  embed: NonNullable<GroupEmbed>
  tree: GroupTree
  countUsers: (group: Group) => Promise<number>
  /** Finds the groups of a path. */
  groupOf: (id: string) => Group | undefined | Promise<Group | undefined>
}

/** The scope of the views; undefined if only the record is asked for. */
export function viewScope(
  context: Context,
  embed: GroupEmbed,
  tree: GroupTree,
  groupOf: ViewScope['groupOf'] = (id) => groups.readEventual(context.store, id),
): ViewScope | undefined {
  return embed?.length ? { embed, tree, countUsers: userCounter(context, tree), groupOf } : undefined
}

/**
 * The same with the tree as it is now. A change of a group does not change the groups above it, so the scope may be
 * read before the change.
 */
export const readViewScope = async (context: Context, embed: GroupEmbed): Promise<ViewScope | undefined> =>
  embed?.length ? viewScope(context, embed, await readTree(context.store, 'strong')) : undefined

/** A group in answers with one group: with its texts in all languages. */
export const viewGroup = async (context: Context, group: Group, scope: ViewScope | undefined) => ({
  ...groupFields.shown(group),
  ...(await embedded(context, group, scope)),
})

/** A group in lists: with the texts that fit the caller best. */
export const listedGroup = async (context: Context, group: Group, scope: ViewScope | undefined) => ({
  ...groupFields.shown(group),
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
    const [{ predefined }, actor] = await Promise.all([context.organisation(), context.actor()])
    return allowedGroupActions(group, treePlaceOf(tree, group, predefined), actor)
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
 * Counts the users with a role in a group or in one below it, in any state; each user once. Counts of several groups
 * share their reads.
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
    // Every user has a primary group, and all groups are below the root.
    if (type === 'ROOT') return countUsers(context, allLists)
    overdue ??= overdueUsers(context)
    const [gone, ...lists] = await Promise.all([overdue, ...groupsFrom(tree, id).map(readLists)])
    return countPeople(reader, lists.flat(), gone)
  }
}
