// Part of THE TABLE (keys.ts): the keys and lists of tasks.
import { two } from './keys.ts'
import type { Key, Range } from './store.ts'

/** The shards of a task's progress: thousands of recipients may finish it within a minute. */
export const PROGRESS_SHARDS = 64

export const taskProgressKey = (id: string, shard: number): Key => ({ pk: `TASK#${id}`, sk: `P#${two(shard)}` })
export const taskTombstoneKey = (id: string): Key => ({ pk: `TASK#${id}`, sk: 'GONE' })
/** External ids of tasks are unique per author; ids have no `#`. */
export const taskExternalIdKey = (author: string, externalId: string): Key => ({
  pk: `TASK_EXTERNAL#${author}#${externalId}`,
  sk: 'EXTERNAL',
})
/** A task and the shards that count its progress. */
export const ofTask = (id: string): Range => ({ hash: `TASK#${id}`, consistent: true })

/** The lists of a user's assignments: of tasks from others, and of the user's own tasks. */
export const ownTaskList = (user: string, isAuthor: boolean): string =>
  `MINE#${user}#${isAuthor ? 'AUTHORED' : 'GIVEN'}`
/** The list of the tasks that a user is the author of. */
export const authoredList = (author: string): string => `TASKS#${author}`
/** The list of a task's recipients, in the index `find`. */
export const recipientList = (task: string): string => `TASK#${task}`
/** The rows of a task's recipients. */
export const recipientsOf = (task: string): Range => ({ index: 'find', hash: recipientList(task) })
/** Whether a row stands for a task; otherwise for an assignment. The task of either. */
export const isTaskRow = ({ pk }: Key): boolean => pk.startsWith('TASK#')
export const taskOfRow = (row: Key): string => (isTaskRow(row) ? row.pk.slice('TASK#'.length) : taskOfAssignment(row))
/** The task of an assignment's key. */
export const taskOfAssignment = ({ sk }: Key): string => sk.slice('TA#'.length)
