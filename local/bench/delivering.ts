import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { DAY_MS } from '../../domain/base/text.ts'
import { eventsOn, idOfEvent } from '../../domain/table/keys.ts'
import { all } from '../../domain/table/reader.ts'
import { LOCAL_KEY } from '../../domain/webhooks/keyService.ts'
import { keepLedger } from '../../test/harness/ledger.ts'
import { importInto, newDirectory } from './importing.ts'
import { atMost, exactly, info, type Row, type Say, shown } from './report.ts'
import { type Running, startService } from './running.ts'
import { newPerson } from './samples.ts'
import { byTurns, median, ratio } from './timing.ts'
import { caller, clientFor, enterNow, newWorld, type World } from './world.ts'

const WEBHOOKS = 3
/** From so long after a webhook was created, every event is delivered to it. */
const SETTLED_MS = 5_000

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 10_000)
const MOST_SECONDS = 180
const LOOK_MS = 250

const CHANGES = Math.min(EVENTS, 1_500)
const A_SECOND = 50
const MOST_SECONDS_TO_FIRST = 2
/** Changes before those that count: the first ones load the handlers. */
const WARM_UP = 50

const ROUNDS = 40
/** Changes in a row in each round: what an instance remembers of a table is not read anew for each. */
const IN_A_ROW = 10
const MOST_TIMES = 1.4

/** HOOKS: from changes to their deliveries as `npm start` runs the service, and what webhooks add to a change. */
export async function delivering(endpoint: string, say: Say): Promise<Row[]> {
  return [...(await deliveries(endpoint, say)), ...(await changes(endpoint, say))]
}

/** Three webhooks of the running service: an import, then changes at an even pace. */
async function deliveries(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newDirectory(endpoint)
  const service = await startService(world)
  const receivers = await Promise.all(Array.from({ length: WEBHOOKS }, startReceiver))
  try {
    for (const { url } of receivers) await service.ask('POST', '/api/admin/organisations/v4/webhooks', { url })
    await setTimeout(SETTLED_MS)
    const rows = await importing({ world, receivers, say })
    return [...(await paced({ service, receivers, say })), ...rows]
  } finally {
    await service.stop()
    for (const { close } of receivers) close()
  }
}

type Place = { world: World; service: Running; receivers: readonly Receiver[]; say: Say }

type Receiver = {
  url: string
  /** When the first attempt at an event began to arrive, by `performance.now()`. */
  first: Map<string, number>
  /** The same by the record of the event: the last of its events counts. */
  byRecord: Map<string, number>
  /** Messages in all. */
  count: number
  close: () => void
}

