import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { users as userRecords } from '../../domain/people/records/user.ts'
import type { documentClient } from '../../domain/table/dynamo.ts'
import { PROGRESS_SHARDS } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { taskItem } from '../../domain/tasks/task.ts'
import { assignmentId, countsOf, taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'

import { userRecord } from '../../test/harness/seed.ts'
import { atLeast, atMost, exactly, info, type Row, type Say, shown } from './report.ts'
import { newTask } from './samples.ts'
import { caller, clientFor, enter, newWorld, type World } from './world.ts'

const CROWDS = [1_000, 10_000]
const CALLS_AT_ONCE = 32
const SECONDS = 60
/** By chance some shards are busier than others. An item that all calls write would be at 64 times the mean. */
const MOST_OVER_MEAN = 2

/** STORM: many recipients finish one task: how many in a second, and how often the busiest item is written. */
export async function storms(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newWorld(endpoint)
  const rows: Row[] = []
  for (const people of CROWDS) rows.push(...(await storm(world, people, say)))
  return rows
}

async function storm(world: World, people: number, say: Say): Promise<Row[]> {
  const task = await handedOut(world, people)
  const client = clientFor(world.endpoint)
  const writes = countWrites(client)
  enter(world, client)
  const waiting = Array.from({ length: people }, (_, n) => n)
  const calls = await Promise.all(waiting.map((n) => finishing(task, `${task}-${n}`)))
  const startedAt = performance.now()
  let done = 0
  const work = async (): Promise<void> => {
    for (let finish = calls.pop(); finish; finish = calls.pop()) {
      await finish()
      if (++done % 100 === 0) say(`${done} of ${people} have finished`)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  const seconds = (performance.now() - startedAt) / 1000
  const read = await caller('getTask', { path: { task_id: task } })
  const { assignment_summary } = JSON.parse(String(await read()))
  const counted = assignment_summary.items.map(({ count }: { count: number }) => count).join(', ')
  const busiest = Math.max(...writes.values())
  const mean = people / PROGRESS_SHARDS
  return [
    atLeast('STORM', `${people} recipients finish: per second`, people / seconds, people / SECONDS, '/s'),
    atMost('STORM', `${people} recipients finish: writes on one item`, busiest, Math.ceil(mean * MOST_OVER_MEAN)),
    exactly('STORM', `${people} recipients finish: new, open, finished then`, counted, `0, 0, ${people}`),
    info('STORM', `${people} recipients finish: seconds in all`, `${shown(seconds)} s`),
  ]
}

const finishing = (task: string, user: string) =>
  caller('finishTaskAssignment', { path: { assignment_id: assignmentId({ task_id: task, user_id: user }) }, as: user })

/** A task with that many recipients, all NEW. */
async function handedOut({ store, now }: World, people: number): Promise<string> {
  const id = `storm-${people}`
  const task = newTask(id, now)
  const puts: Item[] = [taskItem(task, countsOf(Array.from({ length: people }, () => 'NEW')))]
  for (let n = 0; n < people; n++) {
    const user = userRecord({ id: `${id}-${n}`, last_name: `Lind ${n}` }, now)
    puts.push(
      userRecords.item(user),
      taskAssignmentItem(task, user, { progress_status: 'NEW', created_at: now, updated_at: now }),
    )
  }
  await store.bulk(puts.map((put) => ({ put })))
  return id
}

/** Counts how often each item is written through a client. */
function countWrites(client: ReturnType<typeof documentClient>): Map<string, number> {
  const writes = new Map<string, number>()
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName === 'TransactWriteItemsCommand') {
        const { TransactItems = [] } = args.input as TransactWriteCommand['input']
        for (const { Put, Update, Delete, ConditionCheck } of TransactItems) {
          const { pk, sk } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {}
          writes.set(`${pk}\n${sk}`, (writes.get(`${pk}\n${sk}`) ?? 0) + 1)
        }
      }
      return next(args)
    },
    { step: 'initialize', name: 'countWrites' },
  )
  return writes
}
