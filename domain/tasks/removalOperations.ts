import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import type { Answer, Context } from '../context.ts'
import { refuse } from '../errors.ts'
import { retrying } from '../retrying.ts'
import { taskAssignmentKey } from '../store/keys.ts'
import { type Item, StaleRead } from '../store/store.ts'
import { authored } from './authored.ts'
import { finishRemoval, removalActions } from './removal.ts'
import { readWholeTask, type Summary, summaryOf } from './summary.ts'
import { counts, countsOf, partsOfId, readTask, stateOf, type TaskState } from './task.ts'
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
  const ids = [...new Set(body.assignment_ids.map((one) => (typeof one === 'string' ? one : one.id)))]
  const seen = new Set<string>()
  return retrying(async () => {
    const [whole, found] = await Promise.all([
      readWholeTask(context.store, path.task_id),
      Promise.all(ids.map((id) => assignmentIn(context, path.task_id, id))),
    ])
    const state = authored(context, whole)
    const items = found.map((item, index) => {
      const id = ids[index] as string
      if (item && counts(state, item.pk.slice('USER#'.length))) return item
      // It was there when this call began: somebody else was faster.
      throw seen.has(id) ? refuse('TASK_ASSIGNMENT_NOT_FOUND') : refuse('UNKNOWN_TASK_ASSIGNMENT_ID', 'assignment_ids')
    })
    for (const id of ids) seen.add(id)
    await remove(context, state, items)
    const off = countsOf(statusesOf(items))
    const { count, open, finished } = state.counts
    const left = { count: count - off.count, open: open - off.open, finished: finished - off.finished }
    return { status: 200, body: summaryOf(left) }
  })
}

async function assignmentIn({ store }: Context, task: string, id: string): Promise<Item | undefined> {
  const ids = partsOfId(id)
  return ids?.task_id === task ? store.get(taskAssignmentKey(ids.user_id, task)) : undefined
}

const tooFew = () => refuse('TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION')

async function remove({ store, now, newId }: Context, state: TaskState, items: readonly Item[]): Promise<void> {
  const { id } = state.task
  if (state.gone) {
    await finishRemoval(store, id)
    throw new StaleRead()
  }
  if (state.counts.count <= items.length) throw tooFew()
  const otherwise = (found: Item | undefined): Error => {
    const state = stateOf(found)
    if (!state) return refuse('TASK_NOT_FOUND')
    return state.gone ? new StaleRead() : tooFew()
  }
  const actions = removalActions({ task: id, items, otherwise }, { now, id: newId() })
  await store.write(actions)
  // It is decided: where this fails, the scheduled function does it.
  if (actions.some((action) => 'put' in action)) await finishRemoval(store, id).catch(() => {})
}
