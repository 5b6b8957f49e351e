import { runBatch } from '../../request/batch.ts'
import type { Context, Input } from '../../request/context.ts'
import { deleteGroupAssignment } from './deleteGroupAssignment.ts'
import { changesOf, readsOf } from './groupAssignmentView.ts'

/** Takes up to 100 roles in groups away, each on its own. */
export function deleteGroupAssignments(context: Context, { query, body }: Input<'deleteGroupAssignments'>) {
  return runBatch(context, body.items, {
    reads: ({ id }) => readsOf(id),
    changes: ({ id }) => changesOf(id),
    ifMatch: ({ if_match }) => if_match,
    single: (own, { id }) => deleteGroupAssignment(own, { path: id, query, body: {} }),
  })
}
