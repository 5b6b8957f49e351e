import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { documentClient, dynamoStore, forWork } from '../../domain/table/dynamo.ts'
import { roleKey } from '../../domain/table/keys.ts'
import { rememberListeners } from '../../domain/table/outbox.ts'
import { defineRecord } from '../../domain/table/records.ts'
import { type OpenStore, type Store, systemCause } from '../../domain/table/store.ts'
import { deliver } from '../../domain/webhooks/deliver.ts'
import { keyServiceOf, LOCAL_KEY } from '../../domain/webhooks/keyService.ts'
import { reachOf } from '../../domain/webhooks/send.ts'
import { newSecret } from '../../domain/webhooks/signature.ts'
import { countWebhook, type Webhook, webhooks } from '../../domain/webhooks/webhook.ts'
import { dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'
import { Died, strike } from '../harness/faults.ts'
import { SEED } from '../harness/runs.ts'
import { newTable } from '../harness/table.ts'
import { startReceiver } from './receiver.ts'

/** How many histories are tried: `HISTORIES=20` for more. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 1)
const STEPS = 120
const keyService = keyServiceOf({ WEBHOOK_KEY: LOCAL_KEY })

/** A record that counts its changes; the number of the write is in it, and so in its event. */
type Badge = { id: string; title: string; version: number }
const badges = defineRecord<Badge>({
  key: roleKey,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'role' },
})

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

