import { giveToUsers } from '../jobs/giveTask.ts'
import type { Context, Input } from '../request/context.ts'
import { namedIn } from '../request/input.ts'

/** Gives a task to up to a hundred more users, for its author; to none if one of them cannot get it. */
export const addTaskAssignments = (context: Context, { path, body }: Input<'addTaskAssignments'>) =>
  giveToUsers(context, path.task_id, namedIn('user_ids', body.user_ids))
