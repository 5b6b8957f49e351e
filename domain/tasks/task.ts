import { type AppError, refuse } from '../base/errors.ts'
import { shardedCounter, sumOf } from '../table/counters.ts'
import { absent, atLeast, type Change, type Condition, every, has, is, lacks } from '../table/expressions.ts'
import { taskKey } from '../table/keys.ts'
import * as places from '../table/places.ts'
import { defineRow, externalIds } from '../table/records.ts'
import { type Action, all, type Expectation, type Item, type Key, type Store } from '../table/store.ts'
import {
  authoredList,
  ofTask,
  PROGRESS_SHARDS,
  taskExternalIdKey,
  taskProgressKey,
  taskTombstoneKey,
} from '../table/taskKeys.ts'
import type { TaskBody } from './taskBody.ts'

/** When a task is due, as it is stored. */
export type DueDate = { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string }

/** A task as it is stored. */
export type Task = {
  id: string
  external_id: string | null
  title: string
  body: TaskBody
  author_id: string
  due_at: DueDate | null
  /** What clients keep with it, as JSON: DynamoDB would refuse some keys, and objects that are nested deeply. */
  settings: string | null
  created_at: string
  updated_at: string
}

/** A task's assignments: those neither open nor finished are new. `left` counts users who have yet to get one. */
export type Counts = { count: number; open: number; finished: number; left?: number }

/** A task as it is now. What recipients count in shards is included only where the task was read as a whole. */
export type TaskState = {
  task: Task
  counts: Counts
  /** Users whose assignments no longer count although they are still stored, and the entry of the work that removes them. */
  gone: Gone | undefined
  /** Additions of recipients whose entries did not fit into the transaction that decided them. */
  marks: ReadonlySet<string>
  /** Counts changes of the record. */
  version: number
  /** Counts changes of the recipients. */
  changes: number
}
export type Gone = { users: string[]; work: Key }

/** A task's item. When a task has been deleted, only the number of its assignments is left, until they are removed. */
type TaskItem = Counts & { data?: Task; gone?: Gone; marks?: Set<string>; version: number; changes: number }
const taskItems = defineRow<TaskItem>()
const tombstones = defineRow<{ author: string; ttl: number }>()

/** A task's progress, counted by its recipients: thousands may finish it within a minute. */
export const taskProgress = (id: string) =>
  shardedCounter((shard) => taskProgressKey(id, shard), ofTask(id), PROGRESS_SHARDS)

/** External ids are unique among the tasks of an author. */
export const taskExternalIds = externalIds<Pick<Task, 'id' | 'author_id' | 'external_id'>>(
  (externalId, { author_id }) => taskExternalIdKey(author_id, externalId),
)

/** The item of a new task. */
export const taskItem = (task: Task, counts: Counts): Item =>
  taskItems.item(taskKey(task.id), { ...placesOfTask(task), data: task, ...counts, version: 1, changes: 0 })

/** Where a task stands among those of its author; the indexes carry its external id along. */
export const placesOfTask = (task: Task) => ({
  list: authoredList(task.author_id),
  by_location_or_due: places.place(dueMoment(task), task.id),
  by_username_or_change: places.place(task.updated_at, task.id),
  ...(task.external_id === null ? {} : { source: task.external_id }),
})

/** The moment by which a task is due; a day ends with its last millisecond in UTC. */
export function dueMoment({ due_at }: Pick<Task, 'due_at'>): string | undefined {
  if (!due_at) return undefined
  return due_at.due_at_type === 'DATE' ? `${due_at.date}T23:59:59.999Z` : due_at.date_time
}

/** What a task's item says; undefined for a deleted one. */
export function stateOf(item: Item | undefined): TaskState | undefined {
  const row = item && taskItems.of(item)
  if (!row?.data) return undefined
  const { data: task, count, open, finished, left = 0, gone, marks, version, changes } = row
  return { task, counts: { count, open, finished, left }, gone, marks: new Set(marks), version, changes }
}

type Reader = Store

/** A task as it is now, without what its shards count. */
export const readTask = async (store: Reader, id: string): Promise<TaskState | undefined> =>
  stateOf(await store.get(taskKey(id)))

/** A task with all that is counted, in one read. */
export const readWholeTask = async (store: Store, id: string): Promise<TaskState | undefined> =>
  (await readWhole(store, id, true))?.state

