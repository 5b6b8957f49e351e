import type { Context } from '../context.ts'
import * as keys from '../store/keys.ts'
import type { Item, Key } from '../store/store.ts'
import { ownTaskList, recipientList } from '../store/taskKeys.ts'
import { nameAmongRecipients } from '../users/userItems.ts'
import type { UserRecord } from '../users/userRecord.ts'
import type { DueDate } from './dueDate.ts'
import type { TaskBody } from './taskBody.ts'

/** A task as it is stored. */
export type Task = {
  id: string
  external_id: string | null
  title: string
  body: TaskBody
  author_id: string
  due_at: DueDate | null
  created_at: string
  updated_at: string
}

/** How far a recipient has come with a task. */
export type ProgressStatus = 'NEW' | 'OPEN' | 'FINISHED'

/** One recipient's part in a task as it is stored. */
export type TaskAssignment = {
  task_id: string
  user_id: string
  progress_status: ProgressStatus
  created_at: string
  updated_at: string
}

/** How many assignments a task has; those that are neither open nor finished are new. */
export type Counts = { count: number; open: number; finished: number }

/** Assignments that no longer count although they are still there, and the entry of the work that removes them. */
export type Gone = { users: string[]; work: Key }

/** The task's item: the record, and the counts as its author's operations know them (see progressActions for the rest). */
export const taskItem = (task: Task, counts: Counts): Item => ({ ...keys.taskKey(task.id), data: task, ...counts })

/** The counts of a task with these assignments. */
export const countsOf = (statuses: readonly ProgressStatus[]): Counts => ({
  count: statuses.length,
  open: statuses.filter((status) => status === 'OPEN').length,
  finished: statuses.filter((status) => status === 'FINISHED').length,
})

/** What identifies an assignment to callers. */
export const assignmentId = ({ task_id, user_id }: Pick<TaskAssignment, 'task_id' | 'user_id'>): string =>
  `${task_id}~${user_id}`

/** The task and the user of an assignment's id, if it can be one. */
export function partsOfId(id: string): { task_id: string; user_id: string } | undefined {
  const [task_id, user_id, ...rest] = id.split('~')
  return task_id && user_id && rest.length === 0 ? { task_id, user_id } : undefined
}

/** The moment by which a task is due; a day is over with its last instant in UTC. */
export function dueMoment({ due_at }: Pick<Task, 'due_at'>): string | undefined {
  if (!due_at) return undefined
  return due_at.due_at_type === 'DATE' ? `${due_at.date}T23:59:59.999Z` : due_at.date_time
}

/** The item of an assignment, with its places in the recipient's own lists and in the task's. */
export function taskAssignmentItem(
  task: Pick<Task, 'id' | 'author_id' | 'due_at'>,
  user: Pick<UserRecord, 'id' | 'last_name'>,
  { progress_status, created_at, updated_at }: Omit<TaskAssignment, 'task_id' | 'user_id'>,
): Item {
  const ids = { task_id: task.id, user_id: user.id }
  return {
    ...keys.taskAssignmentKey(user.id, task.id),
    list: ownTaskList(user.id, task.author_id === user.id),
    by_created_at: keys.place(created_at, assignmentId(ids)),
    by_due_at: keys.place(dueMoment(task), assignmentId(ids)),
    find: recipientList(task.id),
    ...nameAmongRecipients(user),
    ...placesOfProgress({ ...ids, progress_status, updated_at }),
    data: { ...ids, progress_status, created_at, updated_at } satisfies TaskAssignment,
  }
}

type Moving = Pick<TaskAssignment, 'task_id' | 'user_id' | 'progress_status' | 'updated_at'>

/** Whatever of its places changes with its progress: lists are filtered by what their indexes carry along. */
export const placesOfProgress = (assignment: Moving) => ({
  by_updated_at: keys.place(assignment.updated_at, assignmentId(assignment)),
  source: assignment.progress_status,
  hint: assignment.progress_status,
})

/** A task as it is now, without what shards count. */
export type TaskState = { task: Task; counts: Counts; gone: Gone | undefined }

/** What the task's item says. */
export const stateOf = (item: Item): TaskState => ({
  task: item.data as Task,
  counts: { count: Number(item.count), open: Number(item.open), finished: Number(item.finished) },
  gone: item.gone as Gone | undefined,
})

/** A task as it is now. */
export async function readTask(store: Pick<Context['store'], 'get'>, id: string): Promise<TaskState | undefined> {
  const item = await store.get(keys.taskKey(id))
  return item && stateOf(item)
}

/** The assignment that an item holds. */
export const assignmentOf = (item: Item): TaskAssignment => item.data as TaskAssignment

/** Whether an assignment of the task still counts. */
export const counts = ({ gone }: Pick<TaskState, 'gone'>, user: string): boolean => !gone?.users.includes(user)
