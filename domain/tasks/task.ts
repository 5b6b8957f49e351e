import { refuse } from '../base/errors.ts'
import { amendRecord, createRecord, itemOf, removeRecord } from '../table/changes.ts'
import { shardedCounter, sumOf } from '../table/counters.ts'
import { eventOf } from '../table/events.ts'
import { atLeast, type Condition, every, has, is, lacks, type Update } from '../table/expressions.ts'
import { changeExternalId, takeExternalId } from '../table/externalIds.ts'
import { a, declareFields, type RecordOf } from '../table/fields.ts'
import { isAt } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { defineItem, defineRecord, lastIn } from '../table/records.ts'
import type { Action, ActionOptions, ChangeEvent, Item, Key, Store } from '../table/store.ts'
import type { TaskBody } from './taskBody.ts'

// The record of a task, with its counts: how it is stored and read, and what creates, changes and ends it.

type DueDate = { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string }

export const taskFields = declareFields({
  id: { type: a<string>() },
  external_id: { type: a<string | null>(), set: 'ALWAYS', default: null },
  title: { type: a<string>(), set: 'ALWAYS' },
  body: { type: a<TaskBody>(), set: 'ALWAYS' },
  author_id: { type: a<string>() },
  due_at: { type: a<DueDate | null>(), set: 'ALWAYS', default: null },
  /** Any object of the client, as JSON: DynamoDB would refuse some keys, and objects that are nested deeply. */
  settings: { type: a<string | null>(), set: 'ALWAYS', default: null },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
})

/** A task as it is stored. */
export type Task = RecordOf<typeof taskFields>

/** The task itself. Its item has more beside it: see TaskItem. */
const tasks = defineRecord<Task>({
  key: keys.taskKey,
  fields: taskFields,
  idOf: ({ id }) => [id],
  indexAttributes: indexKeysOfTask,
  events: { kind: 'task' },
})

/** A task's assignments: those neither open nor finished are new. `left` counts users who have yet to get one. */
export type TaskCounts = { count: number; open: number; finished: number; left?: number }

/** A task as it is now. The counts in shards are included only if it was read by readWholeTask. */
export type TaskState = {
  task: Task
  counts: TaskCounts
  /** Users whose assignments no longer count although they are still stored, and the entry of the work that removes them. */
  gone: Gone | undefined
  /** The ids of additions of recipients that had too many entries for one transaction: their entries count. */
  additions: ReadonlySet<string>
  /** Counts changes of the record. */
  version: number
  /** Counts changes of the recipients. */
  recipientChanges: number
  /** The last event. */
  last: string | undefined
}
export type Gone = { users: string[]; work: Key }

/** A task's item. When a task has been deleted, only the number of its assignments is left, until they are removed. */
type TaskItem = TaskCounts & { gone?: Gone; marks?: Set<string>; version: number; changes: number }
const taskItems = defineItem<TaskItem>()

/** A task's progress, counted by its recipients: thousands may finish it within a minute. */
export const taskProgress = (id: string) =>
  shardedCounter((shard) => keys.taskProgressKey(id, shard), keys.ofTask(id), keys.PROGRESS_SHARDS)

/** External ids are unique among the tasks of an author. */
export const taskExternalId = (externalId: string, { author_id }: Pick<Task, 'author_id'>) =>
  keys.taskExternalIdKey(author_id, externalId)

/** The item of a new task. */
export const taskItem = (task: Task, counts: TaskCounts): Item =>
  taskItems.item(itemOf(tasks, task), { ...counts, version: 1, changes: 0 })

/** The sort keys of a task in the lists of its author; the indexes carry its external id along. */
export function indexKeysOfTask(task: Task) {
  return {
    list: keys.authoredList(task.author_id),
    by_location_or_due: keys.sortKey(dueMoment(task), task.id),
    by_username_or_change: keys.sortKey(task.updated_at, task.id),
    ...(task.external_id === null ? {} : { source: task.external_id }),
  }
}

/** The moment by which a task is due; a day ends with its last millisecond in UTC. */
export function dueMoment({ due_at }: Pick<Task, 'due_at'>): string | undefined {
  if (!due_at) return undefined
  return due_at.due_at_type === 'DATE' ? `${due_at.date}T23:59:59.999Z` : due_at.date_time
}

/** The state of a task, read from its item; undefined for a deleted task. */
export function taskState(item: Item | undefined): TaskState | undefined {
  const task = tasks.of(item)
  if (!item || !task) return undefined
  const { count, open, finished, left = 0, gone, marks, version, changes: recipientChanges } = taskItems.of(item)
  const others = { gone, additions: new Set(marks), version, recipientChanges, last: lastIn(item) }
  return { task, counts: { count, open, finished, left }, ...others }
}

