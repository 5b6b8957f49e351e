import * as keys from '../../table/keys.ts'
import type { PeopleList } from '../../table/peopleLists.ts'
import type { Item } from '../../table/store.ts'

// The lists of the users in a group, by role.

/**
 * How many users have each role in a group, summed over the shards of its counter. Roles without users are left out.
 */
export function countedRoles(shards: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [attribute, count] of shards.flatMap((shard) => Object.entries(shard))) {
    const role = keys.countedRole(attribute)
    if (role !== undefined) counts.set(role, (counts.get(role) ?? 0) + Number(count))
  }
  return new Map([...counts].filter(([, count]) => count > 0))
}

/** The list of the users with a role in a group. */
export type RoleList = PeopleList & { role: string }

/** The lists of the users in a group, one for each role that its counter has. */
export const roleLists = (group: string, shards: readonly Item[]): RoleList[] =>
  [...countedRoles(shards)].map(([role, size]) => ({
    role,
    size,
    list: keys.groupList(group, role),
    keyOf: (user) => keys.groupAssignmentKey(user, group, role),
  }))
