import { DAY_MS, momentAfter } from '../base/text.ts'
import { tell } from '../table/events.ts'
import { every, is } from '../table/expressions.ts'
import { taskKey } from '../table/keys.ts'
import { taskTombstoneKey, ttlOf } from '../table/places.ts'
import type { Action, Item } from '../table/store.ts'
import { naming, settled, type Task, type TaskState, taskExternalIds } from './task.ts'

/** What remains of a deleted task for 30 days: its id and its author. */
export const taskTombstone = ({ id, author_id: author }: Pick<Task, 'id' | 'author_id'>, now: string): Item => ({
  ...taskTombstoneKey(id),
  author,
  ttl: ttlOf(momentAfter(now, 30 * DAY_MS)),
})

/** Deletes a task that is still as it was read, together with so many of its assignments; leaves a tombstone. */
export const taskDeletion = ({ task, version, last }: TaskState, assignments: number, now: string): Action[] => [
  {
    update: taskKey(task.id),
    set: { deleted_at: now },
    clear: ['data', 'list', 'by_location_or_due', 'by_username_or_change', 'source'],
    add: { count: -assignments },
    if: every(settled, is({ version, event: last })),
    event: tell({ ...naming(task.id), last }, task, undefined),
  },
  { put: taskTombstone(task, now) },
  ...taskExternalIds.giveUp(task),
]
