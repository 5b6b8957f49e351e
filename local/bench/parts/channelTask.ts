import { randomUUID } from 'node:crypto'
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { chunksOf } from '../../../domain/base/parallel.ts'
import { channelAssignments } from '../../../domain/people/records/channelAssignment.ts'
import { type UserRecord, users as userRecords } from '../../../domain/people/records/user.ts'
import { itemOf } from '../../../domain/table/changes.ts'
import { recipientsOf } from '../../../domain/table/keys.ts'
import { all } from '../../../domain/table/reader.ts'
import type { Item } from '../../../domain/table/store.ts'
import { taskAssignmentItem } from '../../../domain/tasks/taskAssignment.ts'
import { userRecord } from '../../../test/harness/seed.ts'
import { startWorker } from '../../start/workerLoop.ts'
import { type Bench, shown } from '../figures.ts'
import { channelOf, groupOf } from '../fill.ts'
import { newTask } from '../sampleRecords.ts'
import { timed, until } from '../timing.ts'
import { answerOf, caller, enter, newWorld, type World } from '../world.ts'

const MEMBERS = Number(process.env['BENCH_RECIPIENTS'] ?? 10_000)
const MOST_SECONDS = 15
const channel_id = 'everybody'
const task_id = 'to-everybody'

type Distribution = { state: string; total: number; done: number }

/** P8: a task for a channel of 10,000, until all of them have it; the worker looks at the table as it does after `npm start`. */
export async function channelTask({ endpoint, say, atMost, exactly, info }: Bench): Promise<void> {
  const world = await newWorld(endpoint)
  const people = await fill(world)
  say(`${MEMBERS} members are there`)
  enter(world)
  const worker = startWorker()
  try {
    const bareMs = await bareWrites(world, people)
    const recipients = [{ id: channel_id, type: 'CHANNEL' }]
    const create = await caller('createTask', { body: { id: task_id, title: 'Fire drill', recipients } })
    const answered = await timed(create)
    let wrong = 0
    const seconds = await until(async () => {
      const { distribution, assignment_summary } = await answerOf('getTask', { path: { task_id } })
      const { state, total, done }: Distribution = distribution
      const isRight = total === MEMBERS && done === assignment_summary.total && (state === 'DONE') === (done === total)
      wrong += Number(!isRight)
      say(`${done} of ${MEMBERS} have it`)
      return state !== 'RUNNING'
    })
    const whole = answered / 1000 + seconds
    const assignments = await all(world.store, recipientsOf(task_id))
    const what = `a task for a channel of ${MEMBERS}`
    const also = `, ${shown((whole * 1000) / bareMs)} times the bare writes`
    atMost(`${what}: all have it, after the call began`, whole, MOST_SECONDS, ' s', also)
    info(`${what}: the call's answer`, [answered], ' ms')
    atMost(`${what}: looks at which task and summary were wrong`, wrong, 0)
    exactly(`${what}: assignments then`, `${assignments.length}`, `${MEMBERS}`)
  } finally {
    await worker.stop()
  }
}

/** Milliseconds of the bare SDK for writing the same assignments, of another task: a lower bound. */
async function bareWrites({ client, tableName, now }: World, people: readonly UserRecord[]): Promise<number> {
  const task = newTask(randomUUID(), now)
  const some = people.slice(0, 1000)
  const progress = { progress_status: 'NEW', created_at: now, updated_at: now } as const
  const ms = await timed(async () => {
    for (const chunk of chunksOf(some, 25)) {
      const put = (Item: Item) => ({ PutRequest: { Item } })
      const requests = chunk.map((user) => put(taskAssignmentItem(task, user, progress)))
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
    }
  })
  return (ms * people.length) / some.length
}

/** A channel that the administrator owns, and a group of all of its members. */
async function fill(world: World): Promise<UserRecord[]> {
  const { store, now } = world
  const people = Array.from({ length: MEMBERS }, (_, n) => userRecord({ id: `u-${n}`, last_name: `Lind ${n}` }, now))
  const items = [
    ...people.map((one) => itemOf(userRecords, one)),
    ...groupOf('crowd', people),
    ...channelOf(channel_id, ['crowd'], world),
  ]
  await store.bulk(items.map((put) => ({ put })))
  const admin = await userRecords.read(store, 'admin')
  if (admin)
    await store.write(
      channelAssignments.give({ channel_id, user_id: admin.id, role_id: 'channel-owner' }, admin, 'MANUAL', {
        predefined: { CHANNEL_OWNER: 'channel-owner' },
        shard: 0,
      }),
    )
  return people
}
