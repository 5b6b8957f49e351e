import type { Context, Input } from '../request/context.ts'
import { giveToUsers } from './chooseRecipients.ts'
import { namedIds } from './namedIds.ts'

/** Gives the caller's task to up to a hundred more users, or to none if one of them cannot get it. */
export const addTaskAssignments = (context: Context, { path, body }: Input<'addTaskAssignments'>) =>
  giveToUsers(context, path.task_id, namedIds('user_ids', body.user_ids))
