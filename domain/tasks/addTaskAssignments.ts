import type { Context, Input } from '../request/context.ts'
import { giveToUsers } from './chooseRecipients.ts'
import { namedIn } from './named.ts'

/** Gives the caller's task to up to a hundred more users, or to none if one of them cannot get it. */
export const addTaskAssignments = (context: Context, { path, body }: Input<'addTaskAssignments'>) =>
  giveToUsers(context, path.task_id, namedIn('user_ids', body.user_ids))
