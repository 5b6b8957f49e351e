import type * as contracts from '../../schemas/groupAssignments.ts'
import type { Operation } from '../request/context.ts'
import { existingGroupAssignment, type GroupAssignmentView, viewGroupAssignment } from './groupAssignment.ts'

/** Reads an assignment. */
export const getGroupAssignment: Operation<typeof contracts.getGroupAssignment, GroupAssignmentView> = async (
  context,
  { path, query: { embed } },
) => {
  const found = await existingGroupAssignment(context, path)
  return { status: 200, body: viewGroupAssignment(path, { ...found, embed }) }
}
