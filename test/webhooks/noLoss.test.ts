import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { workPolicy } from '../../domain/table/dynamo.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import { openStore } from '../../domain/table/openStore.ts'
import type { Store } from '../../domain/table/store.ts'
import { deliver } from '../../domain/webhooks/deliver.ts'
import { dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import { testClient } from '../harness/client.ts'
import { Died, strike } from '../harness/faults.ts'
import { SEED } from '../harness/runs.ts'
import { newTable } from '../harness/table.ts'
import { enableWebhook, keyService, writeWebhook } from '../harness/webhooks.ts'
import { writeBadges } from './badges.ts'
import { startReceiver, thisMachine } from './receiver.ts'

/** How many histories are tried: `HISTORIES=20` for more. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 1)
/** Before the first webhook exists, and after that. */
const [STEPS_BEFORE, STEPS] = [15, 120]

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function chancesOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** An instance of a function. Once it is killed, it sends nothing more; what it has sent may arrive. */
type Process = { client: DynamoDBDocumentClient; clock: () => Date; store: OpenStore; kill: () => void }

/**
 * Writers, workers and receivers with one true time, of which each process has a clock that is up to a second wrong.
 *
 * It begins with a deployment: some writers are of the version before, which knows no outbox. As docs/decisions/webhooks.md asks
 * for, the first webhook is created when all of them are gone. Later, writers and workers are replaced by new ones in the middle
 * of what they do, as other deployments do it: the new ones remember nothing.
 */
async function history(seed: number) {
  const chance = chancesOf(seed)
  const pick = <T>(some: readonly T[]): T => some[Math.floor(chance() * some.length)] as T
  let time = Date.parse('2026-11-21T09:00:00.000Z')
  let isOver = false
  const clients: DynamoDBDocumentClient[] = []
  const newClient = () => {
    const client = testClient()
    clients.push(client)
    return client
  }
  const spectator = newClient()
  const name = await newTable(spectator, 'none')

  // What is held up on its way, and until when.
  const held: { until: number; release: () => void }[] = []
  const holdUp = (ms: number): Promise<void> =>
    isOver ? Promise.resolve() : new Promise((release) => held.push({ until: time + ms, release }))
  /** Attempts whose answer is not held up. Time waits for them: an attempt takes no longer than 15 seconds. */
  let onTheirWay = 0
  const pass = async (ms: number): Promise<void> => {
    const end = time + ms
    for (;;) {
      while (onTheirWay > 0) await turn()
      const [next] = held.filter(({ until }) => until <= end).sort((a, b) => a.until - b.until)
      if (!next) break
      time = Math.max(time, next.until)
      held.splice(held.indexOf(next), 1)
      next.release()
      await turn()
    }
    time = end
  }

  /** `slow`: how often a request or its answer is up to 28 seconds on its way. */
  const newProcess = (slow: number, isWebhookEnabled?: () => Promise<boolean>): Process => {
    const wrong = Math.round(chance() * 2000) - 1000
    const clock = () => new Date(time + wrong)
    const client = newClient()
    let isKilled = false
    client.middlewareStack.add(
      (next) => async (args) => {
        const [isSlow, isAnswerSlow] = [chance() < slow, chance() < 0.5]
        if (isSlow && !isAnswerSlow) await holdUp(chance() * 28_000)
        if (isKilled) throw new Died()
        const answer = await next(args)
        if (isSlow && isAnswerSlow) await holdUp(chance() * 28_000)
        if (isKilled) throw new Died()
        return answer
      },
      { step: 'initialize', name: 'slow' },
    )
    const store = openStore({ client, name, newToken: randomUUID, clock, isWebhookEnabled, policy: workPolicy })
    const kill = () => {
      isKilled = true
    }
    return { client, clock, store, kill }
  }
  const admin = newProcess(0).store.causedBy(systemCause('model'))

  // The receivers: what arrived, and what was answered.
  const arrivals: { webhook: string; id: string; began: number; ended: number; isTaken: boolean }[] = []
  let order = 0
  const receiverOf = async (webhook: string) =>
    startReceiver(async ({ headers }) => {
      const began = order++
      const isTaken = chance() < 0.9
      if (chance() < 0.2) {
        onTheirWay--
        await holdUp(chance() * 14_000)
        onTheirWay++
      } else await turn()
      arrivals.push({ webhook, id: String(headers['webhook-id']), began, ended: order++, isTaken })
      onTheirWay--
      return { status: isTaken ? 200 : 500 }
    })
  const reach = {
    ...thisMachine,
    // The last that is asked before a message is sent.
    isAllowed: (address: string) => {
      onTheirWay++
      return thisMachine.isAllowed(address)
    },
  }
  /** Since when each webhook has been enabled. */
  const since = new Map<string, number>()
  const create = async (id: string) => {
    const { url } = await receiverOf(id)
    await writeWebhook(admin, id, url, new Date(time).toISOString())
    since.set(id, time)
  }
  const toggle = async (id: string) => {
    const isEnabled = since.has(id)
    await enableWebhook(admin, id, !isEnabled)
    if (isEnabled) since.delete(id)
    else since.set(id, time)
  }

  const work = new Set<Promise<unknown>>()
  const track = (some: Promise<unknown>) => {
    const tracked = some.finally(() => work.delete(tracked))
    work.add(tracked)
  }

  const newWriter = () => newProcess(0.07)
  const newOldWriter = () => newProcess(0.07, async () => false)
  const writers = [newOldWriter(), newOldWriter(), newWriter()]
  const replaceWriter = (nth: number): void => {
    writers[nth]?.kill()
    writers[nth] = newWriter()
  }
  const began = new Map<string, number>()
  let writes = 0
  const write = async (store: Store, ids: readonly string[]): Promise<void> => {
    const title = `write ${++writes}`
    try {
      await writeBadges(store, ids, title, () => began.set(title, time))
    } catch (error) {
      if (!(error instanceof StaleRead || error instanceof Died)) throw error
    }
  }
  const change = () =>
    track(
      write(
        pick(writers).store.causedBy(systemCause('model')),
        chance() < 0.3 ? ['a', 'b'] : [pick(['a', 'b', 'c', 'd'])],
      ),
    )

  // Workers: two at a time at most, one in three dies after some request; some requests are throttled, refused, or take long.
  const working = new Set<Process>()
  const run = async (process: Process, timeLeft: number): Promise<void> => {
    const { store, clock } = process
    working.add(process)
    try {
      await deliver({ store, clock, timeLeft: () => timeLeft, newId: randomUUID, keyService, reach, log: () => {} })
    } catch (error) {
      if (!(error instanceof Died || (error as Error).name === 'ValidationException')) throw error
    } finally {
      working.delete(process)
    }
  }
  const startWorker = () => {
    const process = newProcess(0.01)
    const last = chance() < 0.35 ? 1 + Math.floor(chance() * 60) : Number.POSITIVE_INFINITY
    strike(process.client, (call) => {
      if (call === last) return 'death'
      const fault = chance()
      return fault < 0.02 ? 'throttle' : fault < 0.025 ? 'refused' : undefined
    })
    track(run(process, chance() < 0.1 ? 19_000 : 60_000))
  }

  const stepBefore = async () => (chance() < 0.6 ? change() : pass(chance() * 3000))
  for (let step = 0; step < STEPS_BEFORE; step++) await stepBefore()
  // The deployment ends when all calls of the version before have ended.
  for (const nth of writers.keys()) replaceWriter(nth)
  while (work.size > 0) await Promise.all([pass(1000), turn()])
  for (let step = 0; step < STEPS_BEFORE; step++) await stepBefore()

  await create('first')
  for (let step = 0; step < STEPS; step++) {
    const what = chance()
    if (what < 0.42) change()
    // Of three records of the stream two are lost.
    else if (what < 0.57 && working.size < 2) startWorker()
    else if (what < 0.87) await pass(chance() * (chance() < 0.2 ? 20_000 : 3000))
    else if (what < 0.9) replaceWriter(Math.floor(chance() * writers.length))
    else if (what < 0.91) for (const process of working) process.kill()
    else if (what < 0.93 && step > STEPS / 4) await toggle('second')
    else await Promise.race([...work, turn()])
    if (step === Math.floor(STEPS / 4)) await create('second')
    await turn()
  }

  // No more faults: what is left is delivered.
  isOver = true
  for (const { release } of held.splice(0)) release()
  await Promise.all(work)
  for (let nth = 0; nth < 15; nth++) {
    await pass(3_600_000)
    await run(newProcess(0), 60_000)
  }
  const items = await dump({ client: spectator, tableName: name })
  for (const client of clients) client.destroy()
  return { items, arrivals, began, since }
}

const eventsIn = (items: readonly Any[]) =>
  items
    .filter(({ pk }) => pk.startsWith('EVENTS#role'))
    .map(({ pk, sk, previous, changes }) => ({
      id: sk.slice(sk.indexOf('\u0001') + 1),
      previous: previous?.slice(previous.indexOf('\u0001') + 1),
      record: pk,
      title: JSON.parse(changes).find(([field]: string[]) => field === 'title')[2],
    }))

it.each(Array.from({ length: HISTORIES }, (_, n) => SEED + n))(
  'no event is left out, and none comes before the one before it: history %i',
  async (seed) => {
    const { items, arrivals, began, since } = await history(seed)
    const events = eventsIn(items)
    for (const [webhook, enabled] of since) {
      const own = arrivals.filter((arrival) => arrival.webhook === webhook)
      const taken = new Set(own.filter(({ isTaken }) => isTaken).map(({ id }) => id))
      const promised = events.filter(({ title }) => (began.get(title) ?? 0) >= enabled + 5000)
      if (webhook === 'first') expect(promised.length).toBeGreaterThan(5)
      expect(promised.filter(({ id }) => !taken.has(id))).toEqual([])
      const firstOf = (id: string | undefined) =>
        own.filter((arrival) => arrival.id === id).sort((a, b) => a.began - b.began)[0]
      for (const { id, previous } of promised) {
        const [before, after] = [firstOf(previous), firstOf(id)]
        if (before && after) expect(after.began, 'the attempt before has ended').toBeGreaterThan(before.ended)
      }
    }
    expect(items.filter(({ pk }) => pk.startsWith('OUTBOX')).map(({ sk }) => sk)).toEqual([])
  },
)
