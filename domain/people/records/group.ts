import { refuse } from '../../base/errors.ts'
import type { Context, Localized } from '../../request/context.ts'
import { bestText } from '../../request/localization.ts'
import { shardedCounter } from '../../table/counters.ts'
import { is } from '../../table/expressions.ts'
import { a, declareFields, type RecordOf } from '../../table/fields.ts'
import * as keys from '../../table/keys.ts'
import { defineItem, defineRecord } from '../../table/records.ts'
import type { Action, Store } from '../../table/store.ts'

export const groupFields = declareFields({
  id: { type: a<string>() },
  external_id: { type: a<string | null>(), set: 'ALWAYS', default: null },
  title: { type: a<Localized[]>(), set: 'ALWAYS', initial: [] },
  description: { type: a<Localized[]>(), set: 'ALWAYS', default: [] },
  type: { type: a<'ROOT' | 'ALL_USERS' | 'CUSTOM'>(), initial: 'CUSTOM' },
  status: { type: a<'ACTIVE' | 'ARCHIVED'>(), initial: 'ACTIVE' },
  parent_id: { type: a<string | null>(), set: 'ALWAYS', default: null },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
})

/** A user group as it is stored. */
export type Group = RecordOf<typeof groupFields>

type Archivable = { status: 'ACTIVE' | 'ARCHIVED' }
/** The verb in events for a change of status, of a group or a channel. */
export function statusVerb(before: Archivable, after: Archivable): string | undefined {
  if (before.status === after.status) return undefined
  return after.status === 'ARCHIVED' ? 'archived' : 'restored'
}

export const groups = defineRecord<Group>({
  key: keys.groupKey,
  fields: groupFields,
  idOf: ({ id }) => [id],
  catalogue: 'GROUPS',
  events: {
    kind: 'user_group',
    verb: statusVerb,
  },
})

/** A group's place in the tree: a short row, so that one query reads the whole tree. */
export const treeRows = defineItem<Pick<Group, 'parent_id' | 'status'>>()

/** Stale if the group has been archived or deleted. */
export const requireActiveGroup = (id: string | null): Action => ({
  check: keys.groupTreeKey(id ?? ''),
  if: is({ status: 'ACTIVE' }),
})

/**
 * Counts the users with each role in a group. The counter is closed while the group is archived and after it is
 * deleted: then no user can join.
 */
export const groupMembers = (id: string) =>
  shardedCounter((shard) => keys.groupCountKey(id, shard), keys.groupCounts(id))

/** A group as it is now, which must exist. */
export const existingGroup = async (store: Store, id: string): Promise<Group> =>
  requireGroup(await groups.read(store, id))

/** The group that a path names, which must exist. */
export function requireGroup(group: Group | undefined): Group {
  if (!group) throw refuse('USER_GROUP_NOT_FOUND', 'group_id')
  return group
}

/** A user group as other records refer to it. */
export const groupReference = async (context: Context, { id, title, status }: Group) => ({
  id,
  title: await bestText(context, title),
  status,
})
