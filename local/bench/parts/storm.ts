import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { users as userRecords } from '../../../domain/people/records/user.ts'
import { itemOf } from '../../../domain/table/changes.ts'
import type { documentClient } from '../../../domain/table/documentClient.ts'
import { PROGRESS_SHARDS } from '../../../domain/table/keys.ts'
import type { Item } from '../../../domain/table/store.ts'
import { taskItem } from '../../../domain/tasks/task.ts'
import { assignmentId, countsOf, taskAssignmentItem } from '../../../domain/tasks/taskAssignment.ts'
import { userRecord } from '../../../test/harness/seed.ts'
import type { Bench } from '../figures.ts'
import { newTask } from '../sampleRecords.ts'
import { timed } from '../timing.ts'
import { answerOf, caller, clientFor, enter, newWorld, type World } from '../world.ts'

const RECIPIENTS = Number(process.env['BENCH_RECIPIENTS'] ?? 10_000)
const CROWDS = [RECIPIENTS / 10, RECIPIENTS]
const CALLS_AT_ONCE = 32
const SECONDS = 60
/** By chance some shards are busier than others. An item that all calls write would be at 64 times the mean. */
const MOST_OVER_MEAN = 2

/** STORM: many recipients finish one task: how many in a second, and how often the busiest item is written. */
export async function storms(bench: Bench): Promise<void> {
  const world = await newWorld(bench.endpoint)
  for (const people of CROWDS) await storm(bench, world, people)
}

async function storm({ say, atLeast, atMost, exactly, info }: Bench, world: World, people: number): Promise<void> {
  const task = await handedOut(world, people)
  const client = clientFor(world.endpoint)
  const writes = countWrites(client)
  enter(world, { client })
  const calls = await Promise.all(Array.from({ length: people }, (_, n) => finishing(task, `${task}-${n}`)))
  let done = 0
  const work = async (): Promise<void> => {
    for (let finish = calls.pop(); finish; finish = calls.pop()) {
      await finish()
      if (++done % 100 === 0) say(`${done} of ${people} have finished`)
    }
  }
  const seconds = (await timed(() => Promise.all(Array.from({ length: CALLS_AT_ONCE }, work)))) / 1000
  const { assignment_summary } = await answerOf('getTask', { path: { task_id: task } })
  const counted = assignment_summary.items.map(({ count }: { count: number }) => count).join(', ')
  const busiest = Math.max(...writes.values())
  const mean = people / PROGRESS_SHARDS
  const what = `${people} recipients finish`
  atLeast(`${what}: per second`, people / seconds, people / SECONDS, '/s')
  atMost(`${what}: writes on one item`, busiest, Math.ceil(mean * MOST_OVER_MEAN))
  exactly(`${what}: new, open, finished then`, counted, `0, 0, ${people}`)
  info(`${what}: in all`, [seconds], ' s')
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
      itemOf(userRecords, user),
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
