import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { DAY_MS } from '../../../domain/base/text.ts'
import { eventsOn, idOfEvent } from '../../../domain/table/keys.ts'
import { all } from '../../../domain/table/reader.ts'
import { LOCAL_KEY } from '../../../domain/webhooks/keyService.ts'
import { type Bench, shown } from '../figures.ts'
import { newPerson } from '../sampleRecords.ts'
import { type Service, startService } from '../service.ts'
import { byTurns, median, ratio, until } from '../timing.ts'
import { answerOf, caller, costOf, enter, newWorld, type World } from '../world.ts'
import { importInto, newDirectory } from './importing.ts'

const WEBHOOKS = 3
/** From so long after a webhook was created, every event is delivered to it. */
const SETTLED_MS = 5_000

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 10_000)
const MOST_SECONDS = 180

const CHANGES = Math.min(EVENTS, 1_500)
const A_SECOND = 50
const MOST_SECONDS_TO_FIRST = 2
/** Changes before those that count: the first ones load the handlers. */
const WARM_UP = 50

const ROUNDS = 40
/** Changes in a row in each round: what an instance remembers of a table is not read again for each. */
const IN_A_ROW = 10
const MOST_TIMES = 1.4

/** HOOKS: from changes to their deliveries as `npm start` runs the service, and what webhooks add to a change. */
export async function delivering(bench: Bench): Promise<void> {
  const world = await newDirectory(bench.endpoint)
  const service = await startService(world)
  const receivers = await Promise.all(Array.from({ length: WEBHOOKS }, startReceiver))
  try {
    for (const { url } of receivers) await service.ask('POST', '/api/admin/organisations/v4/webhooks', { url })
    await setTimeout(SETTLED_MS)
    await ofAnImport(bench, world, receivers)
    await atAPace(bench, service, receivers)
  } finally {
    await service.stop()
    for (const { close } of receivers) close()
  }
  await perChange(bench)
}

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
async function ofAnImport(
  { say, atMost, exactly, info }: Bench,
  world: World,
  receivers: readonly Receiver[],
): Promise<void> {
  const from = new Date()
  let imported: number | undefined
  const importing = importInto({ ...world, users: EVENTS }, say).then(({ seconds }) => {
    imported = seconds
  })
  const giveUpAt = Date.now() + 2 * MOST_SECONDS * 1000
  let wanted: string[] = []
  const missing = () => receivers.flatMap(({ first }) => wanted.filter((id) => !first.has(id)))
  const seconds = await until(async () => {
    say(`${receivers.map(({ count }) => count).join(', ')} messages`)
    if (imported !== undefined && wanted.length === 0) wanted = await eventsSince(world, from)
    return (imported !== undefined && missing().length === 0) || Date.now() > giveUpAt
  })
  await importing
  const what = `${wanted.length} events of an import, to ${WEBHOOKS} webhooks`
  const messages = receivers.reduce((sum, { count }) => sum + count, 0)
  const distinct = receivers.reduce((sum, { first }) => sum + first.size, 0)
  atMost(`${what}: delivered, after the import began`, seconds, MOST_SECONDS, ' s')
  exactly(`${what}: missing`, String(missing().length), '0')
  info(`${what}: the import itself`, [imported ?? 0], ' s')
  info(`${what}: doubles`, [messages - distinct])
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
async function atAPace({ say, atMost, info }: Bench, service: Service, receivers: readonly Receiver[]): Promise<void> {
  const answered = new Map<string, number>()
  let refused = 0
  const underWay: Promise<void>[] = []
  const startedAt = performance.now()
  for (let n = 1; n <= CHANGES; n++) {
    const id = `u-${n}`
    for (const { byRecord } of receivers) byRecord.delete(id)
    underWay.push(
      service.ask('PATCH', `/api/admin/users/v4/users/${id}`, { tags: [{ name: 'paced' }] }).then(
        () => void answered.set(id, performance.now()),
        () => void refused++,
      ),
    )
    say(`${answered.size} of ${CHANGES} changes answered`)
    await setTimeout(Math.max(0, startedAt + (n * 1000) / A_SECOND - performance.now()))
  }
  await Promise.all(underWay)
  const rate = CHANGES / ((performance.now() - startedAt) / 1000)
  const giveUpAt = Date.now() + 60_000
  const isIn = () => receivers.every(({ byRecord }) => [...answered.keys()].every((id) => byRecord.has(id)))
  await until(async () => isIn() || Date.now() > giveUpAt)
  // What has not come in counts as endless.
  const waits = [...answered]
    .slice(WARM_UP)
    .flatMap(([id, at]) =>
      receivers.map(({ byRecord }) => ((byRecord.get(id) ?? Number.POSITIVE_INFINITY) - at) / 1000),
    )
    .sort((a, b) => a - b)
  const what = `${shown(rate)} changes a second, ${WEBHOOKS} webhooks: from an answer to the first attempt`
  const most = waits[Math.floor(waits.length * 0.95)] ?? Number.NaN
  atMost(what, median(waits), MOST_SECONDS_TO_FIRST, ' s', `, 95 % within ${shown(most)} s`)
  info('changes that were refused, as the service was busy', [refused])
}

/** What three webhooks add to a change, against the same calls in a table without webhooks. */
async function perChange({ endpoint, say, atMost, exactly, info }: Bench): Promise<void> {
  const [heard, plain] = [await newWorld(endpoint), await newWorld(endpoint)]
  process.env['WEBHOOK_KEY'] ??= LOCAL_KEY
  for (const world of [plain, heard]) {
    enter(world)
    await answerOf('createUser', { body: newPerson('ada') })
  }
  for (let n = 0; n < WEBHOOKS; n++) await answerOf('createWebhook', { body: { url: 'https://1.1.1.1/' } })
  await setTimeout(SETTLED_MS)

  const kinds: Record<string, (nth: string) => Promise<() => Promise<unknown>>> = {
    'PATCH of a user': (value) => {
      const body = { attributes: [{ name: 'job_title', value }] }
      return caller('updateUser', { path: { user_id: 'ada' }, body })
    },
    'creation of a user': (id) => caller('createUser', { body: newPerson(id) }),
  }
  for (const [what, change] of Object.entries(kinds)) {
    say(what)
    let nth = 0
    const counted = async () => (await change(`counted-${nth++}`))()
    const [more, less] = [await costOf(heard, counted), await costOf(plain, counted)]
    const added = `${more.actions - less.actions}, ${more.writes - less.writes}`
    exactly(`${what}: actions and write units more with ${WEBHOOKS} webhooks`, added, '1, 2')
    const several = (world: World) => async (round: number) => {
      enter(world)
      for (let n = 0; n < IN_A_ROW; n++) await (await change(`timed-${round}-${n}`))()
    }
    const times = await byTurns({ heard: several(heard), plain: several(plain) }, { rounds: ROUNDS, warmUp: 5 })
    atMost(`${what}: time ÷ without webhooks`, ratio(times.heard, times.plain), MOST_TIMES)
    info(`${what}: with webhooks, without`, [median(times.heard) / IN_A_ROW, median(times.plain) / IN_A_ROW], ' ms')
  }
}
