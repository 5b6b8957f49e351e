import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import { refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { taskAssignmentKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { unlessUnsettled } from './addRecipients.ts'
import { moved, shardOf } from './progressOperations.ts'
import { readWholeTask } from './summary.ts'
import { assignmentOf, type Counts, counts, type TaskAssignment, type TaskState } from './task.ts'
import { type TaskRecordView, viewTaskRecord } from './taskView.ts'
import { progressActions } from './taskWrites.ts'

/** Answers a task to its author and its recipients; a recipient to whom it was new has opened it by that. */
export function getTask(
  context: Context,
  { path, query }: Input<typeof contracts.getTask>,
): Promise<Answer<TaskRecordView>> {
  return retrying(async () => {
    const { whole, own } = await involved(context, path.task_id)
    await unlessUnsettled(context.store, whole)
    const counted = own ? await opened(context, own, whole.counts) : whole.counts
    const shown = {
      task: whole.task,
      counts: counted,
      actorId: context.actorId,
      isRecipient: own !== undefined,
      format: query.body_format,
    }
    return { status: 200, body: viewTaskRecord(shown) }
  })
}

type Involved = { whole: TaskState; own: TaskAssignment | undefined }

/** The task for who has to do with it; to everybody else it does not exist. */
async function involved({ store, actorId }: Context, id: string): Promise<Involved> {
  const [whole, item] = await Promise.all([readWholeTask(store, id), store.get(taskAssignmentKey(actorId, id))])
  const own = item && whole && counts(whole, actorId) ? assignmentOf(item) : undefined
  const isAuthor = whole?.task.author_id === actorId
  if (!whole || !(isAuthor || own)) throw refuse('TASK_NOT_FOUND', 'task_id')
  return { whole, own }
}

/** Opens the reader's own assignment if it is new; answers the counts as they are then. */
async function opened({ store, now }: Context, own: TaskAssignment, before: Counts): Promise<Counts> {
  const after = moved(own, (status) => (status === 'NEW' ? 'OPEN' : status), now)
  if (after === own) return before
  await store.write(progressActions(own, after, shardOf(own.user_id, 0)))
  return { ...before, open: before.open + 1 }
}
