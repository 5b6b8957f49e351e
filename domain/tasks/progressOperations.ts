import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/taskAssignments.ts'
import { AppError, refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { taskAssignmentKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { PROGRESS_SHARDS } from '../table/taskKeys.ts'
import { assignmentOf, counts, type ProgressStatus, partsOfId, readTask, type TaskAssignment } from './task.ts'
import { withoutTask } from './taskTombstone.ts'
import { type TaskAssignmentView, viewAssignment, viewTask } from './taskView.ts'
import { progressActions } from './taskWrites.ts'

/** How often a recipient who keeps losing against others begins anew, each time on another shard. */
const ROUNDS = 3

/** Marks the caller's own assignment as done; repeated, it changes nothing. */
export const finishTaskAssignment = moving(() => 'FINISHED')

/** Takes the mark away again; what was never finished stays as it is. */
export const openTaskAssignment = moving((status) => (status === 'FINISHED' ? 'OPEN' : status))

type Next = (status: ProgressStatus) => ProgressStatus

function moving(next: Next) {
  return (context: Context, { path }: Input<typeof contracts.finishTaskAssignment>) =>
    unlessContended(async (round): Promise<Answer<TaskAssignmentView>> => {
      const { before, state } = await ownAssignment(context, path.assignment_id)
      const after = moved(before, next, context.now)
      if (after !== before) await context.store.write(progressActions(before, after, shardOf(before.user_id, round)))
      const { task, counts: counted } = state
      const shown = { task, count: counted.count, actorId: context.actorId, isRecipient: true, format: undefined }
      return { status: 200, body: viewAssignment(after, viewTask(shown), undefined) }
    })
}

/** Only the recipient moves an assignment on; to everybody else it does not exist. */
async function ownAssignment({ store, actorId }: Context, id: string) {
  const ids = partsOfId(id)
  if (ids?.user_id !== actorId) throw refuse('TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
  const [item, state] = await Promise.all([
    store.get(taskAssignmentKey(actorId, ids.task_id)),
    readTask(store, ids.task_id),
  ])
  if (!state) throw await withoutTask({ store, actorId }, ids)
  if (!item) throw refuse('TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
  if (!counts(state, actorId)) throw refuse('TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
  return { before: assignmentOf(item), state }
}

/** The assignment at its next status; itself where that is no other. */
export function moved(assignment: TaskAssignment, next: Next, now: string): TaskAssignment {
  const progress_status = next(assignment.progress_status)
  return progress_status === assignment.progress_status
    ? assignment
    : { ...assignment, progress_status, updated_at: now }
}

/** Recipients are spread evenly over a task's shards; whoever found his busy takes another one. */
export function shardOf(user: string, round: number): number {
  // FNV-1a, its upper half folded in: ids that differ in their last digit only must not crowd into a few shards.
  let hash = 0x811c9dc5 + round
  for (let at = 0; at < user.length; at++) hash = Math.imul(hash ^ user.charCodeAt(at), 0x01000193)
  return ((hash ^ (hash >>> 16)) >>> 0) % PROGRESS_SHARDS
}

async function unlessContended<T>(run: (round: number) => Promise<T>): Promise<T> {
  for (let round = 1; round <= ROUNDS; round++) {
    try {
      return await retrying(() => run(round))
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CONCURRENT_MODIFICATION')) throw error
    }
  }
  throw refuse('TASK_ASSIGNMENT_CHANGE_CONFLICT')
}
