// Of THE TABLE (keys.ts): what lies around tasks.
import { two } from './keys.ts'
import type { Item, Key, Range } from './store.ts'

/** A task's progress is counted in this many items, as thousands may finish it within a minute. */
export const PROGRESS_SHARDS = 64

export const taskProgressKey = (id: string, shard: number): Key => ({ pk: `TASK#${id}`, sk: `P#${two(shard)}` })
export const taskTombstoneKey = (id: string): Key => ({ pk: `TASK#${id}`, sk: 'GONE' })
/** External ids of tasks are unique per author; ids have no `#`. */
export const taskExternalIdKey = (author: string, externalId: string): Key => ({
  pk: `TASK_EXTERNAL#${author}#${externalId}`,
  sk: 'EXTERNAL',
})
export const taskWorkKey = (due: string, id: string): Key => ({ pk: 'TASKS', sk: `${due}#${id}` })
/** Work on assignments that are gone already lies apart: whoever counts assignments reads it, and nothing else. */
export const goneWorkKey = (due: string, id: string): Key => ({ pk: 'TASKS', sk: `${GONE}${due}#${id}` })
const GONE = 'G#'
/** However often a task changes, its assignments move once: the entry stays at its place and says itself when it is due. */
export const movingWorkKey = (task: string): Key => ({ pk: 'TASKS', sk: `${MOVING}${task}` })
const MOVING = 'C#'
/** What no time is due for comes last. */
export const comingTasksKey = (part: string): Key => ({ pk: 'TASKS', sk: `~${part}` })
/** The same work, due at another time. */
export function workAt(entry: Item, due: string): Item {
  if (entry.due !== undefined) return { ...entry, due }
  const key = entry.sk.startsWith(GONE) ? goneWorkKey : taskWorkKey
  return { ...entry, ...key(due, entry.sk.slice(entry.sk.indexOf('#', GONE.length) + 1)) }
}
/** What orders work of all kinds by when it is due. */
export const dueOfWork = ({ sk, due = sk }: Item): string => String(due).slice(sk.startsWith(GONE) ? GONE.length : 0)

/** A task and the shards that count its progress. */
export const ofTask = (id: string): Range => ({ hash: `TASK#${id}`, consistent: true })
/** Work on tasks that nobody has finished in time; among it moves that are not due yet, which their entries say. */
export const dueTaskWork = (now: string): Range[] => [
  { hash: 'TASKS', from: MOVING, to: `${GONE}${now}#\uffff`, consistent: true },
  { hash: 'TASKS', to: `${now}#\uffff`, consistent: true },
]

/** What makes assignments not count that are there: work on those that are gone, and tasks that are about to come. */
export const uncounted: Range = { hash: 'TASKS', from: GONE, consistent: true }

/** Tasks that imports are about to bring. */
export const comingTasks: Range = { hash: 'TASKS', beginsWith: '~', consistent: true }

/** The list of a user's assignments of tasks, those of his own tasks apart. */
export const ownTaskList = (user: string, isAuthor: boolean): string =>
  `MINE#${user}#${isAuthor ? 'AUTHORED' : 'GIVEN'}`
/** The list of the tasks that a user is the author of. */
export const authoredList = (author: string): string => `TASKS#${author}`
/** The list of a task's recipients, in the index `find`. */
export const recipientList = (task: string): string => `TASK#${task}`
/** The rows of a task's recipients. */
export const recipientsOf = (task: string): Range => ({ index: 'find', hash: recipientList(task) })
/** Whether a row stands for a task, and not for an assignment of one; and the task that it stands for. */
export const isTaskRow = ({ pk }: Key): boolean => pk.startsWith('TASK#')
export const taskOfRow = (row: Key): string => (isTaskRow(row) ? row.pk.slice('TASK#'.length) : taskOfAssignment(row))
/** The task of an assignment's key. */
export const taskOfAssignment = ({ sk }: Key): string => sk.slice('TA#'.length)
