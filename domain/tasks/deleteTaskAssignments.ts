import { decideAgain } from '../base/retry.ts'
import type { Context, Input } from '../request/context.ts'
import { namedIds, requireAll } from './namedIds.ts'
import { removeRecipients } from './removeRecipients.ts'
import { readWholeTask, requireAuthored, stillCounts } from './task.ts'
import { countsIn, oneSpelling, partsOfId, type TaskAssignment, taskAssignments } from './taskAssignment.ts'
import { taskSummaryOf } from './taskView.ts'

const unknown = { code: 'UNKNOWN_TASK_ASSIGNMENT_ID', message: 'must name an assignment of the task' } as const
const removedMeanwhile = {
  code: 'TASK_ASSIGNMENT_NOT_FOUND',
  message: 'must still exist: another call has just deleted it',
} as const

/** Takes a task away from up to a hundred recipients: from all of them or from none. */
export function deleteTaskAssignments(context: Context, { path, body }: Input<'deleteTaskAssignments'>) {
  const named = namedIds('assignment_ids', body.assignment_ids, oneSpelling)
  let missing: typeof unknown | typeof removedMeanwhile = unknown
  return decideAgain(async () => {
    const [whole, found] = await Promise.all([
      readWholeTask(context.store, path.task_id),
      Promise.all([...named.keys()].map((id) => readAssignment(context, path.task_id, id))),
    ])
    const state = requireAuthored(context, whole)
    const held = found.map((one) => (one && stillCounts(state, one.user_id) ? one : undefined))
    const assignments = requireAll(named, held, missing)
    // All of them existed when this call began: from now on, another call has removed those that are missing.
    missing = removedMeanwhile
    await removeRecipients(context, state, assignments)
    const off = countsIn(assignments)
    const { count, open, finished, ...others } = state.counts
    // Others may have added recipients since the counts were read. One is always left: the transaction has checked it.
    const left = Math.max(1, count - off.count)
    const after = { ...others, count: left, open: open - off.open, finished: finished - off.finished }
    return { status: 200, body: taskSummaryOf(after) }
  })
}

async function readAssignment({ store }: Context, task: string, id: string): Promise<TaskAssignment | undefined> {
  const ids = partsOfId(id)
  return ids?.task_id === task ? taskAssignments.read(store, ids.user_id, task) : undefined
}
