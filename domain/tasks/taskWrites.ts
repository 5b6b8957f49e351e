import { absent, atLeast, type Change, type Condition, every, has, is, lacks } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action, Expectation, Item } from '../table/store.ts'
import { taskProgressKey } from '../table/taskKeys.ts'
import { bumpUserVersion, type UserRecord } from '../users/user.ts'
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
      set: {
        'data/progress_status': after.progress_status,
        'data/updated_at': after.updated_at,
        by_updated_at: places.by_updated_at,
        source: places.hint,
        hint: places.hint,
      },
      if: is({ 'data/progress_status': before.progress_status }),
    },
    {
      update: taskProgressKey(after.task_id, shard),
      add: Object.fromEntries(moved.map(({ name, by }) => [name, by])),
    },
  ]
}

/** A new assignment of a user who is still as he was read: a rename under way reads again and takes it along. */
export const assignmentCreation = (task: Task, user: UserRecord, now: string): Action[] => [
  {
    put: taskAssignmentItem(task, user, { progress_status: 'NEW', created_at: now, updated_at: now }),
    if: absent,
  },
  bumpUserVersion(user),
]

/** Ends an assignment that is still where it was read to be, so that it is counted off rightly. */
export const assignmentDeletion = (item: Item): Action => ({
  delete: { pk: item.pk, sk: item.sk },
  if: is({ 'data/progress_status': assignmentOf(item).progress_status }),
})

/** Whoever changes a task or its recipients waits until what was begun before has been finished. */
export const settled: Condition = every(has('data'), lacks('gone'))

/** Counts new assignments, of a task that is still as it was read: they stand at places that follow from it. */
export const countedOn = ({ task, version }: TaskState, { count, open, finished }: Counts): Action => ({
  update: keys.taskKey(task.id),
  add: { count, open, finished, changes: 1 },
  if: every(settled, is({ version })),
})

/** The counts of as many new assignments. */
export const newOnes = (count: number): Counts => ({ count, open: 0, finished: 0 })

type Off = Pick<Change, 'set'> & Expectation & Required<Pick<Expectation, 'otherwise'>>

/** Counts assignments off, of which one must remain. */
export const countedOff = (task: string, off: Counts, { set = {}, if: also, otherwise }: Off): Action => ({
  update: keys.taskKey(task),
  set,
  add: { count: -off.count, open: -off.open, finished: -off.finished, changes: 1 },
  if: every(settled, atLeast('count', off.count + 1), ...(also ? [also] : [])),
  otherwise,
})

/** The statuses of assignments. */
export const statusesOf = (items: readonly Item[]): ProgressStatus[] =>
  items.map((item) => assignmentOf(item).progress_status)
