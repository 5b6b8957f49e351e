import type { Context } from '../context.ts'
import { bestText } from '../localization.ts'
import { type Group, readGroupSoon } from './group.ts'
import { allowedGroupActions } from './groupRules.ts'
import { type GroupTree, pathTo, readTree, statusIn } from './tree.ts'

/** What may be asked to be told besides the record. */
export type GroupEmbed = readonly ('PATH' | 'ACTIONS')[] | undefined

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
  return { ...record, ...(await embedded(context, group, embed, { above, parent: statusIn(tree, group.parent_id) })) }
}
export type GroupView = ReturnType<typeof recordOf> & Pick<Group, 'title' | 'description'> & Partial<Embedded>

/** The groups of a list, each with the texts that fit the caller best; `all` are those that lie above any of them. */
export function viewGroups(context: Context, page: readonly Group[], embed: GroupEmbed, all: readonly Group[]) {
  const byId = new Map(all.map((group) => [group.id, group]))
  const parentOf = new Map(all.flatMap(({ id, parent_id }) => (parent_id === null ? [] : [[id, parent_id] as const])))
  return Promise.all(
    page.map(async (group) => {
      const above = pathTo({ parentOf }, group.parent_id).map((id) => byId.get(id))
      const [title, description] = await Promise.all([
        bestText(context, group.title),
        group.description.length > 0 ? bestText(context, group.description) : null,
      ])
      const more = await embedded(context, group, embed, { above, parent: byId.get(group.parent_id ?? '')?.status })
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

type Around = { above: readonly (Group | undefined)[]; parent: Group['status'] | undefined }
type Embedded = {
  path: { id: string; title: Awaited<ReturnType<typeof bestText>> }[]
  actions: ReturnType<typeof allowedGroupActions>
}

async function embedded(
  context: Context,
  group: Group,
  embed: GroupEmbed,
  { above, parent }: Around,
): Promise<Partial<Embedded>> {
  const path = [...above.filter((one) => one !== undefined), group].map(async ({ id, title }) => ({
    id,
    title: await bestText(context, title),
  }))
  return {
    ...(embed?.includes('PATH') ? { path: await Promise.all(path) } : {}),
    ...(embed?.includes('ACTIONS') ? { actions: allowedGroupActions(group, parent) } : {}),
  }
}
