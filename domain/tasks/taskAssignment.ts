import { type AppError, refuse } from '../base/errors.ts'
import { hash32 } from '../base/text.ts'
import { type UserRecord, users } from '../people/records/user.ts'
import { nameAmongRecipients } from '../people/records/userSearch.ts'
import type { Context } from '../request/context.ts'
import { amendRecord, itemOf, requireUnchanged } from '../table/changes.ts'
import { absent, exists } from '../table/expressions.ts'
import { keyIn } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import { defineRecord } from '../table/records.ts'
import type { Action, Item, Key } from '../table/store.ts'
import type { ProgressStatus, Taker } from '../table/workKinds.ts'
import { dueMoment, readTask, stillCounts, type Task, type TaskCounts, taskProgress } from './task.ts'

// The assignment of a task to one user: how it is stored, its sort keys in lists, and its progress.

export type { ProgressStatus } from '../table/workKinds.ts'

/** A user's assignment of a task as it is stored. */
export type TaskAssignment = {
  task_id: string
  user_id: string
  progress_status: ProgressStatus
  created_at: string
  updated_at: string
}
type Ids = Pick<TaskAssignment, 'task_id' | 'user_id'>

/** The sort keys of an assignment also depend on its task and user: see taskAssignmentItem. */
export const taskAssignments = defineRecord<TaskAssignment, readonly [user: string, task: string]>({
  key: keys.taskAssignmentKey,
  idOf: ({ user_id, task_id }) => [user_id, task_id],
  // The events of the task say who gets and who loses it.
  events: {
    kind: 'task_assignment',
    id: ({ task_id, user_id }) => keys.joinedId(task_id, user_id),
    among: ({ user_id }) => ({ kind: 'user', id: user_id }),
    verb: (_before, { progress_status }) => (progress_status === 'FINISHED' ? 'finished' : 'opened'),
  },
})

/**
 * Recipients who are added in one transaction without noted work. Each needs an assignment and a check of the user; the task,
 * its event and the external id of a new task need one action each.
 */
export const RECIPIENTS_AT_ONCE = mostThatFit({ each: 2, besides: 3, hasEvents: true })

/** The most recipients for which a call does all of its work itself, within seconds. */
const OWN_RECIPIENTS = 1000
/** Who does the work for this number of recipients. */
export const takerFor = (recipients: number): Taker => (recipients > OWN_RECIPIENTS ? 'STREAM' : 'CALL')

/** The counts of assignments. */
export const countsOf = (statuses: readonly unknown[]): TaskCounts => ({
  count: statuses.length,
  open: statuses.filter((status) => status === 'OPEN').length,
  finished: statuses.filter((status) => status === 'FINISHED').length,
})
export const countsIn = (assignments: readonly TaskAssignment[]): TaskCounts =>
  countsOf(assignments.map(({ progress_status }) => progress_status))

const idInSortKey = ({ task_id, user_id }: Ids): string => keys.assignmentIdInSortKey(task_id, user_id)

/** An assignment's id in answers: without a comma, which many tools take for the end of a value. */
export const assignmentId = ({ task_id, user_id }: Ids): string => keys.joinedId(task_id, user_id)

/** An id of an assignment in the form of answers: callers may also send it with a comma. */
export const oneSpelling = (id: string): string => id.replaceAll(',', '~')

/** The task and the user of an assignment's id, if it can be one. */
export function partsOfId(id: string): Ids | undefined {
  const [task_id, user_id, ...rest] = oneSpelling(id).split('~')
  return task_id && user_id && rest.length === 0 ? { task_id, user_id } : undefined
}

/**
 * The assignment that a path names, with its task. Throws TASK_ASSIGNMENT_NOT_FOUND, or TASK_NOT_FOUND where the task was
 * deleted: only its author and the assignment's user learn that. Others learn nothing about which tasks exist.
 */
export async function existingAssignment({ store, actorId }: Context, id: string) {
  const ids = partsOfId(id)
  if (!ids) throw unknownAssignment()
  const [assignment, state] = await Promise.all([
    taskAssignments.read(store, ids.user_id, ids.task_id),
    readTask(store, ids.task_id),
  ])
  if (assignment && state && stillCounts(state, ids.user_id)) return { assignment, state }
  const tombstone = state ? undefined : await store.get(keys.taskTombstoneKey(ids.task_id))
  const mayKnow = tombstone && (ids.user_id === actorId || tombstone.author === actorId)
  throw mayKnow ? refuse('TASK_NOT_FOUND', 'assignment_id') : unknownAssignment()
}

export const unknownAssignment = (): AppError => refuse('TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')

