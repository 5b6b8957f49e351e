import type * as contracts from '../../schemas/groupAssignments.ts'
import { type BatchOperation, runBatch } from '../request/batch.ts'
import { deleteGroupAssignment } from './deleteGroupAssignment.ts'
import { changesOf, type GroupAssignmentView, readsOf } from './groupAssignment.ts'

/** Takes up to 100 roles in groups away, each on its own. */
export const deleteGroupAssignments: BatchOperation<
  typeof contracts.deleteGroupAssignments,
  GroupAssignmentView
> = async (context, { query, body }) => {
  const items = await runBatch(context, body.items, {
    reads: ({ id }) => readsOf(id),
    changes: ({ id }) => changesOf(id),
    single: (own, { id }) => deleteGroupAssignment(own, { path: id, query, body: {} }),
  })
  return { status: 200, body: { items } }
}
