import { absent, is } from '../table/expressions.ts'
import { groupTree, treeVersionKey } from '../table/keys.ts'
import { type Action, all, type Item, StaleRead, type Store } from '../table/store.ts'

/** Which groups lie below which, and which are active. */
export type GroupTree = { childrenOf: Map<string, string[]>; parentOf: Map<string, string>; active: Set<string> }

/** The tree of all groups: a few hundred bytes each, read at once; as it is now, or as it was a moment ago. */
export async function readTree(store: Pick<Store, 'query'>, when: 'now' | 'soon' = 'soon'): Promise<GroupTree> {
  const rows = await all(store, { ...groupTree, consistent: when === 'now' })
  return treeOf(
    (rows as (Item & Omit<Placed, 'id'>)[]).map(({ sk, parent_id, status }) => ({ id: sk, parent_id, status })),
  )
}

type Placed = { id: string; parent_id: string | null; status: 'ACTIVE' | 'ARCHIVED' }

/** The tree that groups make. */
export function treeOf(groups: readonly Placed[]): GroupTree {
  const tree: GroupTree = { childrenOf: new Map(), parentOf: new Map(), active: new Set() }
  for (const { id, parent_id, status } of groups) {
    if (status === 'ACTIVE') tree.active.add(id)
    if (!parent_id) continue
    tree.parentOf.set(id, parent_id)
    const siblings = tree.childrenOf.get(parent_id)
    if (siblings) siblings.push(id)
    else tree.childrenOf.set(parent_id, [id])
  }
  return tree
}

/** How often the tree has changed: read before the tree, it tells whether that is still what it was. */
export const readTreeVersion = async (store: Pick<Store, 'get'>): Promise<number> =>
  Number((await store.get(treeVersionKey))?.version ?? 0)

/**
 * Judges a tree whose version was read before it. A refusal stands only if nobody has changed the tree since: its groups
 * are read one after the other, and may never have lain as they seem to.
 */
export async function unlessChanged(store: Pick<Store, 'get'>, version: number, judge: () => void): Promise<void> {
  try {
    judge()
  } catch (error) {
    if ((await readTreeVersion(store)) !== version) throw new StaleRead()
    throw error
  }
}

/** The tree changes, and nobody has changed it since it was read. */
export const treeChanged = (version: number): Action => ({
  update: treeVersionKey,
  set: { version: version + 1 },
  if: version === 0 ? absent : is({ version }),
})

/** The groups above one, from the root down; where it lies is said by its own record. */
export function pathTo({ parentOf }: Pick<GroupTree, 'parentOf'>, parent: string | null): string[] {
  const path = new Set<string>()
  for (let above = parent; above && !path.has(above); above = parentOf.get(above) ?? null) path.add(above)
  return [...path].reverse()
}

/** The state of a group that lies above others. */
export const statusIn = ({ active }: Pick<GroupTree, 'active'>, id: string | null): 'ACTIVE' | 'ARCHIVED' =>
  id === null || active.has(id) ? 'ACTIVE' : 'ARCHIVED'

/** A group and all below it, whatever their states, from the top down. */
export function groupsFrom({ childrenOf }: Pick<GroupTree, 'childrenOf'>, group: string): string[] {
  const reached = new Set([group])
  for (const one of reached) for (const child of childrenOf.get(one) ?? []) reached.add(child)
  return [...reached]
}

/** The active groups among a group and all below it; none if the group itself is archived. */
export function activeFrom(tree: Pick<GroupTree, 'childrenOf' | 'active'>, group: string): string[] {
  if (!tree.active.has(group)) return []
  return groupsFrom(tree, group).filter((one) => tree.active.has(one))
}
