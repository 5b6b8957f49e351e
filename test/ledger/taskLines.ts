import { userKey } from '../../domain/store/keys.ts'
import { countsOf, type Task, taskAssignmentItem, taskItem } from '../../domain/tasks/task.ts'
import { userOf } from '../../domain/users/userRecord.ts'
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
  created_at: moment,
  updated_at: moment,
}
const path = { task_id: 'drill' }
const ofPlain = { path: { assignment_id: 'drill~plain' }, as: 'plain' }
const id = (user: string): string => `drill~${user}`
const users = (from: number, count: number): string[] => Array.from({ length: count }, (_, n) => `u-${from + n}`)

/** A task that thirty people have. */
async function newTask({ store }: Service): Promise<void> {
  const recipients = await Promise.all(['plain', 'admin', ...users(60, 28)].map((one) => store.get(userKey(one))))
  const progress = { progress_status: 'NEW', created_at: moment, updated_at: moment } as const
  const items = recipients.flatMap((item) => (item ? [taskAssignmentItem(task, userOf(item), progress)] : []))
  await store.bulk([taskItem(task, countsOf(items.map(() => 'NEW'))), ...items].map((put) => ({ put })))
}

/** What the endpoints of tasks cost. */
export const taskLines: readonly Line[] = [
  ...linesOf('getTask', [
    { scenario: 'new to its reader', before: newTask, request: { path, as: 'plain' }, costs: [3, 2, 4, 9] },
    { scenario: 'read before', request: { path, as: 'plain' }, costs: [2, 1, 4, 0] },
  ]),
  ...linesOf('finishTaskAssignment', [
    { scenario: 'open', request: ofPlain, costs: [2, 2, 4, 8] },
    { scenario: 'finished', request: ofPlain, costs: [1, 1, 4, 0] },
  ]),
  ...linesOf('openTaskAssignment', [{ scenario: 'finished', request: ofPlain, costs: [2, 2, 4, 8] }]),
  ...linesOf('listOwnTaskAssignments', [
    {
      scenario: 'all',
      request: { query: 'distribution_kind=RECEIVED,PERSONAL', as: 'plain' },
      costs: [4, 2, 4, 0],
    },
  ]),
  ...linesOf('listTaskAssignments', [
    { scenario: 'first page', request: { path }, costs: [3, 2, 16.5, 0] },
    { scenario: 'with their recipients', request: { path, query: 'embed=USER' }, costs: [4, 3, 29, 0] },
  ]),
  ...linesOf('addTaskRecipient', [
    {
      scenario: 'a user',
      request: { path, body: { recipient: { id: 'u-120', type: 'USER' } } },
      status: 201,
      costs: [3, 2, 5, 10],
    },
    {
      scenario: 'the same again',
      request: { path, body: { recipient: { id: 'u-120', type: 'USER' } } },
      costs: [2, 1, 5, 0],
    },
  ]),
  ...linesOf('deleteTaskAssignment', [
    { scenario: 'one', request: { path: { assignment_id: id('u-120') } }, status: 204, costs: [2, 2, 4, 8] },
  ]),
  ...linesOf('addTaskAssignments', [
    {
      scenario: 'three users',
      request: { path, body: { user_ids: ['u-120', 'u-121', 'u-122'] } },
      status: 201,
      costs: [3, 2, 9, 26],
    },
  ]),
  ...linesOf('deleteTaskAssignments', [
    {
      scenario: 'three of them',
      request: { path, body: { assignment_ids: ['u-120', 'u-121', 'u-122'].map(id) } },
      costs: [3, 2, 6, 20],
    },
  ]),
]
