import { decideAgain } from '../base/retry.ts'
import { DAY_MS, momentAfter } from '../base/text.ts'
import type { Context, Input } from '../request/context.ts'
import { requireExpected } from '../request/etags.ts'
import { giveUpExternalId } from '../table/externalIds.ts'
import { recipientsOf, taskTombstoneKey, ttlOf } from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import type { Action, Item } from '../table/store.ts'
import { roomBeside } from '../table/transactions.ts'
import { workEntry } from '../table/work.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'
import { finishEarlierRemoval } from './removeRecipients.ts'
import { finishTaskDeletion } from './removeTask.ts'
import { readTask, requireAuthored, type Task, type TaskState, taskEnd, taskExternalId, taskFields } from './task.ts'
import { storedAssignmentDeletion, takerFor } from './taskAssignment.ts'

/** Assignments that may be deleted in the transaction of the task, with its item, event, tombstone and entry. */
const MOST_AT_ONCE = mostThatFit({ each: 1, besides: 4, hasEvents: true })

/** Deletes a task, for its author. No user sees it from then on; noted work removes what is left of it. */
export async function deleteTask(context: Context, { path }: Input<'deleteTask'>) {
  const { store, now, newId } = context
  const id = path.task_id
  const work = newId()
  let isFirst = true
  const entry = await decideAgain(async () => {
    const [read, { items }] = await Promise.all([
      readTask(store, id),
      store.query({ ...recipientsOf(id), limit: MOST_AT_ONCE }),
    ])
    const state = requireAuthored(context, read)
    await finishEarlierRemoval(store, state)
    requireExpected(context, taskFields.own(state.task))
    // The index may still show users who have lost the task, and then the write fails. The next attempt deletes none of them: the
    // noted work reads each assignment before it deletes it.
    const entry = workEntry('gone-task', work, { task: id }, now, { taker: takerFor(state.counts.count) })
    const deleting = (rows: number) => [...taskDeletion(state, rows, now), { put: entry }]
    const rows = isFirst ? items.slice(0, roomBeside(deleting(items.length))) : []
    isFirst = false
    await store.write([...deleting(rows.length), ...rows.map(storedAssignmentDeletion)])
    return entry
  })
  await doWorkOfCalls(context, [entry], finishTaskDeletion)
  return { status: 204, body: undefined }
}

/** What remains of a deleted task for 30 days: its id and its author. */
export const taskTombstone = ({ id, author_id: author }: Pick<Task, 'id' | 'author_id'>, now: string): Item => ({
  ...taskTombstoneKey(id),
  author,
  ttl: ttlOf(momentAfter(now, 30 * DAY_MS)),
})

/**
 * Deletes a task that is still as it was read, counts off `assignments` that are deleted in the same transaction, and
 * leaves a tombstone.
 */
const taskDeletion = (state: TaskState, assignments: number, now: string): Action[] => [
  taskEnd(state, assignments, now),
  { put: taskTombstone(state.task, now) },
  ...giveUpExternalId(taskExternalId, state.task),
]
