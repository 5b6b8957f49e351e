import type * as contracts from '../../schemas/groupAssignments.ts'
import { type BatchAnswer, type BatchInput, runBatch } from '../request/batch.ts'
import type { Context } from '../request/context.ts'
import { deleteGroupAssignment } from './deleteGroupAssignment.ts'
import { changesOf, type GroupAssignmentView, readsOf } from './groupAssignment.ts'

/** Takes up to 100 roles in groups away, each on its own. */
export async function deleteGroupAssignments(
  context: Context,
  { query, body }: BatchInput<typeof contracts.deleteGroupAssignments>,
): BatchAnswer<GroupAssignmentView> {
  const items = await runBatch(context, body.items, {
    reads: ({ id }) => readsOf(id),
    changes: ({ id }) => changesOf(id),
    single: (own, { id }) => deleteGroupAssignment(own, { path: id, query, body: {} }),
  })
  return { status: 200, body: { items } }
}
