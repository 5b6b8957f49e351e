import { place, taskKey } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import type { Entry } from '../../domain/table/work.ts'
import { type Gone, placesOfTask, type Task } from '../../domain/tasks/task.ts'
import { type TaskAssignment, taskAssignmentItem, taskAssignments } from '../../domain/tasks/taskAssignment.ts'
import type { UserRecord } from '../../domain/users/user.ts'
import { type Expect, expectSame } from './findings.ts'

/** Whether the call that noted users for a task has decided to add them. */
const isDecided = ({ mark }: Entry<'recipients'>, task: Item): boolean =>
  mark === undefined || ((task['marks'] as Set<string> | undefined)?.has(mark) ?? false)

type Tasks = ReadonlyMap<string, Item>
const taskIn = (item: Item | undefined): Task | undefined => item?.['data'] as Task | undefined

/** Holds tasks against their assignments: every one counted once, in its place, under the name its user has now. */
export function auditTasks(
  items: readonly Item[],
  users: readonly UserRecord[],
  due: ReadonlySet<string>,
  expect: Expect,
): void {
  const tasks = new Map(items.filter(({ sk }) => sk === 'TASK').map((item) => [item.pk.slice('TASK#'.length), item]))
  const assignments = items.filter(({ pk, sk }) => pk.startsWith('USER#') && sk.startsWith('TA#'))
  auditCounts(items, tasks, assignments, expect)
  const byId = new Map(users.map((user) => [user.id, user]))
  for (const item of assignments) auditAssignment(item, { tasks, byId, due }, expect)
  for (const { pk, owner } of items.filter((item) => item.pk.startsWith('TASK_EXTERNAL#'))) {
    const { author_id, external_id } = (taskIn(tasks.get(String(owner))) ?? {}) as Partial<Task>
    expect(pk, `whose external id ${pk} is`).toBe(`TASK_EXTERNAL#${author_id}#${external_id}`)
  }
  const stray = items.filter(
    ({ pk, sk }) => pk.startsWith('TASK#') && sk.startsWith('P#') && !tasks.has(pk.slice('TASK#'.length)),
  )
  expect(stray, 'progress of no task').toEqual([])
}

/** How many have a task, have yet to get it, have opened and finished it. */
function auditCounts(items: readonly Item[], tasks: Tasks, assignments: readonly Item[], expect: Expect): void {
  const byTask = Map.groupBy(assignments, ({ sk }) => sk.slice('TA#'.length))
  const work = items.filter(({ kind }) => kind === 'recipients') as unknown as Entry<'recipients'>[]
  const shardsByTask = Map.groupBy(
    items.filter(({ sk }) => sk.startsWith('P#')),
    ({ pk }) => pk,
  )
  for (const [id, item] of tasks) {
    const task = taskIn(item)
    expect(task, `${id} has been deleted, and some of it is left`).toBeDefined()
    if (!task) continue
    expect(item, `places of ${id}`).toMatchObject(placesOfTask(task))
    const own = byTask.get(id) ?? []
    const gone = (item['gone'] as Gone | undefined)?.users ?? []
    expect(Number(item['count']), `assignments of ${id}`).toBe(own.length - gone.length)
    expect(Number(item['count']), `assignments of ${id}`).toBeGreaterThan(0)
    const noted = work.filter((entry) => entry.task === id && entry.born === task.created_at && isDecided(entry, item))
    const left = noted.reduce((sum, entry) => sum + entry.left, 0)
    expect(Number(item['left'] ?? 0), `users who have yet to get ${id}`).toBe(left)
    const shards = shardsByTask.get(taskKey(id).pk) ?? []
    for (const status of ['OPEN', 'FINISHED'] as const) {
      const name = status.toLowerCase()
      const counted = shards.reduce((sum, shard) => sum + Number(shard[name] ?? 0), Number(item[name]))
      const reached = own.filter((one) => taskAssignments.of(one)?.progress_status === status)
      expect(counted, `${status} of ${id}`).toBe(reached.length)
    }
  }
}

type Known = { tasks: Tasks; byId: ReadonlyMap<string, UserRecord>; due: ReadonlySet<string> }

function auditAssignment({ event: _last, ...rest }: Item, { tasks, byId, due }: Known, expect: Expect): void {
  const item = rest as Item
  const data = taskAssignments.of(item) as TaskAssignment
  const task = taskIn(tasks.get(data.task_id))
  expect(task, `the task of ${item.pk} ${item.sk}`).toBeDefined()
  if (!task) return
  const user = byId.get(data.user_id)
  if (user) expectSame(expect, item, taskAssignmentItem(task, user, data), `the assignment ${item.pk} ${item.sk}`)
  else if (!due.has(data.user_id)) {
    const { list, by_created_at, by_updated_at, by_location_or_due, by_username_or_change, ...lasting } =
      taskAssignmentItem(task, { id: data.user_id, last_name: '' }, data)
    expect(item, `the assignment ${item.pk} ${item.sk}`).toEqual({ ...lasting, found: place(undefined, data.user_id) })
  }
}
