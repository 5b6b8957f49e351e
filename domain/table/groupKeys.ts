// Of THE TABLE (keys.ts): what lies around user groups.
import { groupCountKey, SHARDS } from './keys.ts'
import type { Key, Range } from './store.ts'

export const groupExternalIdKey = (externalId: string): Key => ({ pk: `GROUP_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
/** Counts the changes of the tree, so that whoever moves or removes groups has seen it as it is. */
export const treeVersionKey: Key = { pk: 'GROUP_TREE', sk: 'VERSION' }

/** All shards that count a group's assignments. */
export const groupCountKeys = (id: string): Key[] =>
  Array.from({ length: SHARDS }, (_, shard) => groupCountKey(id, shard))

export const groupWorkKey = (id: string): Key => ({ pk: 'GROUP_WORK', sk: id })
/** Everything that is left to do for groups: the entries say since when it is due. */
export const groupWorkLeft: Range = { hash: 'GROUP_WORK', consistent: true }
