import type { Context } from '../request/context.ts'
import { bestText, bestTexts } from '../request/localization.ts'
import { userCounter } from './containedUsers.ts'
import { type Group, groups } from './group.ts'
import { allowedGroupActions } from './groupRules.ts'
import { type GroupTree, pathTo, readTree, statusIn } from './groupTree.ts'

/** What can be asked for besides the record. */
type GroupEmbed = readonly ('NUMBER_OF_CONTAINED_USERS' | 'PATH' | 'ACTIONS')[] | undefined

/** What the answers of one call are made from: what is asked for, and, if that is anything, the tree. */
export type ViewScope = {
  embed: GroupEmbed
  tree: GroupTree | undefined
  countUsers: ReturnType<typeof userCounter>
  /** Finds the groups of a path. */
  groupOf: (id: string) => Group | undefined | Promise<Group | undefined>
}

export const viewScope = (
  context: Context,
  { embed, tree, groupOf }: Omit<ViewScope, 'countUsers' | 'groupOf'> & Partial<Pick<ViewScope, 'groupOf'>>,
): ViewScope => ({
  embed,
  tree,
  countUsers: userCounter(context, tree),
  groupOf: groupOf ?? ((id) => groups.readSoon(context.store, id)),
})

/** Reads what an answer needs besides the group. A group's own change moves nothing above it, so this may come before. */
export const readViewScope = async (context: Context, embed: GroupEmbed): Promise<ViewScope> =>
  viewScope(context, { embed, tree: embed?.length ? await readTree(context.store, 'now') : undefined })

/** A group as single operations answer it: its texts in all languages. */
export const viewGroup = async (context: Context, group: Group, scope: ViewScope): Promise<GroupView> => ({
  ...group,
  ...(await embedded(context, group, scope)),
})
export type GroupView = Group & Partial<Awaited<ReturnType<typeof embedded>>>

/** A group as lists answer it: with the texts that fit the caller best. */
export const listedGroup = async (context: Context, group: Group, scope: ViewScope) => ({
  ...group,
  ...(await bestTexts(context, group)),
  ...(await embedded(context, group, scope)),
})

async function embedded(context: Context, group: Group, { embed = [], tree, countUsers, groupOf }: ViewScope) {
  if (!tree) return {}
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
