// Of THE TABLE (keys.ts): what lies around user groups.
import type { Key } from './store.ts'

export const groupExternalIdKey = (externalId: string): Key => ({ pk: `GROUP_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
/** Counts the changes of the tree, so that whoever moves or removes groups has seen it as it is. */
export const treeVersionKey: Key = { pk: 'GROUP_TREE', sk: 'VERSION' }
