import { touched } from '../groups/groupAssignmentWrites.ts'
import * as keys from '../store/keys.ts'
import type { Action, Item } from '../store/store.ts'
import { taskProgressKey } from '../store/taskKeys.ts'
import type { UserRecord } from '../users/userRecord.ts'
import {
  assignmentOf,
  type Counts,
  type ProgressStatus,
  placesOfProgress,
  type Task,
  type TaskAssignment,
  type TaskState,
  taskAssignmentItem,
} from './task.ts'

/** Which counter a status has; what is new is what no counter has. */
const counterOf = { NEW: undefined, OPEN: 'open', FINISHED: 'finished' } as const

/** Moves an assignment on, and counts it in a shard of the task: no two recipients have to write the same item. */
export function progressActions(before: TaskAssignment, after: TaskAssignment, shard: number): Action[] {
  const places = placesOfProgress(after)
  const counters = [
    [counterOf[before.progress_status], -1],
    [counterOf[after.progress_status], 1],
  ] as const
  const moved = counters.flatMap(([name, by]) => (name ? [{ name, by }] : []))
  return [
    {
      update: keys.taskAssignmentKey(after.user_id, after.task_id),
      change:
        'SET #data.#progress_status = :hint, #data.#updated_at = :updated_at, #by_updated_at = :by_updated_at, #source = :hint, #hint = :hint',
      if: 'attribute_exists(#pk) AND #data.#progress_status = :was',
      values: {
        was: before.progress_status,
        updated_at: after.updated_at,
        by_updated_at: places.by_updated_at,
        hint: places.hint,
      },
    },
    {
      update: taskProgressKey(after.task_id, shard),
      change: `ADD ${moved.map(({ name }) => `#${name} :${name}`).join(', ')}`,
      values: Object.fromEntries(moved.map(({ name, by }) => [name, by])),
    },
  ]
}

/** A new assignment of a user who is still as he was read: a rename under way reads again and takes it along. */
export const assignmentCreation = (task: Task, user: UserRecord, now: string): Action[] => [
  {
    put: taskAssignmentItem(task, user, { progress_status: 'NEW', created_at: now, updated_at: now }),
    if: 'attribute_not_exists(#pk)',
  },
  touched(user),
]

/** Ends an assignment that is still where it was read to be, so that it is counted off rightly. */
export const assignmentDeletion = (item: Item): Action => ({
  delete: { pk: item.pk, sk: item.sk },
  if: '#data.#progress_status = :was',
  values: { was: assignmentOf(item).progress_status },
})

/** Whoever changes a task or its recipients waits until what was begun before has been finished. */
export const settled = 'attribute_exists(#data) AND attribute_not_exists(#gone)'

/** Counts new assignments, of a task that is still as it was read: they stand at places that follow from it. */
export const countedOn = ({ task, version }: TaskState, { count, open, finished }: Counts): Action => ({
  update: keys.taskKey(task.id),
  change: 'ADD #count :count, #open :open, #finished :finished, #changes :one',
  if: `${settled} AND #version = :version`,
  values: { count, open, finished, version, one: 1 },
})

/** The counts of as many new assignments. */
export const newOnes = (count: number): Counts => ({ count, open: 0, finished: 0 })

type Off = { change?: string; if?: string; values?: Record<string, unknown> } & Required<Pick<Action, 'otherwise'>>

/** Counts assignments off, of which one must remain. */
export const countedOff = (
  task: string,
  off: Counts,
  { change = '', if: also, values = {}, otherwise }: Off,
): Action => ({
  update: keys.taskKey(task),
  change: `${change} ADD #count :count, #open :open, #finished :finished, #changes :one`,
  if: [settled, '#count > :least', ...(also ? [also] : [])].join(' AND '),
  values: { ...values, count: -off.count, open: -off.open, finished: -off.finished, least: off.count, one: 1 },
  otherwise,
})

/** The statuses of assignments. */
export const statusesOf = (items: readonly Item[]): ProgressStatus[] =>
  items.map((item) => assignmentOf(item).progress_status)
