import { type AppError, refuse } from '../base/errors.ts'
import { tell } from '../table/events.ts'
import { every, is } from '../table/expressions.ts'
import { taskKey } from '../table/keys.ts'
import * as places from '../table/places.ts'
import { taskTombstoneKey } from '../table/places.ts'
import { defineRow } from '../table/records.ts'
import type { Action, Item, Store } from '../table/store.ts'
import { naming, settled, type TaskState, taskExternalIds } from './task.ts'

const tombstones = defineRow<{ author: string; ttl: number }>()

const TOMBSTONE_MS = 30 * 24 * 60 * 60 * 1000

/** What remains of a deleted task for 30 days: its id and its author. */
export const taskTombstone = ({ id, author_id }: { id: string; author_id: string }, now: string): Item =>
  tombstones.item(taskTombstoneKey(id), {
    author: author_id,
    ttl: places.ttlOf(new Date(Date.parse(now) + TOMBSTONE_MS).toISOString()),
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

/**
 * The error for an assignment whose task does not exist. Only the author and the assignment's own user are told that the
 * task was deleted; others learn nothing about which tasks exist.
 */
export async function missingTask(
  { store, actorId }: { store: Pick<Store, 'get'>; actorId: string },
  { task_id, user_id }: { task_id: string; user_id: string },
): Promise<AppError> {
  const item = await store.get(taskTombstoneKey(task_id))
  const isTold = item && (user_id === actorId || tombstones.of(item).author === actorId)
  return refuse(isTold ? 'TASK_NOT_FOUND' : 'TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
}
