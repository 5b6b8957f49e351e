import { refuse } from '../base/errors.ts'
import type { Context, Localized } from '../request/context.ts'
import { bestText } from '../request/localization.ts'
import { shardedCounter } from '../table/counters.ts'
import { is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { PeopleList } from '../table/listReader.ts'
import { groupList } from '../table/places.ts'
import { defineRecord, defineRow, externalIds } from '../table/records.ts'
import type { Action, Item, Store } from '../table/store.ts'

/** A user group as it is stored. */
export type Group = {
  id: string
  external_id: string | null
  title: Localized[]
  description: Localized[]
  type: 'ROOT' | 'ALL_USERS' | 'CUSTOM'
  status: 'ACTIVE' | 'ARCHIVED'
  parent_id: string | null
  created_at: string
  updated_at: string
}

export const groups = defineRecord<Group>({
  key: keys.groupKey,
  idOf: ({ id }) => [id],
  catalogue: 'GROUPS',
  events: {
    kind: 'user_group',
    verb: ({ status }, after) =>
      after.status === status ? undefined : after.status === 'ARCHIVED' ? 'archived' : 'restored',
  },
})

export const groupExternalIds = externalIds<Group>(keys.groupExternalIdKey)

/** A group's place in the tree: a short row, so that one query reads the whole tree. */
export const treeRows = defineRow<Pick<Group, 'parent_id' | 'status'>>()
export const treeRow = ({ id, parent_id, status }: Group): Item =>
  treeRows.item(keys.groupTreeKey(id), { parent_id, status })

/** The items of a group: its record and its place in the tree. */
export const groupItems = (group: Group): [Item, Item] => [groups.item(group), treeRow(group)]

/**
 * Counts the users with each role in a group. The counter is closed while the group is archived and after it is deleted:
 * then no user can join.
 */
export const groupMembers = (id: string) =>
  shardedCounter((shard) => keys.groupCountKey(id, shard), keys.groupCounts(id))

/** How many users have each role in a group, by all shards of its counter. Roles without users are missing. */
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

/** The lists of the users in a group, one for each role that the group's counter knows. */
export const roleLists = (group: string, shards: readonly Item[]): RoleList[] =>
  [...countedRoles(shards)].map(([role, size]) => ({
    role,
    size,
    list: groupList(group, role),
    keyOf: (user) => keys.groupAssignmentKey(user, group, role),
  }))

/** A group as it is now, which must exist. */
export const existingGroup = async (store: Store, id: string): Promise<Group> =>
  requireGroup(await groups.read(store, id))

/** The group that a path names, which must exist. */
export function requireGroup(group: Group | undefined): Group {
  if (!group) throw refuse('USER_GROUP_NOT_FOUND', 'group_id')
  return group
}

/** Changes a group with its place in the tree and its external id; fails as stale if it has changed since it was read. */
export function groupChange(before: Group, after: Group): Action[] {
  const hasOtherParent = before.parent_id !== after.parent_id
  return [
    groups.replace(before, after),
    ...groupExternalIds.change(before, after),
    ...(hasOtherParent || before.status !== after.status ? [{ put: treeRow(after) }] : []),
    ...(hasOtherParent ? [requireActiveGroup(after.parent_id)] : []),
  ]
}

/** Fails as stale if a group has been archived or deleted. */
export const requireActiveGroup = (id: string | null): Action => ({
  check: keys.groupTreeKey(id ?? ''),
  if: is({ status: 'ACTIVE' }),
})

/** A user group as other records refer to it. */
export const groupReference = async (context: Context, { id, title, status }: Group) => ({
  id,
  title: await bestText(context, title),
  status,
})
