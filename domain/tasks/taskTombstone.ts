import { type AppError, refuse } from '../base/errors.ts'
import * as places from '../table/places.ts'
import { taskTombstoneKey } from '../table/places.ts'
import { defineRow } from '../table/records.ts'
import type { Item, Store } from '../table/store.ts'

const tombstones = defineRow<{ author: string; ttl: number }>()

const TOMBSTONE_MS = 30 * 24 * 60 * 60 * 1000

/** What remains of a deleted task for 30 days: its id and its author. */
export const taskTombstone = ({ id, author_id }: { id: string; author_id: string }, now: string): Item =>
  tombstones.item(taskTombstoneKey(id), {
    author: author_id,
    ttl: places.ttlOf(new Date(Date.parse(now) + TOMBSTONE_MS).toISOString()),
  })

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
