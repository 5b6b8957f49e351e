import { expect } from 'vitest'
import { taskKey } from '../../domain/table/keys.ts'
import { place } from '../../domain/table/places.ts'
import type { Item } from '../../domain/table/store.ts'
import type { Entry } from '../../domain/table/work.ts'
import { type Gone, placesOfTask, type Task } from '../../domain/tasks/task.ts'
import { type TaskAssignment, taskAssignmentItem, taskAssignments } from '../../domain/tasks/taskAssignment.ts'
import type { UserRecord } from '../../domain/users/user.ts'
import { expectSame } from './audit.ts'

/** Whether the call that noted users for a task has decided to add them. */
const isDecided = ({ mark }: Entry<'recipients'>, task: Item): boolean =>
  mark === undefined || ((task['marks'] as Set<string> | undefined)?.has(mark) ?? false)

/** Holds tasks against their assignments: every one counted once, in its place, under the name its user has now. */
export function auditTasks(items: readonly Item[], users: readonly UserRecord[], due: ReadonlySet<string>): void {
  const tasks = new Map(items.filter(({ sk }) => sk === 'TASK').map((item) => [item.pk.slice('TASK#'.length), item]))
  const assignments = items.filter(({ pk, sk }) => pk.startsWith('USER#') && sk.startsWith('TA#'))
  const byTask = Map.groupBy(assignments, ({ sk }) => sk.slice('TA#'.length))
  const work = items.filter(({ kind }) => kind === 'recipients') as unknown as Entry<'recipients'>[]
  const shardsByTask = Map.groupBy(
    items.filter(({ sk }) => sk.startsWith('P#')),
    ({ pk }) => pk,
  )
  for (const [id, item] of tasks) {
    expect(item['data'], `${id} has been deleted, and some of it is left`).toBeDefined()
    expect(item, `places of ${id}`).toMatchObject(placesOfTask(item['data'] as Task))
    const own = byTask.get(id) ?? []
    const gone = (item['gone'] as Gone | undefined)?.users ?? []
    expect(Number(item['count']), `assignments of ${id}`).toBe(own.length - gone.length)
    expect(Number(item['count']), `assignments of ${id}`).toBeGreaterThan(0)
    const { created_at } = item['data'] as Task
    const noted = work.filter((entry) => entry.task === id && entry.born === created_at && isDecided(entry, item))
    const left = noted.reduce((sum, entry) => sum + entry.left, 0)
    expect(Number(item['left'] ?? 0), `users who have yet to get ${id}`).toBe(left)
    for (const status of ['OPEN', 'FINISHED'] as const) {
      const name = status.toLowerCase()
      const shards = shardsByTask.get(taskKey(id).pk) ?? []
      const counted = shards.reduce((sum, shard) => sum + Number(shard[name] ?? 0), Number(item[name]))
      expect(counted, `${status} of ${id}`).toBe(
        own.filter((one) => taskAssignments.of(one)?.progress_status === status).length,
      )
    }
  }
  const byId = new Map(users.map((user) => [user.id, user]))
  for (const item of assignments) {
    const data = taskAssignments.of(item) as TaskAssignment
    const task = tasks.get(data.task_id)?.['data'] as Task | undefined
    expect(task, `the task of ${item.pk} ${item.sk}`).toBeDefined()
    if (!task) continue
    const user = byId.get(data.user_id)
    if (user) expectSame(item, taskAssignmentItem(task, user, data), 'an assignment')
    else if (!due.has(data.user_id)) {
      const { list, by_created_at, by_updated_at, by_location_or_due, by_username_or_change, ...rest } =
        taskAssignmentItem(task, { id: data.user_id, last_name: '' }, data)
      expect(item).toEqual({ ...rest, found: place(undefined, data.user_id) })
    }
  }
  for (const { pk, owner } of items.filter((item) => item.pk.startsWith('TASK_EXTERNAL#'))) {
    const { author_id, external_id } = (tasks.get(String(owner))?.['data'] ?? {}) as Partial<Task>
    expect(pk, `whose external id ${pk} is`).toBe(`TASK_EXTERNAL#${author_id}#${external_id}`)
  }
  const stray = items.filter(
    ({ pk, sk }) => pk.startsWith('TASK#') && sk.startsWith('P#') && !tasks.has(pk.slice('TASK#'.length)),
  )
  expect(stray, 'progress of no task').toEqual([])
}
