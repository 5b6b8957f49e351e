import { countedRole } from '../table/keys.ts'
import type { Item } from '../table/store.ts'

/** How many hold each role in a group, over all shards of its counter; only roles that somebody holds. */
export function countedRoles(shards: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [attribute, count] of shards.flatMap((shard) => Object.entries(shard))) {
    const role = countedRole(attribute)
    if (role !== undefined) counts.set(role, (counts.get(role) ?? 0) + Number(count))
  }
  return new Map([...counts].filter(([, count]) => count > 0))
}
