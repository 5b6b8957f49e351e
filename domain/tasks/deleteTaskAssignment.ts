import type { Context, Input } from '../request/context.ts'
import { requireExpected } from '../request/etags.ts'
import { removeRecipients } from './removeRecipients.ts'
import { existingAssignment, unknownAssignment } from './taskAssignment.ts'

/** Takes a task away from one recipient, for its author. */
export async function deleteTaskAssignment(context: Context, { path }: Input<'deleteTaskAssignment'>) {
  const { assignment, state } = await existingAssignment(context, path.assignment_id)
  if (state.task.author_id !== context.actorId) throw unknownAssignment()
  requireExpected(context, assignment)
  await removeRecipients(context, state, [assignment])
  return { status: 204, body: undefined }
}
