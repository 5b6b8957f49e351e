import { users } from '../../domain/people/records/user.ts'
import { sortKey, taskKey, userKey } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import type { Entry } from '../../domain/table/workKinds.ts'
import { type Gone, indexKeysOfTask, type Task } from '../../domain/tasks/task.ts'
import { type TaskAssignment, taskAssignmentItem, taskAssignments } from '../../domain/tasks/taskAssignment.ts'
import { countOne, type Expect, expectSame } from './findings.ts'
import type { Copy } from './tableCopy.ts'

/** Users who do not have a task yet: how many, of which task, and the id that the task has once their addition is decided (`mark`). */
type Noted = Pick<Entry<'recipients'>, 'task' | 'born' | 'left'> & { mark: string | undefined }

/** Checks tasks: each assignment is counted once, is in the right lists, and has the current name of its user. */
export function auditTasks(copy: Copy, due: ReadonlySet<string>, expect: Expect): void {
  const noted = notedByTask(copy)
  for (const item of copy.sortedAt('TASK')) {
    const id = item.pk.slice('TASK#'.length)
    const task = taskIn(item)
    expect(task, `${id} has been deleted, and some of it is left`).toBeDefined()
    if (task) auditTask(copy, { item, task, noted: noted.get(id) ?? [], due }, expect)
  }
  for (const { pk, owner } of copy.below('TASK_EXTERNAL#')) {
    const { author_id, external_id } = (taskIn(copy.at(taskKey(String(owner)))) ?? {}) as Partial<Task>
    expect(pk, `whose external id ${pk} is`).toBe(`TASK_EXTERNAL#${author_id}#${external_id}`)
  }
  const progress = copy.keysBelow('TASK#').filter(({ sk }) => sk.startsWith('P#'))
  expect([...progress.filter(({ pk }) => !copy.has({ pk, sk: 'TASK' }))], 'progress of no task').toEqual([])
  const orphans = copy.keysSorted('TA#').filter(({ sk }) => !copy.has(taskKey(sk.slice('TA#'.length))))
  expect([...orphans], 'assignments of no task').toEqual([])
}

/** The noted work for each task, without the users, of whom there may be very many. */
function notedByTask(copy: Copy): Map<string, Noted[]> {
  const entries = copy.within('WORK', '').map((item) => item as unknown as Entry<'recipients'>)
  const recipients = entries.filter(({ kind }) => kind === 'recipients')
  return Map.groupBy(
    recipients.map(({ task, born, left, mark }) => ({ task, born, left, mark })),
    ({ task }) => task,
  )
}

const taskIn = (item: Item | undefined): Task | undefined => item?.['data'] as Task | undefined

type OneTask = { item: Item; task: Task; noted: readonly Noted[]; due: ReadonlySet<string> }

/** How many users have a task, do not have it yet, have opened and finished it. */
function auditTask(copy: Copy, { item, task, noted, due }: OneTask, expect: Expect): void {
  const { id } = task
  expect(item, `index keys of ${id}`).toMatchObject(indexKeysOfTask(task))
  const reached = new Map<string, number>()
  let assigned = 0
  for (const assignment of copy.sortedAt(`TA#${id}`)) {
    assigned++
    countOne(reached, String(taskAssignments.of(assignment)?.progress_status))
    auditAssignment(copy, { assignment, task, due }, expect)
  }
  const gone = (item['gone'] as Gone | undefined)?.users ?? []
  expect(Number(item['count']), `assignments of ${id}`).toBe(assigned - gone.length)
  expect(Number(item['count']), `assignments of ${id}`).toBeGreaterThan(0)
  const left = noted
    .filter((entry) => entry.born === task.created_at && isDecided(entry, item))
    .reduce((sum, entry) => sum + entry.left, 0)
  expect(Number(item['left'] ?? 0), `users who have yet to get ${id}`).toBe(left)
  const shards = [...copy.within(taskKey(id).pk, 'P#')]
  for (const status of ['OPEN', 'FINISHED'] as const) {
    const name = status.toLowerCase()
    const counted = shards.reduce((sum, shard) => sum + Number(shard[name] ?? 0), Number(item[name]))
    expect(counted, `${status} of ${id}`).toBe(reached.get(status) ?? 0)
  }
}

/** Whether the call that noted users for a task has decided to add them. */
const isDecided = ({ mark }: Noted, task: Item): boolean =>
  mark === undefined || ((task['marks'] as Set<string> | undefined)?.has(mark) ?? false)

type OneAssignment = { assignment: Item; task: Task; due: ReadonlySet<string> }

function auditAssignment(copy: Copy, { assignment, task, due }: OneAssignment, expect: Expect): void {
  const data = taskAssignments.of(assignment) as TaskAssignment
  const what = `the assignment ${assignment.pk} ${assignment.sk}`
  const user = users.of(copy.at(userKey(data.user_id)))
  if (user) expectSame(expect, assignment, taskAssignmentItem(task, user, data), what)
  else if (!due.has(data.user_id)) {
    const { list, by_created_at, by_updated_at, by_location_or_due, by_username_or_change, ...lasting } =
      taskAssignmentItem(task, { id: data.user_id, last_name: '' }, data)
    expect(assignment, what).toEqual({ ...lasting, found: sortKey(undefined, data.user_id) })
  }
}
