import { refuse } from '../base/errors.ts'
import { removeRecipients } from '../jobs/removeRecipients.ts'
import type { Context, Input } from '../request/context.ts'
import { requireExpected } from '../request/preconditions.ts'
import { counts, readTask } from './task.ts'
import { partsOfId, taskAssignments } from './taskAssignment.ts'
import { missingTask } from './taskDeletion.ts'

/** Takes a task away from one recipient, for its author. */
export async function deleteTaskAssignment(context: Context, { path }: Input<'deleteTaskAssignment'>) {
  const notFound = () => refuse('TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
  const ids = partsOfId(path.assignment_id)
  if (!ids) throw notFound()
  const [assignment, state] = await Promise.all([
    taskAssignments.read(context.store, ids.user_id, ids.task_id),
    readTask(context.store, ids.task_id),
  ])
  if (!state) throw await missingTask(context, ids)
  if (!assignment || state.task.author_id !== context.actorId || !counts(state, ids.user_id)) throw notFound()
  requireExpected(context, assignment)
  await removeRecipients(context, state, [assignment])
  return { status: 204, body: undefined }
}
