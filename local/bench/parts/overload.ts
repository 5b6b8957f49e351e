import { setTimeout as wait } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { users } from '../../../domain/people/records/user.ts'
import { itemOf } from '../../../domain/table/changes.ts'
import { userRecord } from '../../../test/harness/seed.ts'
import type { Bench } from '../figures.ts'
import { caller, clientFor, enter, newWorld, type World } from '../world.ts'

const CLIENTS = 200
/** Milliseconds between two calls of a client, on average: without them this one process, not the table, would set the pace. */
const PAUSE_MS = 10_000
/** Seconds of each phase. What happens in the seconds to recover is not compared. */
const CALM = 20
const STORM = 30
const TO_RECOVER = 5
/** Some 400 calls in each calm phase: their number differs by chance. */
const FULL_SPEED = 0.95
/** How long DynamoDB takes to refuse a request, in milliseconds. */
const REFUSAL_MS = 5

type Call = { begun: number; ended: number; failed: boolean }

/** OVERLOAD: a table that throttles every request for half a minute: how long calls are held meanwhile, and what comes after. */
export async function overload({ endpoint, say, atLeast, atMost, info }: Bench): Promise<void> {
  const world = await newWorld(endpoint)
  const client = clientFor(endpoint)
  const table = throttling(client)
  enter(world, { client })
  const clients = await Promise.all((await people(world)).map(renaming))
  const calls: Call[] = []
  const start = performance.now()
  const second = () => (performance.now() - start) / 1000
  const stormEnds = CALM + STORM
  const end = stormEnds + TO_RECOVER + CALM
  const work = Promise.all(clients.map((call) => callUntil(end, call, { second, calls })))
  await wait(CALM * 1000)
  say('The table throttles')
  table.isBusy = true
  await wait((stormEnds - second()) * 1000)
  table.isBusy = false
  say('The table serves again')
  await work
  const failed = calls.filter((call) => call.failed)
  const held = failed.map(({ begun, ended }) => ended - begun).sort((a, b) => a - b)
  const perSecond = (from: number) =>
    calls.filter(({ ended, failed }) => !failed && ended >= from && ended < from + CALM).length / CALM
  const [before, after] = [perSecond(0), perSecond(stormEnds + TO_RECOVER)]
  const late = failed.filter(({ begun }) => begun > stormEnds)
  atLeast('calls that fail while the table throttles', failed.length, CLIENTS)
  atMost('p99 of the time that a failing call is held', held[Math.floor(held.length * 0.99)] ?? 0, 4, ' s')
  info('requests to the table for each of them', [table.refused / failed.length])
  atMost('calls that begin after it and fail', late.length, 0)
  atLeast(`speed from ${TO_RECOVER} s after it on, to that before`, after / before, FULL_SPEED)
  info('calls a second before and after', [before, after])
}

/** One client: a call, a pause, and again. */
async function callUntil(
  end: number,
  call: () => Promise<unknown>,
  { second, calls }: { second: () => number; calls: Call[] },
): Promise<void> {
  // Clients do not begin at the same moment.
  await wait(Math.random() * PAUSE_MS)
  while (second() < end) {
    const begun = second()
    const failed = await call().then(
      () => false,
      () => true,
    )
    calls.push({ begun, ended: second(), failed })
    // Pauses of one length would keep clients in step that were released together.
    await wait(PAUSE_MS * (0.5 + Math.random()))
  }
}

/** Changes a user's name, each time to another one. */
async function renaming(id: string): Promise<() => Promise<unknown>> {
  const calls = await Promise.all(
    ['Ida', 'Ada'].map((first_name) => caller('updateUser', { path: { user_id: id }, body: { first_name } })),
  )
  let nth = 0
  return async () => calls[nth++ % calls.length]?.()
}

async function people({ store, now }: World): Promise<string[]> {
  const ids = Array.from({ length: CLIENTS }, (_, n) => `overload-${n}`)
  await store.bulk(ids.map((id) => ({ put: itemOf(users, userRecord({ id, username: id }, now)) })))
  return ids
}

/** Lets a client meet a table that refuses every request while it is busy. */
function throttling(client: DynamoDBDocumentClient): { isBusy: boolean; refused: number } {
  const table = { isBusy: false, refused: 0 }
  client.middlewareStack.add(
    (next) => async (args) => {
      if (!table.isBusy) return next(args)
      table.refused++
      await wait(REFUSAL_MS)
      throw Object.assign(new Error('slow down'), { name: 'ProvisionedThroughputExceededException' })
    },
    { step: 'finalizeRequest', name: 'throttling' },
  )
  return table
}
