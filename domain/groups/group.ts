import { refuse } from '../base/errors.ts'
import { catalogued } from '../request/catalogue.ts'
import type { Context, Localized } from '../request/context.ts'
import { bestText } from '../request/localization.ts'
import { shardedCounter } from '../table/counters.ts'
import { groupCountKey, groupCounts, groupKey, groupTreeKey } from '../table/keys.ts'
import type { Item, Store } from '../table/store.ts'

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

/**
 * Counts the users who hold each role in a group. The counter is closed while the group is archived, and once it is
 * deleted: nobody joins it then.
 */
export const groupMembers = (id: string) => shardedCounter((shard) => groupCountKey(id, shard), groupCounts(id))

/** A user group as it is now. */
export const readGroup = async (store: Pick<Store, 'get'>, id: string): Promise<Group | undefined> =>
  (await store.get(groupKey(id)))?.data as Group | undefined

/** A user group as it is now, which must exist. */
export const existingGroup = async (store: Pick<Store, 'get'>, id: string): Promise<Group> =>
  there(await readGroup(store, id))

/** The group that a path names, if it exists. */
export function there(group: Group | undefined): Group {
  if (!group) throw refuse('USER_GROUP_NOT_FOUND', 'group_id')
  return group
}

/** A user group as it was a moment ago, at half the price: for texts in answers. */
export const readGroupSoon = async (store: Pick<Store, 'getSoon'>, id: string): Promise<Group | undefined> =>
  (await store.getSoon(groupKey(id)))?.data as Group | undefined

/** The items of a group: the record with its place in the catalogue, and its place in the tree. */
export const groupItems = (group: Group): [Item, Item] => [
  { ...groupKey(group.id), ...catalogued('GROUPS', group), data: group },
  { ...groupTreeKey(group.id), parent_id: group.parent_id, status: group.status },
]

/** A user group as other records refer to it. */
export const groupReference = async (context: Context, { id, title, status }: Group) => ({
  id,
  title: await bestText(context, title),
  status,
})
