import type * as contracts from '../../schemas/taskAssignments.ts'
import { addMembers, addUsers } from '../jobs/giveTask.ts'
import type { Operation } from '../request/context.ts'
import type { Summary } from './taskView.ts'

/** Gives a task to one more user, or to the members of a channel, for its author. */
export const addTaskRecipient: Operation<typeof contracts.addTaskRecipient, Summary> = (
  context,
  { path, body: { recipient } },
) =>
  recipient.type === 'USER'
    ? addUsers(context, path.task_id, new Map([[recipient.id, 'recipient.id']]))
    : addMembers(context, path.task_id, recipient.id)
