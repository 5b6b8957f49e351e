import { DAY_MS, momentAfter } from '../base/text.ts'
import { giveUpExternalId } from '../table/externalIds.ts'
import { taskTombstoneKey, ttlOf } from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import { type Task, type TaskState, taskEnd, taskExternalId } from './task.ts'

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
export const taskDeletion = (state: TaskState, assignments: number, now: string): Action[] => [
  taskEnd(state, assignments, now),
  { put: taskTombstone(state.task, now) },
  ...giveUpExternalId(taskExternalId, state.task),
]
