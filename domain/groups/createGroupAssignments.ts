import type { Item } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groupAssignments.ts'
import { type BatchOperation, runBatch } from '../request/batch.ts'
import { roleKey } from '../table/keys.ts'
import { createGroupAssignment } from './createGroupAssignment.ts'
import { changesOf, type GroupAssignmentId, type GroupAssignmentView, readsOf } from './groupAssignment.ts'

type Batched = Item<typeof contracts.createGroupAssignments>

const idOf = ({ group_id, body }: Batched): GroupAssignmentId => ({ group_id, ...body })

/** Gives up to 100 users roles in groups, each on its own. */
export const createGroupAssignments: BatchOperation<
  typeof contracts.createGroupAssignments,
  GroupAssignmentView
> = async (context, { query, body }) => {
  const items = await runBatch(context, body.items, {
    reads: (item) => [...readsOf(idOf(item)), roleKey(item.body.role_id)],
    changes: (item) => changesOf(idOf(item)),
    single: (own, { group_id, body }) => createGroupAssignment(own, { path: { group_id }, query, body }),
  })
  return { status: 200, body: { items } }
}