/** The item of an assignment, with its sort keys in the recipient's own lists and in the task's. */
export function taskAssignmentItem(
  task: Pick<Task, 'id' | 'author_id' | 'due_at' | 'updated_at'>,
  user: Pick<UserRecord, 'id' | 'last_name'>,
  { progress_status, created_at, updated_at }: Omit<TaskAssignment, keyof Ids>,
): Item {
  const assignment = { task_id: task.id, user_id: user.id, progress_status, created_at, updated_at }
  return {
    ...itemOf(taskAssignments, assignment),
    list: keys.ownTaskList(user.id, task.author_id === user.id),
    by_created_at: keys.sortKey(created_at, idInSortKey(assignment)),
    ...indexKeysByTask(task, user.id),
    find: keys.recipientList(task.id),
    ...nameAmongRecipients(user),
    ...indexKeysByProgress(assignment),
  }
}

/** The sort keys of an assignment that follow from its task: by due date, and by the last change. */
export const indexKeysByTask = (task: Pick<Task, 'id' | 'due_at' | 'updated_at'>, user: string) => ({
  by_location_or_due: keys.sortKey(dueMoment(task), idInSortKey({ task_id: task.id, user_id: user })),
  by_username_or_change: keys.sortKey(task.updated_at, task.id),
})

/** The sort keys that follow from its progress. The indexes carry the status along, as lists are filtered by it. */
const indexKeysByProgress = (assignment: Ids & Pick<TaskAssignment, 'progress_status' | 'updated_at'>) => ({
  by_updated_at: keys.sortKey(assignment.updated_at, idInSortKey(assignment)),
  source: assignment.progress_status,
  hint: assignment.progress_status,
})

/** Whether a recipient's row is listed by name: users who are gone for good have neither a name nor lists. */
export const isListed = ({ found }: Item): boolean => !String(found).startsWith(keys.MISSING)

/** Whether a status is among those that a filter asks for. */
export const hasProgress = (wanted: readonly string[] | undefined, status: unknown): boolean =>
  !wanted || wanted.includes(String(status))

/**
 * A new assignment of a user as they were read; stale if they have one. The user's record is not written: many tasks are given
 * to the same users at once. So the writer has to make sure that a rename or purge since that read is not missed.
 */
export const assignmentCreation = (
  task: Task,
  user: UserRecord,
  now: string,
  progress_status: ProgressStatus = 'NEW',
): Action => ({
  put: taskAssignmentItem(task, user, { progress_status, created_at: now, updated_at: now }),
  if: absent,
})

/** Moves an assignment to where it belongs by its user's name, if it is not there yet. The user must still be as they were read. */
export function moveToPresentName(item: Item, user: UserRecord): Action[] {
  const name = nameAmongRecipients(user)
  return item.found === name.found
    ? []
    : [{ update: keyIn(item), set: name, if: exists }, requireUnchanged(users, user)]
}

/** An assignment of a user who is gone for good: it keeps its progress, but has no name and is in none of their lists. */
export const namelessAssignment = (item: Item): Action[] =>
  item.list === undefined
    ? []
    : [
        {
          update: keyIn(item),
          set: { found: keys.sortKey(undefined, keys.userOfRow(item)) },
          clear: ['list', 'by_created_at', 'by_updated_at', 'by_location_or_due', 'by_username_or_change'],
          if: exists,
        },
      ]

/** Deletes an assignment that still exists, whatever its progress. */
export const storedAssignmentDeletion = (row: Key): Action => ({ delete: keyIn(row), if: exists })

export type Next = (status: ProgressStatus) => ProgressStatus

/** The assignment at its next status; the same object if that is no change. */
export function advanced(assignment: TaskAssignment, next: Next, now: string): TaskAssignment {
  const progress_status = next(assignment.progress_status)
  return progress_status === assignment.progress_status
    ? assignment
    : { ...assignment, progress_status, updated_at: now }
}

/** The counter of each status. NEW has none: what is neither open nor finished is new. */
const counterOf = { NEW: {}, OPEN: { open: 1 }, FINISHED: { finished: 1 } } as const
const uncounted = { NEW: {}, OPEN: { open: -1 }, FINISHED: { finished: -1 } } as const

/** Writes an assignment's next status, and counts it in a shard of the task, so that recipients seldom meet. */
export const progressActions = (before: TaskAssignment, after: TaskAssignment, shard: number): Action[] => [
  amendRecord(
    taskAssignments,
    before,
    { progress_status: after.progress_status, updated_at: after.updated_at },
    { expected: { progress_status: before.progress_status }, attributes: indexKeysByProgress(after) },
  ),
  taskProgress(after.task_id).add(shard, { ...uncounted[before.progress_status], ...counterOf[after.progress_status] }),
]

/** Spreads recipients evenly over a task's shards; each further attempt takes another shard. */
export function shardOf(user: string, attempt: number): number {
  // With the upper half folded in: ids that differ in their last digit only must not crowd into a few shards.
  const hash = hash32(user, attempt)
  return ((hash ^ (hash >>> 16)) >>> 0) % keys.PROGRESS_SHARDS
}
