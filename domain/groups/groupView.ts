import type { Context } from '../request/context.ts'
import { bestText } from '../request/localization.ts'
import { userCounter } from './containedUsers.ts'
import { type Group, readGroupSoon } from './group.ts'
import { allowedGroupActions } from './groupRules.ts'
import { type GroupTree, pathTo, readTree, statusIn, treeOf } from './groupTree.ts'

/** What may be asked to be told besides the record. */
export type GroupEmbed = readonly ('NUMBER_OF_CONTAINED_USERS' | 'PATH' | 'ACTIONS')[] | undefined

/** What is asked for, with the tree as it was when the operation began: a group's own change moves nothing above it. */
export type Asked = { embed: GroupEmbed; tree: GroupTree | undefined }

/** Reads what the answer of a single operation needs besides the group, beside the operation's own first reads. */
export const askedFor = async ({ store }: Context, embed: GroupEmbed): Promise<Asked> => ({
  embed,
  tree: embed?.length ? await readTree(store, 'now') : undefined,
})

/** A group as single operations answer it: its texts in all languages. */
export async function viewGroup(context: Context, group: Group, { embed, tree }: Asked): Promise<GroupView> {
  const record = { ...recordOf(group), title: group.title, description: group.description }
  if (!tree || !embed?.length) return record
  const path = embed?.includes('PATH') ? pathTo(tree, group.parent_id) : []
  const above = await Promise.all(path.map((id) => readGroupSoon(context.store, id)))
  const around = { above, parent: statusIn(tree, group.parent_id), numberOf: userCounter(context, tree) }
  return { ...record, ...(await embedded(context, group, embed, around)) }
}
export type GroupView = ReturnType<typeof recordOf> & Pick<Group, 'title' | 'description'> & Partial<Embedded>

/** The groups of a list, each with the texts that fit the caller best; `all` are all groups that there are. */
export function viewGroups(context: Context, page: readonly Group[], embed: GroupEmbed, all: readonly Group[]) {
  const byId = new Map(all.map((group) => [group.id, group]))
  const tree = treeOf(all)
  const numberOf = userCounter(context, tree)
  return Promise.all(
    page.map(async (group) => {
      const above = pathTo(tree, group.parent_id).map((id) => byId.get(id))
      const [title, description] = await Promise.all([
        bestText(context, group.title),
        group.description.length > 0 ? bestText(context, group.description) : null,
      ])
      const around = { above, parent: statusIn(tree, group.parent_id), numberOf }
      const more = await embedded(context, group, embed, around)
      return { ...recordOf(group), title, description, ...more }
    }),
  )
}

const recordOf = ({ id, external_id, status, type, parent_id, created_at, updated_at }: Group) => ({
  id,
  external_id,
  status,
  type,
  parent_id,
  created_at,
  updated_at,
})

type Around = {
  above: readonly (Group | undefined)[]
  parent: Group['status']
  numberOf: ReturnType<typeof userCounter>
}
type Embedded = {
  number_of_contained_users: number
  path: { id: string; title: Awaited<ReturnType<typeof bestText>> }[]
  actions: ReturnType<typeof allowedGroupActions>
}

async function embedded(
  context: Context,
  group: Group,
  embed: GroupEmbed,
  { above, parent, numberOf }: Around,
): Promise<Partial<Embedded>> {
  const path = [...above.filter((one) => one !== undefined), group].map(async ({ id, title }) => ({
    id,
    title: await bestText(context, title),
  }))
  return {
    ...(embed?.includes('NUMBER_OF_CONTAINED_USERS') ? { number_of_contained_users: await numberOf(group) } : {}),
    ...(embed?.includes('PATH') ? { path: await Promise.all(path) } : {}),
    ...(embed?.includes('ACTIONS') ? { actions: allowedGroupActions(group, parent) } : {}),
  }
}
