import type { Context } from '../request/context.ts'
import { bestText, bestTexts } from '../request/localization.ts'
import { userCounter } from './containedUsers.ts'
import { type Group, groups } from './group.ts'
import { allowedGroupActions } from './groupRules.ts'
import { type GroupTree, pathTo, readTree, statusIn } from './groupTree.ts'

/** What can be asked for besides the record. */
type GroupEmbed = readonly ('NUMBER_OF_CONTAINED_USERS' | 'PATH' | 'ACTIONS')[] | undefined

/** What the answers of one call are made from besides the groups. */
export type ViewScope = {
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
export const viewGroup = async (context: Context, group: Group, scope: ViewScope | undefined): Promise<GroupView> => ({
  ...group,
  ...(await embedded(context, group, scope)),
})
export type GroupView = Group & Partial<Awaited<ReturnType<typeof embedded>>>

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
  const [number_of_contained_users, path] = await Promise.all([
    embed.includes('NUMBER_OF_CONTAINED_USERS') ? countUsers(group) : undefined,
    embed.includes('PATH') ? pathOf() : undefined,
  ])
  return {
    ...(number_of_contained_users === undefined ? {} : { number_of_contained_users }),
    ...(path ? { path } : {}),
    ...(embed.includes('ACTIONS') ? { actions: allowedGroupActions(group, statusIn(tree, group.parent_id)) } : {}),
  }
}
