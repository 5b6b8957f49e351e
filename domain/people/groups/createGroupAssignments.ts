import { runBatch } from '../../request/batch.ts'
import type { Context, Input, ItemOf } from '../../request/context.ts'
import { roleKey } from '../../table/keys.ts'
import type { GroupAssignmentId } from '../records/groupAssignment.ts'
import { createGroupAssignment } from './createGroupAssignment.ts'
import { changesOf, readsOf } from './groupAssignmentView.ts'

type Batched = ItemOf<'createGroupAssignments'>

const idOf = ({ group_id, body }: Batched): GroupAssignmentId => ({ group_id, ...body })

/** Gives up to 100 users roles in groups, each on its own. */
export function createGroupAssignments(context: Context, { query, body }: Input<'createGroupAssignments'>) {
  return runBatch(context, body.items, {
    reads: (item) => [...readsOf(idOf(item)), roleKey(item.body.role_id)],
    changes: (item) => changesOf(idOf(item)),
    single: (own, { group_id, body }) => createGroupAssignment(own, { path: { group_id }, query, body }),
  })
}
