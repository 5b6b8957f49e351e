import { StaleRead } from '../../base/errors.ts'
import { itemOf, replaceRecord } from '../../table/changes.ts'
import { absent, is } from '../../table/expressions.ts'
import { changeExternalId } from '../../table/externalIds.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Action, Item, Store } from '../../table/store.ts'
import { type Group, groups, requireActiveGroup, treeRows } from './group.ts'

// The tree of user groups: which are below which, and which are active.

/** The row of a group's place in the tree. */
export const treeRow = ({ id, parent_id, status }: Group): Item =>
  treeRows.item(keys.groupTreeKey(id), { parent_id, status })

/** The items of a group: its record and its place in the tree. */
export const groupItems = (group: Group): [Item, Item] => [itemOf(groups, group), treeRow(group)]

/** Changes a group, its place in the tree and its external id; stale if the group has changed since it was read. */
export function groupChange(before: Group, after: Group): Action[] {
  const hasOtherParent = before.parent_id !== after.parent_id
  return [
    replaceRecord(groups, before, after),
    ...changeExternalId(keys.groupExternalIdKey, before, after),
    ...(hasOtherParent || before.status !== after.status ? [{ put: treeRow(after) }] : []),
    ...(hasOtherParent ? [requireActiveGroup(after.parent_id)] : []),
  ]
}

/** Which groups are below which, and which are active. */
export type GroupTree = { childrenOf: Map<string, string[]>; parentOf: Map<string, string>; active: Set<string> }

/** The tree of all groups, in one query: as it is now, or, for half the read units, as it was a moment ago. */
export async function readTree(store: Store, consistency: 'strong' | 'eventual' = 'eventual'): Promise<GroupTree> {
  const rows = await all(store, { ...keys.groupTree, consistent: consistency === 'strong' })
  return treeOf(rows.map(treeRows.of).map(({ sk: id, parent_id, status }) => ({ id, parent_id, status })))
}

/** Builds the tree of these groups. */
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

/** How often the tree has changed. Read it before the tree: then a later change of the tree is always noticed. */
export const readTreeVersion = async (store: Store): Promise<number> =>
  Number((await store.get(keys.treeVersionKey))?.version ?? 0)

/**
 * Checks a tree whose version was read before it. A move during the query can make it return a tree that never existed.
 * So an error of the check only counts if the version is still the same; otherwise the read is stale.
 */
export async function unlessChanged(store: Store, version: number, check: () => void): Promise<void> {
  try {
    check()
  } catch (error) {
    if ((await readTreeVersion(store)) !== version) throw new StaleRead()
    throw error
  }
}

/** Counts a change of the tree; stale if the tree has changed since its version was read. */
export const treeChanged = (version: number): Action => ({
  update: keys.treeVersionKey,
  set: { version: version + 1 },
  if: version === 0 ? absent : is({ version }),
})

/** Counts a change of the tree that does not depend on other changes. */
export const countTreeChange: Action = { update: keys.treeVersionKey, add: { version: 1 } }

/** The ids of a parent and all groups above it, from the root down. */
export function pathTo({ parentOf }: GroupTree, parent: string | null): string[] {
  const path = new Set<string>()
  for (let above = parent; above && !path.has(above); above = parentOf.get(above) ?? null) path.add(above)
  return [...path].reverse()
}

/** The state of a group in the tree. The parent of the root, which is null, counts as active. */
export const statusIn = ({ active }: GroupTree, id: string | null): Group['status'] =>
  id === null || active.has(id) ? 'ACTIVE' : 'ARCHIVED'

/** A group and all below it, whatever their states, from the top down. */
export function groupsFrom({ childrenOf }: GroupTree, group: string): string[] {
  const reached = new Set([group])
  for (const one of reached) for (const child of childrenOf.get(one) ?? []) reached.add(child)
  return [...reached]
}

/** The active groups among a group and all below it; empty if the group itself is archived. */
export function activeFrom(tree: GroupTree, group: string): string[] {
  if (!tree.active.has(group)) return []
  return groupsFrom(tree, group).filter((one) => tree.active.has(one))
}

/** The active groups whose members, of the group or below it, include the members of these groups: themselves and those above. */
export function groupsReaching(tree: GroupTree, groups: readonly string[]): string[] {
  const belonging = groups.filter((group) => tree.active.has(group))
  const reaching = new Set(belonging.flatMap((group) => pathTo(tree, group)))
  return [...reaching].filter((group) => tree.active.has(group))
}
