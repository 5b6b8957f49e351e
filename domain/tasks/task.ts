import { taskAssignmentKey, taskKey } from '../store/keys.ts'
import type { Item } from '../store/store.ts'

/** A task as it is stored. */
export type Task = {
  id: string
  external_id: string | null
  title: string
  body: { plain?: string; delta?: string; html?: string }
  author_id: string
  due_at: { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string } | null
  created_at: string
  updated_at: string
}

/** How far a recipient has come with a task. */
export type ProgressStatus = 'NEW' | 'OPEN' | 'FINISHED'

/** The item of a task. */
export const taskItem = (task: Task): Item => ({ ...taskKey(task.id), data: task })

/** The item of a task's assignment. */
export const taskAssignmentItem = (
  task: string,
  user: string,
  data: { progress_status: ProgressStatus; created_at: string; updated_at: string },
): Item => ({ ...taskAssignmentKey(task, user), data })
