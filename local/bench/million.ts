import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { finishHandedOver } from '../../domain/maintenance/finishWork.ts'
import { countAttribute, userCounts } from '../../domain/people/records/userCounts.ts'
import { dynamoStore } from '../../domain/table/dynamo.ts'
import { workKey } from '../../domain/table/keys.ts'
import { keepLedger } from '../../test/harness/ledger.ts'
import { atMost, exactly, info, type Row, type Say, shown } from './report.ts'
import { numberedPeople, standIn } from './standIn.ts'
import { cpuMsSince } from './timing.ts'
import { caller, clientFor, enter, newWorld, type Request, type World } from './world.ts'

const PEOPLE = 1_000_000
/** Rows of a typical user in a megabyte of an index, as test/ledger holds them. */
const ROWS_PER_TRIP = 4_300
const MOST_UNITS = 2_000
const MOST_MEGABYTES = 64
const MOST_UNITS_OF_A_PAGE = 4_000
const MOST_UNITS_BEHIND_REMEMBERED = 75
/** Units of a refusal: the first rows show how large the others are. */
const MOST_UNITS_OF_A_REFUSAL = 200

/** Units for each user that a check looks at, and for each change that it notes (contract section 16). */
const MOST_READ_UNITS_A_USER = 1.1
const MOST_WRITE_UNITS_A_CHANGE = 3
/** A check of all users is measured for so many of them. */
const CHECKED = 5_000

const crowd = numberedPeople(PEOPLE)

const pages = [0, 0.01, 0.1, 0.15, 0.85, 0.99, 1]
/** Pages so far from both ends that the budget does not suffice. */
const farPages = [0.2, 0.5, 0.75]
const searches: Record<string, Request> = {
  'for one letter': { query: { search_term: 'a' } },
  'for what everybody has': { query: { search_term: 'large.example' } },
  'for what everybody has, by e-mail': { query: { search_term: 'large.example', sort: 'EMAIL_DESC' } },
  'for two dense words': { query: { search_term: 'anna lindberg' } },
  'for two dense words, by status and last change': {
    query: { search_term: 'anna lindberg', sort: 'STATUS_ASC,UPDATED_AT_DESC' },
  },
  'for a dense word among the locked': { query: { search_term: 'anna', status: 'LOCKED' } },
  'for a dense word far down the order': { query: { search_term: 'anna099' } },
  'for one person': { query: { search_term: 'lindberg0500000' } },
  'for a department': { query: { attribute_technical_name: 'department', attribute_value: 'Logistics' } },
}

/** P5: the costs of pages and searches among a million users. The rows are generated, in pages of the size that AWS returns. */
export async function millionUsers(endpoint: string, say: Say): Promise<Row[]> {
  setFlagsFromString('--expose-gc')
  globalThis.gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
  const world = await newWorld(endpoint)
  await world.store.write([userCounts.add(0, { [countAttribute('ACTIVE', 'USER')]: PEOPLE })])
  const rows: Row[] = []
  for (const share of pages) {
    say(`page at ${share * 100} %`)
    rows.push(...(await pageRows(world, share)))
  }
  rows.push(...(await rememberedRows(world)))
  for (const share of farPages) rows.push(...(await refusedRows(world, share)))
  for (const [what, request] of Object.entries(searches)) {
    say(`search ${what}`)
    const { reads, waves, cpuMs, megabytes, body } = await cost(world, request)
    const { total_elements, total_relation = 'EQUAL' } = body.pagination
    const found = `${total_relation === 'EQUAL' ? '' : '≥ '}${total_elements} found`
    rows.push(
      atMost('P5', `search ${what}: ${found}; units`, reads, MOST_UNITS, '', `, ${waves} rounds`),
      atMost('P5', `search ${what}: memory`, megabytes, MOST_MEGABYTES, ' MB', `, ${shown(cpuMs)} ms of our own`),
    )
  }
  say('plans')
  return [...rows, ...(await planRows(world))]
}

/** What a check costs: of one user that a search finds, and of the first of all. */
async function planRows(world: World): Promise<Row[]> {
  const tag = { update: { tags: { add: ['benched'] } } }
  const one = await checkOf(world, { search_term: 'lindberg0500000' }, tag)
  const all = await checkOf(world, { all: true }, tag)
  const { rows, planned } = all.plan.counts
  return [
    exactly('PLANS', 'a plan for one of a million: state', `${one.plan.state}, ${one.plan.counts.planned}`, 'READY, 1'),
    info('PLANS', 'a plan for one of a million: units', `${shown(one.reads)} read, ${shown(one.writes)} written`),
    atMost('PLANS', `a check of ${rows} of a million: read units a user`, all.reads / rows, MOST_READ_UNITS_A_USER),
    atMost('PLANS', `${planned} changes noted: write units each`, all.writes / planned, MOST_WRITE_UNITS_A_CHANGE),
  ]
}

