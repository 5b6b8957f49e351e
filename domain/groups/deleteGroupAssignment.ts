import type * as contracts from '../../schemas/groupAssignments.ts'
import { refuse } from '../base/errors.ts'
import { retrying } from '../base/flow.ts'
import type { Operation } from '../request/context.ts'
import {
  existingGroupAssignment,
  type GroupAssignmentView,
  groupAssignmentDeletion,
  viewGroupAssignment,
} from './groupAssignment.ts'

/** Takes away a role in a group that was given by hand; what the primary group or a rule gives stays. */
export const deleteGroupAssignment: Operation<typeof contracts.deleteGroupAssignment, GroupAssignmentView> = (
  context,
  { path, query: { embed } },
) => {
  const { store, shard } = context
  return retrying(async () => {
    const [found, { predefined }] = await Promise.all([existingGroupAssignment(context, path), context.organisation()])
    if (found.source !== 'MANUAL') throw refuse('DERIVED_ASSIGNMENT_DELETION_FORBIDDEN')
    await store.write(groupAssignmentDeletion(path, { predefined, shard }))
    return { status: 200, body: viewGroupAssignment(path, { ...found, embed }) }
  })
}