/** A task as it is now, without the counts in shards. */
export const readTask = async (store: Store, id: string): Promise<TaskState | undefined> =>
  taskState(await store.get(keys.taskKey(id)))

/** A task with all of its counts, in one read: strongly consistent, or eventually for half the price. */
export async function readWholeTask(store: Store, id: string, consistency: 'strong' | 'eventual' = 'strong') {
  const items = await all(store, { ...keys.ofTask(id), consistent: consistency === 'strong' })
  const state = taskState(items.find(isAt(keys.taskKey(id))))
  const progress = { open: sumOf(items, 'open'), finished: sumOf(items, 'finished') }
  return state && { ...state, counts: { ...state.counts, ...progress } }
}

/** The task, if it is the caller's own; for all other callers it does not exist. */
export function requireAuthored({ actorId }: { actorId: string }, state: TaskState | undefined): TaskState {
  if (state?.task.author_id !== actorId) throw refuse('TASK_NOT_FOUND', 'task_id')
  return state
}

/** Whether a user's assignment of the task still counts. */
export const stillCounts = ({ gone }: Pick<TaskState, 'gone'>, user: string): boolean => !gone?.users.includes(user)

/** The record that an event of a task is about. */
const eventRecord = (id: string) => ({ record: { kind: 'task', id } })

/** The event of users who get or lose a task. It names only these users: lists of all recipients would be too long. */
export function recipientsEvent(
  id: string,
  last: string | undefined,
  verb: 'added' | 'removed',
  users: readonly string[],
) {
  const [before, after] = verb === 'added' ? [[], users] : [users, []]
  return eventOf(
    { ...eventRecord(id), last, verb: `recipients_${verb}` },
    { recipients: before },
    { recipients: after },
  )
}

/** The actions that create a task for these users, without its assignments. */
export const taskCreation = (task: Task, counts: TaskCounts, recipients: readonly string[]): Action[] => [
  {
    ...createRecord(tasks, task, { code: 'DUPLICATE_ID', property: 'id' }),
    put: taskItem(task, counts),
    event: eventOf(eventRecord(task.id), undefined, { ...task, recipients }),
  },
  ...takeExternalId(taskExternalId, task),
]

/** The task exists, and no removal of recipients is under way. */
const isWithoutRemoval: Condition = every(has('data'), lacks('gone'))

/** The same, and no call has changed the task since it was read. */
export const isAsRead = ({ version, last }: TaskState): Condition =>
  every(isWithoutRemoval, is({ version, event: last }))

/**
 * Writes a task that is still as it was read. `withRecipients`: its recipients must also be as they were read, because their
 * assignments are moved in the same transaction.
 */
export function taskChange(state: TaskState, task: Task, withRecipients: boolean) {
  const { task: before, recipientChanges } = state
  const change: Action = {
    ...amendRecord(tasks, before, task, { attributes: indexKeysOfTask(task) }),
    clear: task.external_id === null ? ['source'] : [],
    add: { version: 1 },
    if: withRecipients ? every(isAsRead(state), is({ changes: recipientChanges })) : isAsRead(state),
  }
  return [change, ...changeExternalId(taskExternalId, before, task)]
}

/** Deletes a task that is still as it was read. Its item stays, with the number of its assignments, of which `fewer` are deleted now. */
export const taskEnd = (state: TaskState, fewer: number, now: string): Action => ({
  update: keys.taskKey(state.task.id),
  set: { deleted_at: now },
  clear: ['data', 'list', 'by_location_or_due', 'by_username_or_change', 'source'],
  add: { count: -fewer },
  if: isAsRead(state),
  event: removeRecord(tasks, state.task).event,
})

/**
 * Counts new assignments. The task must still be as it was read, as their sort keys in lists depend on it. `event` names the
 * users, unless an earlier event has named them.
 */
export const countAdded = (state: TaskState, added: TaskCounts, event?: ChangeEvent): Action => ({
  update: keys.taskKey(state.task.id),
  add: { ...added, changes: 1 },
  if: event ? isAsRead(state) : every(isWithoutRemoval, is({ version: state.version })),
  event,
})

type Also = Pick<Update, 'set'> &
  ActionOptions &
  Required<Pick<ActionOptions, 'otherwise'>> & { users: readonly string[] }

/** Counts the assignments of these users off. At least one other must remain. */
export const countRemoved = (
  { task, last }: TaskState,
  off: TaskCounts,
  { if: also, users, ...rest }: Also,
): Action => ({
  update: keys.taskKey(task.id),
  add: { count: -off.count, open: -off.open, finished: -off.finished, changes: 1 },
  if: every(isWithoutRemoval, atLeast('count', off.count + 1), is({ event: last }), ...(also ? [also] : [])),
  event: recipientsEvent(task.id, last, 'removed', users),
  ...rest,
})