/** Writers, workers and a receiver with one true time, of which each process has a clock that is up to a second wrong. */
async function history(seed: number) {
  const chance = chancesOf(seed)
  const pick = <T>(some: readonly T[]): T => some[Math.floor(chance() * some.length)] as T
  let time = Date.parse('2026-11-21T09:00:00.000Z')
  const clients: DynamoDBDocumentClient[] = []
  const newClient = () => {
    const client = documentClient({ DYNAMODB_ENDPOINT: dynamoDBEndpoint() }, {})
    clients.push(client)
    return client
  }
  const spectator = newClient()
  const name = await newTable(spectator, 'none')
  const newClock = () => {
    const wrong = Math.round(chance() * 2000) - 1000
    return () => new Date(time + wrong)
  }
  const newProcess = (client = newClient()) => {
    const clock = newClock()
    const isHeard = rememberListeners(() => ({ now: clock(), table: name }))
    const store = dynamoStore({ client, name, newToken: randomUUID, now: clock, isHeard, policy: forWork })
    return { client, clock, store, written: store.by(systemCause('model')) }
  }

  // The receivers: what arrived, and what was answered.
  let underWay = 0
  const arrivals: { webhook: string; id: string; began: number; ended: number; isTaken: boolean }[] = []
  let order = 0
  const receiverOf = async (webhook: string) =>
    startReceiver(async ({ headers }) => {
      const arrival = { webhook, id: String(headers['webhook-id']), began: order++, ended: Number.POSITIVE_INFINITY }
      underWay++
      const isTaken = chance() < 0.9
      await turn()
      arrivals.push({ ...arrival, ended: order++, isTaken })
      underWay--
      return { status: isTaken ? 200 : 500 }
    })
  const since = new Map<string, number>()
  const create = async (store: Store, id: string) => {
    const at = new Date(time).toISOString()
    const { url } = await receiverOf(id)
    const webhook: Webhook = {
      ...{
        id,
        url,
        types: null,
        description: null,
        enabled: true,
        created_by: 'admin',
        created_at: at,
        updated_at: at,
      },
      ...{
        rotated_at: null,
        generation: 1,
        secrets: [{ sealed: await keyService.encrypt(newSecret(), id), until: null }],
      },
    }
    await store.write([webhooks.create(webhook), ...countWebhook(undefined, webhook)])
    since.set(id, time)
  }

  // Writers. A transaction in ten is held up for 28 seconds on its way.
  const held: { until: number; release: () => void }[] = []
  let isOver = false
  const writers = [1, 2, 3].map(() => newProcess())
  for (const { client } of writers)
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (String(context['commandName']).startsWith('TransactWrite') && !isOver && chance() < 0.1) {
          const { promise, resolve } = Promise.withResolvers<void>()
          held.push({ until: time + 28_000, release: resolve })
          await promise
        }
        return next(args)
      },
      { step: 'initialize', name: 'slow' },
    )
  const began = new Map<string, number>()
  let writes = 0
  const work = new Set<Promise<unknown>>()
  const track = (some: Promise<unknown>) => {
    const tracked = some.finally(() => work.delete(tracked))
    work.add(tracked)
  }
  const write = async (store: Store, ids: readonly string[]): Promise<void> => {
    const found = await Promise.all(ids.map((id) => badges.read(store, id)))
    const title = `write ${++writes}`
    began.set(title, time)
    const actions = found.map((badge, n) =>
      badge
        ? badges.replace(badge, { ...badge, title, version: badge.version + 1 })
        : badges.create({ id: ids[n] as string, title, version: 1 }),
    )
    await store.write(actions).catch((error: unknown) => {
      if (!(error instanceof StaleRead)) throw error
    })
  }

  // Workers: two at a time at most, one in three dies after some request, some requests are throttled.
  let working = 0
  const worker = async (store: OpenStore, clock: () => Date, timeLeft: number): Promise<void> => {
    working++
    try {
      const reach = { ...reachOf({ WEBHOOKS_TO_THIS_MACHINE: 'yes' }), deadline: 5000 }
      const context = { store, clock, timeLeft: () => timeLeft, newId: randomUUID, keyService, reach, log: () => {} }
      await deliver(context)
    } catch (error) {
      if (!(error instanceof Died)) throw error
    } finally {
      working--
    }
  }
  const startWorker = () => {
    const { client, store, clock } = newProcess()
    const last = chance() < 0.35 ? 1 + Math.floor(chance() * 60) : Number.POSITIVE_INFINITY
    strike(client, (call) => (call === last ? 'death' : chance() < 0.02 ? 'throttle' : undefined))
    track(worker(store, clock, chance() < 0.1 ? 19_000 : 60_000))
  }

  const pass = async (ms: number): Promise<void> => {
    // An attempt takes 15 seconds at most: time does not go on by more while one is under way.
    while (underWay > 0) await turn()
    time += ms
    for (const one of held.filter(({ until }) => until <= time)) {
      held.splice(held.indexOf(one), 1)
      one.release()
    }
  }

  await create(newProcess().written, 'first')
  for (let step = 0; step < STEPS; step++) {
    const what = chance()
    if (what < 0.45) track(write(pick(writers).written, chance() < 0.3 ? ['a', 'b'] : [pick(['a', 'b', 'c', 'd'])]))
    // Of three records of the stream two are lost.
    else if (what < 0.6 && working < 2) startWorker()
    else if (what < 0.9) await pass(Math.round(chance() * 3000))
    else await Promise.race([...work, turn()])
    if (step === STEPS / 2) await create(newProcess().written, 'second')
    await turn()
  }

  // No more faults: what is left is delivered.
  isOver = true
  for (const one of held.splice(0)) one.release()
  await Promise.all(work)
  const { store } = newProcess()
  for (let run = 0; run < 15; run++) {
    await pass(3_600_000)
    await worker(store, () => new Date(time), 60_000)
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
    expect(events.length).toBeGreaterThan(10)
    for (const [webhook, enabled] of since) {
      const own = arrivals.filter((arrival) => arrival.webhook === webhook)
      const taken = new Set(own.filter(({ isTaken }) => isTaken).map(({ id }) => id))
      const promised = events.filter(({ title }) => (began.get(title) ?? 0) >= enabled + 5000)
      expect(promised.length).toBeGreaterThan(0)
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
  120_000,
)
