import { refuse, StaleRead } from '../base/errors.ts'
import type { Context } from '../request/context.ts'
import { is } from '../table/expressions.ts'
import { type Item, keyIn } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import { doOwn, workEntry } from '../table/work.ts'
import { countRemoved, stateOf, type TaskState } from '../tasks/task.ts'
import { countsIn, type TaskAssignment, taskAssignments } from '../tasks/taskAssignment.ts'
import { finishRemoval, requireSettled } from './notedRecipients.ts'

type Removed = readonly TaskAssignment[]

/**
 * Takes a task away from up to a hundred users at once. Whether one assignment is left is judged in the transaction: the
 * count that was read may be older than the assignments. Throws StaleRead if one of them has changed since it was read.
 */
export async function removeRecipients(context: Context, state: TaskState, removed: Removed): Promise<void> {
  const { store } = context
  await requireSettled(store, state)
  if (removed.length <= MOST_ACTIONS - 2) {
    const otherwise = (found: Item | undefined) => reason(stateOf(found), state)
    const counted = countRemoved(state, countsIn(removed), { otherwise, users: removed.map(({ user_id }) => user_id) })
    return store.write([...removed.map(taskAssignments.end), counted])
  }
  const entry = await removeMost(context, state, removed)
  await doOwn(context, [entry], () => finishRemoval(store, state.task.id))
}

/**
 * Where the task's item and all assignments do not fit into one transaction, the last ones are only noted on the task as
 * gone: from then on they do not count for anybody. Removing them is noted as work in the same transaction. That all of
 * them exist is known by the number of changes.
 */
async function removeMost({ store, now, newId }: Context, read: TaskState, removed: Removed) {
  const { task, changes } = read
  const direct = removed.slice(0, MOST_ACTIONS - 3)
  const users = removed.slice(direct.length).map(({ user_id }) => user_id)
  const entry = workEntry('gone-recipients', newId(), { task: task.id, users }, now)
  const counted = countRemoved(
    read,
    { ...countsIn(direct), count: removed.length },
    {
      set: { gone: { users, work: keyIn(entry) } },
      users: removed.map(({ user_id }) => user_id),
      if: is({ changes }),
      otherwise: (found) => {
        const state = stateOf(found)
        return state && state.changes !== changes ? new StaleRead() : reason(state, read)
      },
    },
  )
  await store.write([...direct.map(taskAssignments.end), counted, { put: entry }])
  return entry
}

/** Why a task does not lose assignments. */
function reason(state: TaskState | undefined, read: TaskState): Error {
  if (!state) return refuse('TASK_NOT_FOUND')
  return state.gone || state.last !== read.last ? new StaleRead() : refuse('TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION')
}