/** The units of a worker's part in a check, which ends after some thousand users. */
async function checkOf(world: World, select: object, change: object) {
  const client = clientFor(world.endpoint)
  const ledger = await keepLedger(client, world.client)
  await standIn(client, crowd)
  enter(world, client)
  const call = async (name: string, request: Request) => JSON.parse(String(await (await caller(name, request))()))
  const { id } = await call('createPlan', { body: { kind: 'SELECTION', select, change } })
  let looked = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'TransactWriteItemsCommand') looked += 90
      return next(args)
    },
    { step: 'initialize', name: 'looked' },
  )
  const store = dynamoStore({ client, name: world.tableName, newToken: randomUUID })
  const timeLeft = () => (looked < CHECKED ? 60_000 : 0)
  const work = { store, clock: () => new Date(), timeLeft, operation: 'finishWork', log: () => {} }
  const { entry } = await ledger.of(() => finishHandedOver(work, [workKey('plan', id)]))
  return { ...entry, plan: await call('getPlan', { path: { plan_id: id } }) }
}

async function pageRows(world: World, share: number): Promise<Row[]> {
  const last = Math.floor(PEOPLE / 25)
  const number = Math.max(1, Math.round(last * share))
  const { trips, reads, megabytes } = await cost(world, { query: { page_number: String(number) } })
  const before = (number - 1) * 25
  const nearer = Math.min(before, PEOPLE - before)
  return [
    atMost('P5', `page at ${share * 100} % of a million: trips`, trips, 2 + nearer / ROWS_PER_TRIP),
    atMost('P5', `page at ${share * 100} % of a million: units`, reads, MOST_UNITS_OF_A_PAGE),
    info('P5', `page at ${share * 100} % of a million: memory`, `${shown(megabytes)} MB`),
  ]
}

/** A page of a hundred after one that the instance has just read. */
async function rememberedRows(world: World): Promise<Row[]> {
  const page = (number: number): Request => ({ query: { page_number: String(number), page_limit: '100' } })
  const { reads, waves } = await cost(world, page(1501), page(1500))
  const what = 'page of 100 behind a remembered one at 15 % of a million: units'
  return [atMost('P5', what, reads, MOST_UNITS_BEHIND_REMEMBERED, '', `, ${waves} rounds`)]
}

async function refusedRows(world: World, share: number): Promise<Row[]> {
  const what = `page at ${share * 100} % of a million`
  const { reads, body } = await cost(world, { query: { page_number: String(Math.round((PEOPLE / 25) * share)) } })
  return [
    exactly('P5', `${what}: refused`, `${body.status} ${body.property}`, '400 page_number'),
    atMost('P5', `${what}: units of the refusal`, reads, MOST_UNITS_OF_A_REFUSAL),
  ]
}

/**
 * The cost of a call by the rules of AWS, and its processor time without that of the stand-in. `before` does not
 * count. The instance remembers nothing else.
 */
async function cost(world: World, request: Request, before?: Request) {
  const client = clientFor(world.endpoint)
  const ledger = await keepLedger(client, world.client)
  const effort = await standIn(client, crowd)
  enter(world, client)
  if (before) await (await caller('listUsers', before))()
  const call = await caller('listUsers', request, 400)
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  const cpu = process.cpuUsage()
  const { answer, entry } = await ledger.of(call)
  const cpuMs = cpuMsSince(cpu)
  const trips = new Map<string, number>()
  for (const { command, input } of entry.sent.flat()) {
    const stream = `${input.IndexName} ${input.ExpressionAttributeValues?.[':hash']}`
    if (command === 'QueryCommand') trips.set(stream, (trips.get(stream) ?? 0) + 1)
  }
  return {
    ...entry,
    trips: Math.max(...trips.values()),
    cpuMs: Math.max(0, cpuMs - effort.cpuMs),
    megabytes: Math.max(0, effort.mostHeap - heap) / 2 ** 20,
    body: JSON.parse(String(answer)),
  }
}
