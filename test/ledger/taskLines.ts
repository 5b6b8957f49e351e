import { type UserRecord, users as userRecords } from '../../domain/people/records/user.ts'
import { userKey } from '../../domain/table/keys.ts'
import { workEntry } from '../../domain/table/work.ts'
import { type Task, taskItem } from '../../domain/tasks/task.ts'
import { countsOf, taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'

import { loadDirectory } from '../harness/manyUsers.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

const moment = '2026-01-01T00:00:00.000Z'
const task: Task = {
  id: 'drill',
  external_id: null,
  title: 'Fire drill',
  body: { plain: 'Confirm your assembly point' },
  author_id: 'admin',
  due_at: null,
  settings: null,
  created_at: moment,
  updated_at: moment,
}
const path = { task_id: 'drill' }
const ofPlain = { path: { assignment_id: 'drill~plain' }, as: 'plain' }
const id = (user: string): string => `drill~${user}`
const users = (from: number, count: number): string[] => Array.from({ length: count }, (_, n) => `u-${from + n}`)

const crowd = Array.from({ length: 100 }, (_, n) => `crowd-${n}`)
/** A hundred people who are active for sure. */
const newCrowd = ({ store }: Service) =>
  loadDirectory(
    store,
    { users: crowd.map((one) => ({ id: one, username: one, first_name: 'C', last_name: one })) },
    { now: moment },
  )

const created = (count: number) => ({
  id: `for-${count}`,
  external_id: `for-${count}`,
  title: 'Fire drill',
  recipients: crowd.slice(0, count).map((id) => ({ id, type: 'USER' })),
})

/** Tasks of an administrator, and as many that another user gave them. */
const undated = Array.from({ length: 1000 }, (_, n) => {
  const old = { ...task, id: `undated-${n}`, updated_at: '2025-01-01T00:00:00.000Z' }
  const given = { ...old, id: `given-${n}`, author_id: 'plain' }
  const progress = { progress_status: 'NEW', created_at: moment, updated_at: moment } as const
  const [counts, admin] = [
    { count: 1, open: 0, finished: 0 },
    { id: 'admin', last_name: 'Admin' },
  ]
  return [taskItem(old, counts), taskItem(given, counts), taskAssignmentItem(given, admin, progress)]
}).flat()

/** Work that no process has time for: recipients of tasks that no other line reads. */
const beingGiven = Array.from({ length: 20 }, (_, n) => {
  const work = { task: 'given', born: moment, users: users(0, 480), left: 480, at: moment }
  return workEntry('recipients', `given-${n}`, work, '2099-01-01T00:00:00.000Z')
})

/** A task that thirty people have. */
async function newTask({ store }: Service): Promise<void> {
  const recipients = await Promise.all(['plain', 'admin', ...users(60, 28)].map((one) => store.get(userKey(one))))
  const progress = { progress_status: 'NEW', created_at: moment, updated_at: moment } as const
  const items = recipients.flatMap((item) =>
    item ? [taskAssignmentItem(task, userRecords.of(item) as UserRecord, progress)] : [],
  )
  await store.bulk([taskItem(task, countsOf(items.map(() => 'NEW'))), ...items].map((put) => ({ put })))
}

/** What the endpoints of tasks cost. */
export const taskLines: readonly Line[] = [
  ...linesOf('getTask', [
    { scenario: 'new to its reader', before: newTask, request: { path, as: 'plain' }, costs: [3, 2, 4, 14] },
    { scenario: 'read before', request: { path, as: 'plain' }, costs: [2, 1, 4, 0] },
    { scenario: 'with its author', request: { path, query: 'embed=AUTHOR', as: 'plain' }, costs: [4, 2, 5.5, 0] },
  ]),
  ...linesOf('listTasks', [
    { scenario: 'first page', request: { as: 'plain' }, costs: [5, 3, 4.5, 0] },
    { scenario: 'of an author', costs: [5, 3, 4.5, 0] },
    { scenario: 'with their authors', request: { query: 'embed=AUTHOR', as: 'plain' }, costs: [7, 3, 6, 0] },
    {
      scenario: 'two of a thousand without a due date',
      before: ({ store }) => store.bulk(undated.map((put) => ({ put }))),
      request: { query: 'sort=DUE_AT_ASC&page_limit=2' },
      costs: [6, 3, 7, 0],
    },
    {
      scenario: 'two of a thousand changed at once',
      request: { query: 'sort=UPDATED_AT_ASC&page_limit=2' },
      costs: [6, 3, 7, 0],
    },
  ]),
  ...linesOf('getTaskSummary', [{ scenario: 'of thirty', request: { path }, costs: [2, 1, 3, 0] }]),
  ...linesOf('getOwnTaskSummary', [
    { scenario: 'given by others', request: { as: 'plain' }, costs: [4, 1, 4, 0] },
    {
      scenario: 'while others are given to thousands',
      before: ({ store }) => store.bulk(beingGiven.map((put) => ({ put }))),
      request: { as: 'plain' },
      costs: [4, 1, 4, 0],
    },
    { scenario: 'a thousand given ones, and own ones', costs: [5, 2, 18.5, 0] },
  ]),
  ...linesOf('createTask', [
    { scenario: 'for a user', before: newCrowd, request: { body: created(1) }, status: 201, costs: [2, 2, 3, 19] },
    // With an id of the caller's it would be one action too many.
    {
      scenario: 'for 48 users',
      request: { body: { ...created(48), id: undefined } },
      status: 201,
      costs: [2, 2, 50, 444],
    },
    {
      scenario: 'for 100 users',
      request: { body: created(100) },
      status: 201,
      // The first 30 with the task, the others by a second transaction; then a last look at those, and the end of their entry.
      waves: 7,
      costs: [9, 7, 245, 780],
    },
  ]),
  ...linesOf('updateTask', [
    { scenario: 'the title', request: { path, body: { title: 'Drill' } }, costs: [4, 2, 4.5, 128] },
    { scenario: 'nothing', request: { path, body: { title: 'Drill' } }, costs: [3, 1, 4.5, 0] },
  ]),
  ...linesOf('deleteTask', [
    // The second look finds nothing left but the task's counters, and removes them.
    { scenario: 'of one', request: { path: { task_id: 'for-1' } }, status: 204, waves: 4, costs: [5, 4, 4.5, 25] },
    {
      scenario: 'of a hundred',
      request: { path: { task_id: 'for-100' } },
      status: 204,
      waves: 8,
      costs: [9, 8, 12.5, 720],
    },
  ]),
  ...linesOf('finishTaskAssignment', [
    { scenario: 'open', request: ofPlain, costs: [2, 2, 4, 13] },
    { scenario: 'finished', request: ofPlain, costs: [1, 1, 4, 0] },
  ]),
  ...linesOf('openTaskAssignment', [{ scenario: 'finished', request: ofPlain, costs: [2, 2, 4, 13] }]),
  ...linesOf('listOwnTaskAssignments', [
    {
      scenario: 'all',
      request: { query: 'distribution_kind=RECEIVED,PERSONAL', as: 'plain' },
      costs: [4, 2, 4, 0],
    },
    {
      scenario: 'with their authors',
      request: { query: 'distribution_kind=RECEIVED,PERSONAL&embed=AUTHOR', as: 'plain' },
      costs: [6, 3, 5.5, 0],
    },
  ]),
  ...linesOf('listTaskAssignments', [
    { scenario: 'first page', request: { path }, costs: [4, 2, 17, 0] },
    { scenario: 'with their recipients', request: { path, query: 'embed=USER' }, costs: [6, 3, 30.5, 0] },
  ]),
  ...linesOf('addTaskRecipient', [
    {
      scenario: 'a user',
      request: { path, body: { recipient: { id: 'u-120', type: 'USER' } } },
      status: 201,
      costs: [3, 2, 5, 15],
    },
    {
      scenario: 'the same again',
      request: { path, body: { recipient: { id: 'u-120', type: 'USER' } } },
      costs: [2, 1, 5, 0],
    },
  ]),
  ...linesOf('deleteTaskAssignment', [
    { scenario: 'one', request: { path: { assignment_id: id('u-120') } }, status: 204, costs: [2, 2, 4, 13] },
  ]),
  ...linesOf('addTaskAssignments', [
    {
      scenario: 'three users',
      request: { path, body: { user_ids: ['u-120', 'u-121', 'u-122'] } },
      status: 201,
      costs: [3, 2, 9, 33],
    },
  ]),
  ...linesOf('deleteTaskAssignments', [
    {
      scenario: 'three of them',
      request: { path, body: { assignment_ids: ['u-120', 'u-121', 'u-122'].map(id) } },
      costs: [3, 2, 6, 27],
    },
  ]),
]
