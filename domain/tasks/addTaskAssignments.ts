import type * as contracts from '../../schemas/taskAssignments.ts'
import { addUsers } from '../jobs/giveTask.ts'
import type { Operation } from '../request/context.ts'
import { namedIn } from '../request/namedIds.ts'
import type { Summary } from './taskView.ts'

/** Gives a task to up to a hundred more users, for its author; to none if one of them cannot get it. */
export const addTaskAssignments: Operation<typeof contracts.addTaskAssignments, Summary> = (context, { path, body }) =>
  addUsers(context, path.task_id, namedIn('user_ids', body.user_ids))
