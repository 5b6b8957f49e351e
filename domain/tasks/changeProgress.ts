import { AppError, refuse } from '../base/errors.ts'
import { decideAgain, retry } from '../base/retry.ts'
import type { Context, RecordAnswer } from '../request/context.ts'
import { changeIfMatch } from '../request/etags.ts'
import {
  advanced,
  existingAssignment,
  type Next,
  partsOfId,
  progressActions,
  shardOf,
  unknownAssignment,
} from './taskAssignment.ts'
import { type TaskAssignmentView, viewAssignment, viewTask } from './taskView.ts'

/** How often a call starts again after conflicts with other recipients, each time on another shard. */
const ATTEMPTS = 3

/** Changes the progress of the caller's own assignment. Nothing changes if it has that progress already. */
export const changeProgress = (
  context: Context,
  assignmentId: string,
  next: Next,
): Promise<RecordAnswer<TaskAssignmentView>> =>
  retry((attempt) => decideAgain(() => changeOnce(context, assignmentId, { next, attempt })), {
    attempts: ATTEMPTS,
    again: isContended,
    wait: async () => {},
  }).catch((error: unknown) => {
    throw isContended(error) ? refuse('TASK_ASSIGNMENT_CHANGE_CONFLICT') : error
  })

const isContended = (error: unknown): boolean => error instanceof AppError && error.code === 'CONCURRENT_MODIFICATION'

async function changeOnce(
  context: Context,
  id: string,
  { next, attempt }: { next: Next; attempt: number },
): Promise<RecordAnswer<TaskAssignmentView>> {
  const { store, actorId, now } = context
  if (partsOfId(id)?.user_id !== actorId) throw unknownAssignment()
  const { assignment: before, state } = await existingAssignment(context, id)
  const after = changeIfMatch(context, before, () => advanced(before, next, now))
  if (after !== before) await store.write(progressActions(before, after, shardOf(actorId, attempt)))
  return { status: 200, body: viewAssignment(after, viewTask(context, state, true)), own: after }
}
