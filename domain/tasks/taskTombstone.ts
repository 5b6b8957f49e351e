import { type AppError, refuse } from '../base/errors.ts'
import { ttlOf } from '../table/places.ts'
import type { Item, Store } from '../table/store.ts'
import { taskTombstoneKey } from '../table/taskKeys.ts'
import type { Task } from './task.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/** What remains of a deleted task for a while: that it was there, and whose. */
export const taskTombstone = ({ id, author_id }: Task, now: string): Item => ({
  ...taskTombstoneKey(id),
  author: author_id,
  ttl: ttlOf(new Date(Date.parse(now) + KEPT_MS).toISOString()),
})

/**
 * What is said of an assignment whose task is not there. That it was deleted is told to its author and to whose own the
 * assignment would be; whoever guesses an id learns nothing of tasks that exist.
 */
export async function withoutTask(
  { store, actorId }: { store: Pick<Store, 'get'>; actorId: string },
  { task_id, user_id }: { task_id: string; user_id: string },
): Promise<AppError> {
  const tombstone = await store.get(taskTombstoneKey(task_id))
  const isTold = tombstone !== undefined && (user_id === actorId || tombstone.author === actorId)
  return refuse(isTold ? 'TASK_NOT_FOUND' : 'TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
}