/** A receiver in this process that answers at once. */
async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', first: new Map(), byRecord: new Map(), count: 0, close: () => server.close() }
  const server = createServer(async (request, response) => {
    const at = performance.now()
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    response.writeHead(204).end()
    const { id, record } = JSON.parse(text).data
    receiver.count++
    if (receiver.first.has(id)) return
    receiver.first.set(id, at)
    receiver.byRecord.set(record.id, at)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return receiver
}

/** An import, until each webhook has all events that the table has of it. */
async function importing({ world, receivers, say }: Omit<Place, 'service'>): Promise<Row[]> {
  const from = new Date()
  const startedAt = performance.now()
  const since = () => (performance.now() - startedAt) / 1000
  let imported: number | undefined
  const importing = importInto({ ...world, users: EVENTS }, say).then(({ seconds }) => {
    imported = seconds
  })
  let wanted: string[] = []
  const missing = () => receivers.flatMap(({ first }) => wanted.filter((id) => !first.has(id)))
  const isDone = () => imported !== undefined && missing().length === 0
  while (!isDone() && since() < 2 * MOST_SECONDS) {
    await setTimeout(LOOK_MS)
    say(`${receivers.map(({ count }) => count).join(', ')} messages after ${shown(since())} s`)
    if (imported !== undefined && wanted.length === 0) wanted = await eventsSince(world, from)
  }
  const seconds = since()
  await importing
  const what = `${wanted.length} events of an import, to ${WEBHOOKS} webhooks`
  const messages = receivers.reduce((sum, { count }) => sum + count, 0)
  const distinct = receivers.reduce((sum, { first }) => sum + first.size, 0)
  return [
    atMost('HOOKS', `${what}: delivered, after the import began`, seconds, MOST_SECONDS, ' s'),
    exactly('HOOKS', `${what}: missing`, String(missing().length), '0'),
    info('HOOKS', `${what}: the import itself`, `${shown(imported ?? 0)} s`),
    info('HOOKS', `${what}: doubles`, String(messages - distinct)),
  ]
}

/** The ids of all events in the table since a moment. */
async function eventsSince({ store }: World, from: Date): Promise<string[]> {
  const ids: string[] = []
  for (let day = from.getTime(); day < Date.now() + DAY_MS; day += DAY_MS)
    for (const list of eventsOn(new Date(day).toISOString().slice(0, '2026-01-01'.length)))
      for (const { sk } of await all(store, { ...list, from: from.toISOString() })) ids.push(idOfEvent(sk))
  return ids
}

/** Changes of different users at an even pace: how long after each answer its first attempt begins. */
async function paced({ service, receivers, say }: Omit<Place, 'world'>): Promise<Row[]> {
  const answered = new Map<string, number>()
  let refused = 0
  const underWay: Promise<void>[] = []
  const startedAt = performance.now()
  for (let n = 1; n <= CHANGES; n++) {
    const id = `u-${n}`
    const path = `/api/admin/users/v4/users/${id}`
    for (const { byRecord } of receivers) byRecord.delete(id)
    underWay.push(
      service.ask('PATCH', path, { tags: [{ name: 'paced' }] }).then(
        () => void answered.set(id, performance.now()),
        () => void refused++,
      ),
    )
    say(`${answered.size} of ${CHANGES} changes answered`)
    await setTimeout(Math.max(0, startedAt + (n * 1000) / A_SECOND - performance.now()))
  }
  await Promise.all(underWay)
  const rate = CHANGES / ((performance.now() - startedAt) / 1000)
  const isIn = () => receivers.every(({ byRecord }) => [...answered.keys()].every((id) => byRecord.has(id)))
  for (const until = performance.now() + 60_000; !isIn() && performance.now() < until; ) await setTimeout(LOOK_MS)
  const counted = [...answered].slice(WARM_UP)
  // What has not come in counts as endless.
  const waits = counted.flatMap(([id, at]) =>
    receivers.map(({ byRecord }) => ((byRecord.get(id) ?? Number.POSITIVE_INFINITY) - at) / 1000),
  )
  const sorted = waits.sort((a, b) => a - b)
  const most = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
  return [
    atMost(
      'HOOKS',
      `${shown(rate)} changes a second, ${WEBHOOKS} webhooks: from an answer to the first attempt`,
      median(sorted),
      MOST_SECONDS_TO_FIRST,
      ' s',
      `, 95 % within ${shown(most)} s`,
    ),
    info('HOOKS', 'changes that were refused, as the service was busy', String(refused)),
  ]
}

/** What three webhooks add to a change, against the same calls in a table without webhooks. */
async function changes(endpoint: string, say: Say): Promise<Row[]> {
  const [heard, plain] = [await newWorld(endpoint), await newWorld(endpoint)]
  process.env['WEBHOOK_KEY'] ??= LOCAL_KEY
  for (const world of [heard, plain]) {
    enterNow(world)
    await (await caller('createUser', { body: newPerson('ada') }))()
  }
  enterNow(heard)
  const create = await caller('createWebhook', { body: { url: 'https://1.1.1.1/' } })
  for (let n = 0; n < WEBHOOKS; n++) await create()
  await setTimeout(SETTLED_MS)

  const patch = async (value: string) => {
    const body = { attributes: [{ name: 'job_title', value }] }
    await (await caller('updateUser', { path: { user_id: 'ada' }, body }))()
  }
  const createOne = async (id: string) => (await caller('createUser', { body: newPerson(id) }))()
  const kinds = { 'PATCH of a user': patch, 'creation of a user': createOne }
  const rows: Row[] = []
  for (const [what, change] of Object.entries(kinds)) {
    say(what)
    const [more, less] = [await costOf(heard, change), await costOf(plain, change)]
    const added = `${more.actions - less.actions}, ${more.writes - less.writes}`
    rows.push(exactly('HOOKS', `${what}: actions and write units more with ${WEBHOOKS} webhooks`, added, '1, 2'))
    const several = (world: World) => async (round: number) => {
      enterNow(world)
      for (let n = 0; n < IN_A_ROW; n++) await change(`timed-${round}-${n}`)
    }
    const times = await byTurns({ heard: several(heard), plain: several(plain) }, { rounds: ROUNDS, warmUp: 5 })
    const each = (all: readonly number[]) => `${shown(median(all) / IN_A_ROW)} ms`
    rows.push(
      atMost('HOOKS', `${what}: time ÷ without webhooks`, ratio(times.heard, times.plain), MOST_TIMES),
      info('HOOKS', `${what}: with webhooks, without`, `${each(times.heard)}, ${each(times.plain)}`),
    )
  }
  return rows
}

/** What the second of two changes in a row costs: the first one reads what an instance remembers. */
async function costOf(world: World, change: (nth: string) => Promise<unknown>) {
  enterNow(world)
  await change('first')
  const ledger = await keepLedger(world.client, clientFor(world.endpoint))
  try {
    return (await ledger.of(() => change('counted'))).entry
  } finally {
    ledger.close()
  }
}
