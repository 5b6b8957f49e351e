import type { Context, Input } from '../request/context.ts'
import { giveToChannel, giveToUsers } from './chooseRecipients.ts'

/** Gives a task to one more user, or to the members of a channel, for its author. */
export const addTaskRecipient = (context: Context, { path, body: { recipient } }: Input<'addTaskRecipient'>) =>
  recipient.type === 'USER'
    ? giveToUsers(context, path.task_id, new Map([[recipient.id, 'recipient.id']]))
    : giveToChannel(context, path.task_id, recipient.id)
