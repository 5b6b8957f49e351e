import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groupAssignments.ts'
import type { Answer, Context } from '../request/context.ts'
import { existingGroupAssignment, type GroupAssignmentView, viewGroupAssignment } from './groupAssignment.ts'

/** Reads an assignment. */
export async function getGroupAssignment(
  context: Context,
  { path, query: { embed } }: Input<typeof contracts.getGroupAssignment>,
): Promise<Answer<GroupAssignmentView>> {
  const found = await existingGroupAssignment(context, path)
  return { status: 200, body: viewGroupAssignment(path, { ...found, embed }) }
}
