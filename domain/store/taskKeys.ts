// Of THE TABLE (keys.ts): what lies around tasks.
import { two } from './keys.ts'
import type { Key, Range } from './store.ts'

/** A task's progress is counted in this many items, as thousands may finish it within a minute. */
export const PROGRESS_SHARDS = 64

export const taskProgressKey = (id: string, shard: number): Key => ({ pk: `TASK#${id}`, sk: `P#${two(shard)}` })
export const taskWorkKey = (due: string, id: string): Key => ({ pk: 'TASKS', sk: `${due}#${id}` })

/** A task and the shards that count its progress. */
export const ofTask = (id: string): Range => ({ hash: `TASK#${id}`, consistent: true })
/** Work on tasks that nobody has finished in time. */
export const dueTaskWork = (now: string): Range => ({ hash: 'TASKS', to: `${now}#\uffff`, consistent: true })

/** The list of a user's assignments of tasks, those of his own tasks apart. */
export const ownTaskList = (user: string, isAuthor: boolean): string =>
  `MINE#${user}#${isAuthor ? 'AUTHORED' : 'GIVEN'}`
/** The list of a task's recipients, in the index `find`. */
export const recipientList = (task: string): string => `TASK#${task}`
/** The task of an assignment's key. */
export const taskOfAssignment = ({ sk }: Key): string => sk.slice('TA#'.length)
