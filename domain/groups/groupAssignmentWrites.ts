import { absent, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { groupAssignmentItem } from '../users/userItems.ts'
import { bumpUserVersion, type UserRecord } from '../users/userRecord.ts'
import { groupMembers } from './group.ts'
import type { Triple } from './groupAssignmentOperations.ts'

/**
 * A new assignment with its count. The user must still be as he was read: active, and by this name. His version moves
 * on, so that a rename under way reads again and takes this assignment along.
 */
export const groupAssignmentCreation = (id: Triple, user: UserRecord, shard: number): Action[] => [
  {
    put: groupAssignmentItem(user, { group: id.group_id, role: id.role_id, source: 'MANUAL' }),
    if: absent,
  },
  bumpUserVersion(user),
  groupMembers(id.group_id).addIfOpen(shard, { [keys.roleCount(id.role_id)]: 1 }),
]

/** Ends an assignment that is still what it was read as: given by hand. */
export const groupAssignmentDeletion = (id: Triple, shard: number): Action[] => [
  {
    delete: keys.groupAssignmentKey(id.user_id, id.group_id, id.role_id),
    if: is({ source: 'MANUAL' }),
  },
  groupMembers(id.group_id).add(shard, { [keys.roleCount(id.role_id)]: -1 }),
]
