import { refuse } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { readAuthors } from './authors.ts'
import { finishEarlierRemoval } from './removeRecipients.ts'
import { readWholeTask, stillCounts, type TaskCounts, taskFields } from './task.ts'
import { advanced, progressActions, shardOf, type TaskAssignment, taskAssignments } from './taskAssignment.ts'
import { viewTaskRecord } from './taskView.ts'

/** Shows a task to its author and its recipients; a recipient's NEW assignment is OPEN from then on. */
export async function getTask(context: Context, { path, query }: Input<'getTask'>) {
  const { store, actorId } = context
  const [whole, held] = await Promise.all([
    readWholeTask(store, path.task_id),
    taskAssignments.read(store, actorId, path.task_id),
  ])
  const own = held && whole && stillCounts(whole, actorId) ? held : undefined
  if (!whole || !(whole.task.author_id === actorId || own)) throw refuse('TASK_NOT_FOUND', 'task_id')
  await finishEarlierRemoval(store, whole)
  const [counts, withAuthor] = await Promise.all([
    own ? opened(context, own, whole.counts) : whole.counts,
    readAuthors(context, query.embed, [whole.task]),
  ])
  const body = withAuthor(viewTaskRecord(context, { ...whole, counts }, own !== undefined, query.body_format))
  return { status: 200, body, own: taskFields.own(whole.task) }
}

/** Opens the reader's own assignment if it is new; returns the counts after that. */
async function opened({ store, now }: Context, own: TaskAssignment, before: TaskCounts): Promise<TaskCounts> {
  const after = advanced(own, (status) => (status === 'NEW' ? 'OPEN' : status), now)
  if (after === own) return before
  await store.write(progressActions(own, after, shardOf(own.user_id, 0)))
  return { ...before, open: before.open + 1 }
}
