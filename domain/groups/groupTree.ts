import { StaleRead } from '../base/errors.ts'
import { absent, is } from '../table/expressions.ts'
import { groupTree, treeVersionKey } from '../table/keys.ts'
import { type Action, all, type Store } from '../table/store.ts'
import { type Group, treeRows } from './group.ts'

/** Which groups lie below which, and which are active. */
export type GroupTree = { childrenOf: Map<string, string[]>; parentOf: Map<string, string>; active: Set<string> }

/** The tree of all groups, in one query: as it is now, or as it was a moment ago for half the price. */
export async function readTree(store: Store, when: 'now' | 'soon' = 'soon'): Promise<GroupTree> {
  const rows = await all(store, { ...groupTree, consistent: when === 'now' })
  return treeOf(rows.map(treeRows.of).map(({ sk: id, parent_id, status }) => ({ id, parent_id, status })))
}

/** The tree that groups make. */
export function treeOf(groups: readonly Pick<Group, 'id' | 'parent_id' | 'status'>[]): GroupTree {
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

/** How often the tree has changed. Read it before the tree: then it shows every change since. */
export const readTreeVersion = async (store: Store): Promise<number> =>
  Number((await store.get(treeVersionKey))?.version ?? 0)

/**
 * Judges a tree whose version was read before it. The query reads group after group, so a move at the same time can show a
 * tree that never existed. A refusal therefore counts only if the version is still the same; else the read is stale.
 */
export async function unlessChanged(store: Store, version: number, judge: () => void): Promise<void> {
  try {
    judge()
  } catch (error) {
    if ((await readTreeVersion(store)) !== version) throw new StaleRead()
    throw error
  }
}

/** Counts a change of the tree; fails as stale if the tree has changed since its version was read. */
export const treeChanged = (version: number): Action => ({
  update: treeVersionKey,
  set: { version: version + 1 },
  if: version === 0 ? absent : is({ version }),
})

/** Counts a change of the tree that is right whatever else changes in it. */
export const countTreeChange: Action = { update: treeVersionKey, add: { version: 1 } }

/** The ids of a parent and all groups above it, from the root down. */
export function pathTo({ parentOf }: GroupTree, parent: string | null): string[] {
  const path = new Set<string>()
  for (let above = parent; above && !path.has(above); above = parentOf.get(above) ?? null) path.add(above)
  return [...path].reverse()
}

/** The state of a group by the tree. Nothing lies above the root, which counts as active. */
export const statusIn = ({ active }: GroupTree, id: string | null): Group['status'] =>
  id === null || active.has(id) ? 'ACTIVE' : 'ARCHIVED'

/** A group and all below it, whatever their states, from the top down. */
export function groupsFrom({ childrenOf }: GroupTree, group: string): string[] {
  const reached = new Set([group])
  for (const one of reached) for (const child of childrenOf.get(one) ?? []) reached.add(child)
  return [...reached]
}

/** The active groups among a group and all below it; none if the group itself is archived. */
export function activeFrom(tree: GroupTree, group: string): string[] {
  if (!tree.active.has(group)) return []
  return groupsFrom(tree, group).filter((one) => tree.active.has(one))
}