/** The same at half the price, with the task's item: may lag a moment behind the last write. */
export const readWholeTaskSoon = (store: Store, id: string) => readWhole(store, id, false)

async function readWhole(store: Store, id: string, consistent: boolean) {
  const items = await all(store, { ...ofTask(id), consistent })
  const item = items.find(({ sk }) => sk === taskKey(id).sk)
  const state = stateOf(item)
  if (!item || !state) return undefined
  const counts = { ...state.counts, open: sumOf(items, 'open'), finished: sumOf(items, 'finished') }
  return { item, state: { ...state, counts } }
}

/** The task, if it is the caller's own; for all other callers it does not exist. */
export function requireAuthored({ actorId }: { actorId: string }, state: TaskState | undefined): TaskState {
  if (state?.task.author_id !== actorId) throw refuse('TASK_NOT_FOUND', 'task_id')
  return state
}

/** Whether a user's assignment of the task still counts. */
export const counts = ({ gone }: Pick<TaskState, 'gone'>, user: string): boolean => !gone?.users.includes(user)

/** The actions that create a task, but for its assignments. */
export const taskCreation = (task: Task, counts: Counts): Action[] => [
  { put: taskItem(task, counts), if: absent, otherwise: { code: 'DUPLICATE_ID', property: 'id' } },
  ...taskExternalIds.take(task),
]

/** The task exists, and no work on its recipients is left. */
const settled: Condition = every(has('data'), lacks('gone'))

/**
 * Writes a task that is still as it was read. Where its recipients are moved in the same transaction, they must be those
 * that were read, too.
 */
export function taskChange({ task: before, version, changes }: TaskState, task: Task, withRecipients: boolean) {
  const change: Action = {
    update: taskKey(task.id),
    set: { ...placesOfTask(task), data: task },
    clear: task.external_id === null ? ['source'] : [],
    add: { version: 1 },
    if: every(settled, is({ version, ...(withRecipients ? { changes } : {}) })),
  }
  return [change, ...taskExternalIds.change(before, task)]
}

/** Deletes a task that is still as it was read, together with so many of its assignments; leaves a tombstone. */
export const taskDeletion = ({ task, version }: TaskState, assignments: number, now: string): Action[] => [
  {
    update: taskKey(task.id),
    set: { deleted_at: now },
    clear: ['data', 'list', 'by_location_or_due', 'by_username_or_change', 'source'],
    add: { count: -assignments },
    if: every(settled, is({ version })),
  },
  { put: taskTombstone(task, now) },
  ...taskExternalIds.giveUp(task),
]

/** Counts new assignments of a task that is still as it was read: their places follow from it. */
export const countAdded = ({ task, version }: TaskState, added: Counts): Action => ({
  update: taskKey(task.id),
  add: { ...added, changes: 1 },
  if: every(settled, is({ version })),
})

type Also = Pick<Change, 'set'> & Expectation & Required<Pick<Expectation, 'otherwise'>>

/** Counts assignments off, of which one must remain. */
export const countRemoved = (task: string, off: Counts, { if: also, ...rest }: Also): Action => ({
  update: taskKey(task),
  add: { count: -off.count, open: -off.open, finished: -off.finished, changes: 1 },
  if: every(settled, atLeast('count', off.count + 1), ...(also ? [also] : [])),
  ...rest,
})

const TOMBSTONE_MS = 30 * 24 * 60 * 60 * 1000

/** What remains of a deleted task for 30 days: its id and its author. */
export const taskTombstone = ({ id, author_id }: Task, now: string): Item =>
  tombstones.item(taskTombstoneKey(id), {
    author: author_id,
    ttl: places.ttlOf(new Date(Date.parse(now) + TOMBSTONE_MS).toISOString()),
  })

/**
 * The error for an assignment whose task does not exist. Only the author and the assignment's own user are told that the
 * task was deleted; others learn nothing about which tasks exist.
 */
export async function missingTask(
  { store, actorId }: { store: Reader; actorId: string },
  { task_id, user_id }: { task_id: string; user_id: string },
): Promise<AppError> {
  const item = await store.get(taskTombstoneKey(task_id))
  const isTold = item && (user_id === actorId || tombstones.of(item).author === actorId)
  return refuse(isTold ? 'TASK_NOT_FOUND' : 'TASK_ASSIGNMENT_NOT_FOUND', 'assignment_id')
}
