import { asRecord } from '../base/values.ts'
import type { UserRecord } from '../people/records/user.ts'
import { userReference } from '../people/records/userReference.ts'
import type { Context } from '../request/context.ts'
import type { Task, TaskCounts, TaskState } from './task.ts'
import { assignmentId, type ProgressStatus, type TaskAssignment } from './taskAssignment.ts'

/** Which forms of a task's body are answered; undefined for all. */
export type BodyFormat = readonly ('PLAIN' | 'DELTA' | 'HTML')[] | undefined

type Caller = Pick<Context, 'actorId'>
type Shown = Pick<TaskState, 'task' | 'counts'>

/** A task in an answer to its author or a recipient. */
export function viewTask({ actorId }: Caller, { task, counts }: Shown, isRecipient: boolean, format?: BodyFormat) {
  return {
    id: task.id,
    external_id: task.external_id,
    title: task.title,
    body: formsOf(task, format),
    author_id: task.author_id,
    due_at: task.due_at,
    distribution_kind: kindFor(actorId === task.author_id, isRecipient && counts.count === 1),
    created_at: task.created_at,
    updated_at: task.updated_at,
  }
}

/** The forms of a body that are asked for. */
const formsOf = ({ body }: Pick<Task, 'body'>, format: BodyFormat): Task['body'] =>
  Object.fromEntries(Object.entries(body).filter(([form]) => !format || format.includes(form.toUpperCase() as 'PLAIN')))

function kindFor(isAuthor: boolean, isOnlyRecipient: boolean): 'RECEIVED' | 'PERSONAL' | 'DISTRIBUTED' {
  if (!isAuthor) return 'RECEIVED'
  return isOnlyRecipient ? 'PERSONAL' : 'DISTRIBUTED'
}

/** A task by itself, as its author and its recipients read it. */
export function viewTaskRecord(caller: Caller, shown: Shown, isRecipient: boolean, format?: BodyFormat) {
  const { counts } = shown
  const { settings, author_id } = shown.task
  return {
    ...viewTask(caller, shown, isRecipient, format),
    settings: settings === null ? null : asRecord(JSON.parse(settings)),
    progress_status: progressOf(counts),
    distribution: distributionOf(counts),
    ...(author_id === caller.actorId ? { assignment_summary: taskSummaryOf(counts) } : {}),
  }
}
export type TaskRecordView = ReturnType<typeof viewTaskRecord>

/** How far the recipients of a task have come. */
export type Summary = { total: number; items: { status: ProgressStatus; count: number }[] }
/** A task's summary also says how far the task has been given to its recipients. */
export type TaskSummary = Summary & { distribution: Distribution }
/** How many users have a task (`done`), of all who get it (`total`). */
export type Distribution = { state: 'RUNNING' | 'DONE'; total: number; done: number }

/** The summary of counts. They are read while others write, and may disagree for a moment; the answer always adds up. */
export function summaryOf({ count, open, finished }: TaskCounts): Summary {
  const done = Math.min(Math.max(finished, 0), count)
  const begun = Math.min(Math.max(open, 0), count - done)
  return {
    total: count,
    items: [
      { status: 'NEW', count: count - done - begun },
      { status: 'OPEN', count: begun },
      { status: 'FINISHED', count: done },
    ],
  }
}

/** The summary of a task. */
export const taskSummaryOf = (counts: TaskCounts): TaskSummary => ({
  ...summaryOf(counts),
  distribution: distributionOf(counts),
})

/** How far a task has been given to its recipients. */
const distributionOf = ({ count, left = 0 }: TaskCounts): Distribution =>
  left > 0 ? { state: 'RUNNING', total: count + left, done: count } : { state: 'DONE', total: count, done: count }

/** The progress of all recipients together. A task is not FINISHED while it is still being given to recipients. */
export function progressOf({ count, finished, left = 0 }: TaskCounts): 'OPEN' | 'IN_PROGRESS' | 'FINISHED' {
  if (finished <= 0) return 'OPEN'
  return finished < count || left > 0 ? 'IN_PROGRESS' : 'FINISHED'
}

/** An assignment in an answer; with its recipient only where a call asks for it. */
export const viewAssignment = (
  assignment: TaskAssignment,
  task: ReturnType<typeof viewTask>,
  recipient?: { user: UserRecord | undefined; showsDepartment: boolean | undefined },
) => ({
  id: assignmentId(assignment),
  task_id: assignment.task_id,
  user_id: assignment.user_id,
  progress_status: assignment.progress_status,
  created_at: assignment.created_at,
  updated_at: assignment.updated_at,
  recipient: recipient ? userReference(assignment.user_id, recipient.user, recipient.showsDepartment) : null,
  task,
})
export type TaskAssignmentView = ReturnType<typeof viewAssignment>

/** The bytes that a task takes in an answer, without its short fields. */
export const weightOf = (
  { settings = null, ...task }: Pick<Task, 'body'> & Partial<Pick<Task, 'settings'>>,
  format?: BodyFormat,
): number => Buffer.byteLength(`${JSON.stringify(formsOf(task, format))}${settings ?? ''}`)
