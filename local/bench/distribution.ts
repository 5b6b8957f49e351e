import { randomUUID } from 'node:crypto'
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { slices } from '../../domain/base/flow.ts'
import { attachmentItems, channels } from '../../domain/people/records/channel.ts'
import { channelAssignments } from '../../domain/people/records/channelAssignment.ts'
import { groupItems } from '../../domain/people/records/group.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { type UserRecord, users as userRecords } from '../../domain/people/records/user.ts'
import { groupCountKey, recipientsOf, roleCount } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { groupRecord, userRecord } from '../../test/harness/seed.ts'
import { startWorker } from '../worker.ts'
import { atMost, exactly, info, type Row, type Say, shown } from './report.ts'
import { newTask } from './samples.ts'
import { timed } from './timing.ts'
import { caller, enter, newWorld, type World } from './world.ts'

const MEMBERS = Number(process.env['BENCH_RECIPIENTS'] ?? 10_000)
const MOST_SECONDS = 15
const LOOK_MS = 250
const channel_id = 'everybody'
const task_id = 'to-everybody'

type Distribution = { state: string; total: number; done: number }

/** P8: a task for a channel of 10,000, until all of them have it; the worker looks at the table as it does after `npm start`. */
export async function distribution(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newWorld(endpoint)
  const people = await fill(world, say)
  enter(world, world.client)
  environment.now = () => new Date()
  const worker = startWorker()
  try {
    return await distributed(world, await bareWrites(world, people), say)
  } finally {
    await worker.stop()
  }
}

async function distributed({ store }: World, bareMs: number, say: Say): Promise<Row[]> {
  const recipients = [{ id: channel_id, type: 'CHANNEL' }]
  const create = await caller('createTask', { body: { id: task_id, title: 'Fire drill', recipients } })
  const startedAt = performance.now()
  const answered = await timed(create)
  const read = await caller('getTask', { path: { task_id } })
  let wrong = 0
  for (let isRunning = true; isRunning; ) {
    await new Promise((tick) => setTimeout(tick, LOOK_MS))
    const { distribution, assignment_summary } = JSON.parse(String(await read()))
    const { state, total, done }: Distribution = distribution
    const isRight = total === MEMBERS && done === assignment_summary.total && (state === 'DONE') === (done === total)
    wrong += Number(!isRight)
    say(`${done} of ${MEMBERS} have it`)
    isRunning = state === 'RUNNING'
  }
  const seconds = (performance.now() - startedAt) / 1000
  let assignments = 0
  for (let after: Record<string, unknown> | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const { items, next } = await store.query({ ...recipientsOf(task_id), ...(after ? { after } : {}) })
    assignments += items.length
    after = next
  }
  const what = `a task for a channel of ${MEMBERS}`
  return [
    atMost(
      'P8',
      `${what}: all have it, after the call began`,
      seconds,
      MOST_SECONDS,
      ' s',
      `, ${shown((seconds * 1000) / bareMs)} times the bare writes`,
    ),
    info('P8', `${what}: the call's answer`, `${shown(answered)} ms`),
    atMost('P8', `${what}: looks at which task and summary were wrong`, wrong, 0),
    exactly('P8', `${what}: assignments then`, `${assignments}`, `${MEMBERS}`),
  ]
}

/** Milliseconds of the bare SDK for writing the same assignments, of another task: a lower bound. */
async function bareWrites({ client, tableName, now }: World, people: readonly UserRecord[]): Promise<number> {
  const task = newTask(randomUUID(), now)
  const some = people.slice(0, 1000)
  const progress = { progress_status: 'NEW', created_at: now, updated_at: now } as const
  const ms = await timed(async () => {
    for (const slice of slices(some, 25)) {
      const put = (Item: Item) => ({ PutRequest: { Item } })
      const requests = slice.map((user) => put(taskAssignmentItem(task, user, progress)))
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
    }
  })
  return (ms * people.length) / some.length
}

/** A channel that the administrator owns, and a group of all of its members. */
async function fill({ store, now }: World, say: Say): Promise<UserRecord[]> {
  const dates = { created_at: now, updated_at: now }
  const group = 'crowd'
  const channel = { id: channel_id, title: [], description: [], status: 'ACTIVE' as const, ...dates }
  const people = Array.from({ length: MEMBERS }, (_, n) => userRecord({ id: `u-${n}`, last_name: `Lind ${n}` }, now))
  await store.bulk(
    [
      channels.item({ ...channel, default_role_id: 'channel-member' }),
      ...groupItems(groupRecord(group)),
      ...attachmentItems(channel_id, { group_id: group, role_id: 'channel-member' }),
      { ...groupCountKey(group, 0), [roleCount('coach')]: MEMBERS },
      ...people.map(userRecords.item),
      ...people.map((user) => groupAssignmentItem(user, { group, role: 'coach', source: 'MANUAL' })),
    ].map((put) => ({ put })),
  )
  const admin = await userRecords.read(store, 'admin')
  if (admin)
    await store.write(
      channelAssignments.give({ channel_id, user_id: admin.id, role_id: 'channel-owner' }, admin, 'MANUAL', {
        predefined: { CHANNEL_OWNER: 'channel-owner' },
        shard: 0,
      }),
    )
  say(`${MEMBERS} members are there`)
  return people
}
