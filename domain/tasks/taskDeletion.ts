import { DAY_MS, momentAfter } from '../base/text.ts'
import { eventOf } from '../table/events.ts'
import { taskKey, taskTombstoneKey, ttlOf } from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import { eventRecord, isAsRead, type Task, type TaskState, taskExternalIds } from './task.ts'

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
  {
    update: taskKey(state.task.id),
    set: { deleted_at: now },
    clear: ['data', 'list', 'by_location_or_due', 'by_username_or_change', 'source'],
    add: { count: -assignments },
    if: isAsRead(state),
    event: eventOf({ ...eventRecord(state.task.id), last: state.last }, state.task, undefined),
  },
  { put: taskTombstone(state.task, now) },
  ...taskExternalIds.giveUp(state.task),
]
