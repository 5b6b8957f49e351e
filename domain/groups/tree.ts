import { groupTree } from '../store/keys.ts'
import { all, type Item, type Store } from '../store/store.ts'

/** Which groups lie below which, and which are active. */
export type GroupTree = { childrenOf: Map<string, string[]>; active: Set<string> }

/** The tree of all groups: a few hundred bytes each, read at once. */
export async function readTree(store: Pick<Store, 'query'>): Promise<GroupTree> {
  const childrenOf = new Map<string, string[]>()
  const active = new Set<string>()
  for (const { sk, parent_id, status } of (await all(store, groupTree)) as (Item & Record<string, string>)[]) {
    if (status === 'ACTIVE') active.add(sk)
    if (parent_id) childrenOf.set(parent_id, [...(childrenOf.get(parent_id) ?? []), sk])
  }
  return { childrenOf, active }
}

/** The active groups among a group and all below it; none if the group itself is archived. */
export function activeFrom({ childrenOf, active }: GroupTree, group: string): string[] {
  if (!active.has(group)) return []
  const reached = new Set([group])
  for (const one of reached) for (const child of childrenOf.get(one) ?? []) reached.add(child)
  return [...reached].filter((one) => active.has(one))
}
