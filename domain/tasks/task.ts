import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import type { Item, Key } from '../table/store.ts'
import { authoredList, ownTaskList, recipientList } from '../table/taskKeys.ts'
import type { UserRecord } from '../users/user.ts'
import { nameAmongRecipients } from '../users/userSearch.ts'
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
  /** Whatever clients keep with it, as JSON: the table would not keep every key and every depth. */
  settings: string | null
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

/**
 * The task's item: the record with its places in its author's list, and the counts as his operations know them (see
 * progressActions for the rest). `version` counts changes of the record, `changes` those of its recipients.
 */
export const taskItem = (task: Task, counts: Counts): Item => ({
  ...keys.taskKey(task.id),
  ...placesOfTask(task),
  data: task,
  ...counts,
  version: 1,
  changes: 0,
})

/** Where a task stands among those of its author; the indexes carry its external id along. */
export const placesOfTask = (task: Task) => ({
  list: authoredList(task.author_id),
  by_location_or_due: places.place(dueMoment(task), task.id),
  by_username_or_change: places.place(task.updated_at, task.id),
  ...(task.external_id === null ? {} : { source: task.external_id }),
})

/** The counts of a task with these assignments. */
export const countsOf = (statuses: readonly ProgressStatus[]): Counts => ({
  count: statuses.length,
  open: statuses.filter((status) => status === 'OPEN').length,
  finished: statuses.filter((status) => status === 'FINISHED').length,
})

type Ids = Pick<TaskAssignment, 'task_id' | 'user_id'>

/** In lists: a comma sorts below all that ids are made of, so that assignments sort as tasks do. */
const placeId = ({ task_id, user_id }: Ids): string => `${task_id},${user_id}`

/** What identifies an assignment to callers: without a comma, which many tools take for the end of a value. */
export const assignmentId = ({ task_id, user_id }: Ids): string => `${task_id}~${user_id}`

/** An assignment's id as it is answered: callers may still have it with a comma. */
export const oneSpelling = (id: string): string => id.replaceAll(',', '~')

/** The task and the user of an assignment's id, if it can be one. */
export function partsOfId(id: string): Ids | undefined {
  const [task_id, user_id, ...rest] = oneSpelling(id).split('~')
  return task_id && user_id && rest.length === 0 ? { task_id, user_id } : undefined
}

/** The moment by which a task is due; a day is over with its last instant in UTC. */
export function dueMoment({ due_at }: Pick<Task, 'due_at'>): string | undefined {
  if (!due_at) return undefined
  return due_at.due_at_type === 'DATE' ? `${due_at.date}T23:59:59.999Z` : due_at.date_time
}

/** The item of an assignment, with its places in the recipient's own lists and in the task's. */
export function taskAssignmentItem(
  task: Pick<Task, 'id' | 'author_id' | 'due_at' | 'updated_at'>,
  user: Pick<UserRecord, 'id' | 'last_name'>,
  { progress_status, created_at, updated_at }: Omit<TaskAssignment, 'task_id' | 'user_id'>,
): Item {
  const ids = { task_id: task.id, user_id: user.id }
  return {
    ...keys.taskAssignmentKey(user.id, task.id),
    list: ownTaskList(user.id, task.author_id === user.id),
    by_created_at: places.place(created_at, placeId(ids)),
    ...placesByTask(task, user.id),
    find: recipientList(task.id),
    ...nameAmongRecipients(user),
    ...placesOfProgress({ ...ids, progress_status, updated_at }),
    data: { ...ids, progress_status, created_at, updated_at } satisfies TaskAssignment,
  }
}

/** Those of an assignment's places that follow its task: its due date, and when it was changed last. */
export const placesByTask = (task: Pick<Task, 'id' | 'due_at' | 'updated_at'>, user: string) => ({
  by_location_or_due: places.place(dueMoment(task), placeId({ task_id: task.id, user_id: user })),
  by_username_or_change: places.place(task.updated_at, task.id),
})

type Moving = Pick<TaskAssignment, 'task_id' | 'user_id' | 'progress_status' | 'updated_at'>

/** Whatever of its places changes with its progress: lists are filtered by what their indexes carry along. */
export const placesOfProgress = (assignment: Moving) => ({
  by_updated_at: places.place(assignment.updated_at, placeId(assignment)),
  source: assignment.progress_status,
  hint: assignment.progress_status,
})

/** A task as it is now, without what shards count. */
export type TaskState = {
  task: Task
  counts: Counts
  gone: Gone | undefined
  /** The largest additions of recipients that were decided: their entries are more than one transaction takes. */
  marks: ReadonlySet<string>
  version: number
  changes: number
}

/** What the task's item says; of a task that has been deleted only the number of assignments is left, for a while. */
export const stateOf = (item: Item | undefined): TaskState | undefined =>
  item?.data === undefined
    ? undefined
    : {
        task: item.data as Task,
        counts: { count: Number(item.count), open: Number(item.open), finished: Number(item.finished) },
        gone: item.gone as Gone | undefined,
        marks: new Set(item.marks as Set<string> | undefined),
        version: Number(item.version),
        changes: Number(item.changes),
      }

/** A task as it is now. */
export async function readTask(store: Pick<Context['store'], 'get'>, id: string): Promise<TaskState | undefined> {
  return stateOf(await store.get(keys.taskKey(id)))
}

/** The assignment that an item holds. */
export const assignmentOf = (item: Item): TaskAssignment => item.data as TaskAssignment

/** Whether an assignment of the task still counts. */
export const counts = ({ gone }: Pick<TaskState, 'gone'>, user: string): boolean => !gone?.users.includes(user)
