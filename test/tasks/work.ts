import { expect } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { attachmentItems, type Channel, channels } from '../../domain/people/records/channel.ts'
import { channelAssignments } from '../../domain/people/records/channelAssignment.ts'
import { type UserRecord, users as userRecords } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { ofTask, taskAssignmentKey, userKey } from '../../domain/table/keys.ts'
import type { Key, WorkStore } from '../../domain/table/store.ts'
import { type Task, taskItem } from '../../domain/tasks/task.ts'
import { countsOf, type ProgressStatus, taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'
import { collecting } from '../../local/verify/findings.ts'
import { copyOf } from '../../local/verify/tableCopy.ts'
import { auditTasks } from '../../local/verify/tasks.ts'
import { call } from '../harness/call.ts'
import { channelRecord, ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'

const created_at = '2026-10-01T00:00:00.000Z'

export const newUser = async (id: string, parts: object = {}): Promise<string> => {
  const body = { id, first_name: 'Fi', last_name: id, username: id, ...parts }
  expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
  return id
}

export const task = (id: string, parts: Partial<Task> = {}): Task => ({
  id,
  external_id: null,
  title: `Task ${id}`,
  body: { plain: 'Do it', html: '<p>Do it</p>' },
  author_id: 'author',
  due_at: null,
  settings: null,
  created_at,
  updated_at: created_at,
  ...parts,
})

/** A task with recipients, written as an import writes it. */
export async function newTask(
  store: WorkStore,
  parts: Partial<Task> & { id: string },
  recipients: Record<string, ProgressStatus>,
): Promise<string> {
  const whole = task(parts.id, parts)
  const items = await Promise.all(
    Object.entries(recipients).map(async ([id, progress_status]) => {
      const user = userRecords.of(await store.get(userKey(id))) as UserRecord
      return taskAssignmentItem(whole, user, { progress_status, created_at, updated_at: created_at })
    }),
  )
  const counts = countsOf(Object.values(recipients))
  await store.bulk([taskItem(whole, counts), ...items].map((put) => ({ put })))
  return parts.id
}

/** A channel that `owner` owns, with user groups whose members are its members. */
export async function newChannel(
  store: WorkStore,
  id: string,
  { owner, groups = [], status = 'ACTIVE' }: { owner?: string; groups?: string[]; status?: Channel['status'] },
): Promise<string> {
  await store.bulk(
    [
      itemOf(channels, channelRecord(id, { status })),
      ...groups.flatMap((group_id) => attachmentItems(id, { group_id, role_id: 'channel-member' })),
    ].map((put) => ({ put })),
  )
  if (owner && status === 'ACTIVE') {
    const user = userRecords.of(await store.get(userKey(owner))) as UserRecord
    await store.write(
      channelAssignments.give({ channel_id: id, user_id: owner, role_id: 'channel-owner' }, user, 'MANUAL', {
        predefined: { CHANNEL_OWNER: 'channel-owner' },
        shard: 0,
      }),
    )
  }
  return id
}

/** What the schedule does a few minutes later. */
export async function later(service: Service): Promise<void> {
  const clock = () => new Date(service.now().getTime() + 180_000)
  await finishOverdue({ store: service.store, clock, timeLeft: () => 60_000, log: () => {} })
}

/** Audits all that is stored of one task, which these users may have; answers who has it. */
export async function auditTask({ store }: Service, id: string, users: readonly string[]): Promise<string[]> {
  const itemsAt = async (keys: Key[]) => (await Promise.all(keys.map(store.get))).filter((item) => item !== undefined)
  const [{ items: own }, assignments] = await Promise.all([
    store.query(ofTask(id)),
    itemsAt(users.map((user) => taskAssignmentKey(user, id))),
  ])
  const holders = assignments.map(({ pk }) => pk.slice('USER#'.length))
  const { findings, expect: check } = collecting()
  auditTasks(copyOf([...own, ...assignments, ...(await itemsAt(holders.map(userKey)))]), new Set(), check)
  expect(findings).toEqual([])
  return holders
}

export const idOf = (taskId: string, user: string): string => `${taskId}~${user}`
export type { UserRecord }

export const finish = (taskId: string, as: string) =>
  call('finishTaskAssignment', { path: { assignment_id: idOf(taskId, as) }, as })
export const open = (taskId: string, as: string) =>
  call('openTaskAssignment', { path: { assignment_id: idOf(taskId, as) }, as })
export const read = (task_id: string, as: string) => call('getTask', { path: { task_id }, as })
export const removeOne = (taskId: string, user: string, as = 'author') =>
  call('deleteTaskAssignment', { path: { assignment_id: idOf(taskId, user) }, as })
export const removeMany = (task_id: string, users: string[], as = 'author') =>
  call('deleteTaskAssignments', {
    path: { task_id },
    body: { assignment_ids: users.map((user) => idOf(task_id, user)) },
    as,
  })
export const add = (task_id: string, id: string, type = 'USER', as = 'author') =>
  call('addTaskRecipient', { path: { task_id }, body: { recipient: { id, type } }, as })
export const addMany = (task_id: string, user_ids: unknown[], as = 'author') =>
  call('addTaskAssignments', { path: { task_id }, body: { user_ids }, as })

/** The summary as the author reads it: total, NEW, OPEN, FINISHED. */
export const summary = async (task_id: string, as = 'author'): Promise<number[]> =>
  numbers((await read(task_id, as)).body.assignment_summary)
// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
export const numbers = (one: any): number[] => [one.total, ...one.items.map(({ count }: any) => count)]

/** Removes users past their deadline. */
export const purge = (service: Service) =>
  purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
