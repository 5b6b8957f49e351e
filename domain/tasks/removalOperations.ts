import type { Input } from '../../schemas/contract.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import type * as contracts from '../../schemas/taskAssignments.ts'
import { refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { taskAssignmentKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { type Item, StaleRead } from '../table/store.ts'
import { authored } from './authored.ts'
import { allFound, namedIn } from './named.ts'
import { finishRemoval, removalActions } from './removal.ts'
import { readWholeTask, type Summary, summaryOf } from './summary.ts'
import { counts, countsOf, oneSpelling, partsOfId, readTask, type TaskState } from './task.ts'
import { withoutTask } from './taskTombstone.ts'
import { statusesOf } from './taskWrites.ts'

/** Takes a task away from one recipient, for its author. */
export function deleteTaskAssignment(
  context: Context,
  { path }: Input<typeof contracts.deleteTaskAssignment>,
): Promise<Answer<undefined>> {
  const notFound = () => refuse('TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
  return retrying(async () => {
    const ids = partsOfId(path.assignment_id)
    if (!ids) throw notFound()
    const [item, state] = await Promise.all([
      context.store.get(taskAssignmentKey(ids.user_id, ids.task_id)),
      readTask(context.store, ids.task_id),
    ])
    if (!state) throw await withoutTask(context, ids)
    if (!item || state.task.author_id !== context.actorId || !counts(state, ids.user_id)) throw notFound()
    await remove(context, state, [item])
    return { status: 204, body: undefined }
  })
}

/** Takes a task away from up to a hundred recipients: from all of them or from none. */
export function deleteTaskAssignments(
  context: Context,
  { path, body }: Input<typeof contracts.deleteTaskAssignments>,
): Promise<Answer<Summary>> {
  const named = namedIn('assignment_ids', body.assignment_ids, oneSpelling)
  let unknown = unknownAssignment
  return retrying(async () => {
    const [whole, found] = await Promise.all([
      readWholeTask(context.store, path.task_id),
      Promise.all([...named.keys()].map((id) => assignmentIn(context, path.task_id, id))),
    ])
    const state = authored(context, whole)
    const held = found.map((item) => (item && counts(state, item.pk.slice('USER#'.length)) ? item : undefined))
    const items = allFound(named, held, unknown)
    // All were there when this call began: whoever is missing from now on, somebody else was faster.
    unknown = goneMeanwhile
    await remove(context, state, items)
    const off = countsOf(statusesOf(items))
    const { count, open, finished } = state.counts
    const left = { count: count - off.count, open: open - off.open, finished: finished - off.finished }
    return { status: 200, body: summaryOf(left) }
  })
}

type Unknown = { code: ErrorCode; message: string }
const unknownAssignment: Unknown = { code: 'UNKNOWN_TASK_ASSIGNMENT_ID', message: 'names no assignment of the task' }
const goneMeanwhile: Unknown = {
  code: 'TASK_ASSIGNMENT_NOT_FOUND',
  message: 'has just been taken away by another call',
}

async function assignmentIn({ store }: Context, task: string, id: string): Promise<Item | undefined> {
  const ids = partsOfId(id)
  return ids?.task_id === task ? store.get(taskAssignmentKey(ids.user_id, task)) : undefined
}

/**
 * Removes what has been read. Whether enough are left is judged in the transaction: the count that was read may be older
 * than the assignments.
 */
async function remove({ store, now, newId }: Context, state: TaskState, items: readonly Item[]): Promise<void> {
  const { id } = state.task
  if (state.gone) {
    await finishRemoval(store, id)
    throw new StaleRead()
  }
  const actions = removalActions({ state, items }, { now, id: newId() })
  await store.write(actions)
  // It is decided: where this fails, the scheduled function does it.
  if (actions.some((action) => 'put' in action)) await finishRemoval(store, id).catch(() => {})
}
