import { refuse } from '../base/errors.ts'
import type { Context } from '../request/context.ts'
import type { TaskState } from './task.ts'

/** The task, if it is the caller's own; to everybody else it does not exist. */
export function authored({ actorId }: Context, state: TaskState | undefined): TaskState {
  if (state?.task.author_id !== actorId) throw refuse('TASK_NOT_FOUND', 'task_id')
  return state
}
