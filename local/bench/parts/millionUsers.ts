import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { finishHandedOver } from '../../../domain/maintenance/finishWork.ts'
import { countAttribute, userCounts } from '../../../domain/people/records/userCounters.ts'
import { workKey } from '../../../domain/table/keys.ts'
import { openStore } from '../../../domain/table/openStore.ts'
import { keepLedger } from '../../../test/harness/ledger.ts'
import { type Bench, shown } from '../figures.ts'
import { answerWithGeneratedRows, numberedPeople } from '../generatedRows.ts'
import { cpuMsSince } from '../timing.ts'
import { answerOf, caller, clientFor, enter, newWorld, type World } from '../world.ts'

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
type Query = Record<string, string>
const searches: Record<string, Query> = {
  'for one letter': { search_term: 'a' },
  'for what everybody has': { search_term: 'large.example' },
  'for what everybody has, by e-mail': { search_term: 'large.example', sort: 'EMAIL_DESC' },
  'for two dense words': { search_term: 'anna lindberg' },
  'for two dense words, by status and last change': {
    search_term: 'anna lindberg',
    sort: 'STATUS_ASC,UPDATED_AT_DESC',
  },
  'for a dense word among the locked': { search_term: 'anna', status: 'LOCKED' },
  'for a dense word far down the order': { search_term: 'anna099' },
  'for one person': { search_term: 'lindberg0500000' },
  'for a department': { attribute_technical_name: 'department', attribute_value: 'Logistics' },
}

/** MILLION: the costs of pages and searches among a million users. The rows are generated, in pages of the size that AWS returns. */
export async function millionUsers(bench: Bench): Promise<void> {
  const { endpoint, say, atMost, exactly, info } = bench
  setFlagsFromString('--expose-gc')
  globalThis.gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
  const world = await newWorld(endpoint)
  await world.store.write([userCounts.add(0, { [countAttribute('ACTIVE', 'USER')]: PEOPLE })])
  const numberOf = (share: number) => Math.max(1, Math.round((PEOPLE / 25) * share))
  for (const share of pages) {
    const what = `page at ${share * 100} % of a million`
    say(what)
    const { trips, reads, megabytes } = await cost(world, { page_number: String(numberOf(share)) })
    const before = (numberOf(share) - 1) * 25
    atMost(`${what}: trips`, trips, 2 + Math.min(before, PEOPLE - before) / ROWS_PER_TRIP)
    atMost(`${what}: units`, reads, MOST_UNITS_OF_A_PAGE)
    info(`${what}: memory`, [megabytes], ' MB')
  }
  const hundred = (page_number: string) => ({ page_number, page_limit: '100' })
  const remembered = await cost(world, hundred('1501'), hundred('1500'))
  const what = 'page of 100 behind a remembered one at 15 % of a million: units'
  atMost(what, remembered.reads, MOST_UNITS_BEHIND_REMEMBERED, '', `, ${remembered.waves} waves`)
  for (const share of farPages) {
    const what = `page at ${share * 100} % of a million`
    const { reads, body } = await cost(world, { page_number: String(numberOf(share)) })
    exactly(`${what}: refused`, `${body.status} ${body.property}`, '400 page_number')
    atMost(`${what}: units of the refusal`, reads, MOST_UNITS_OF_A_REFUSAL)
  }
  for (const [how, query] of Object.entries(searches)) {
    say(`search ${how}`)
    const { reads, waves, cpuMs, megabytes, body } = await cost(world, query)
    const { total_elements, total_relation = 'EQUAL' } = body.pagination
    const what = `search ${how}: ${total_relation === 'EQUAL' ? '' : '≥ '}${total_elements} found`
    atMost(`${what}; units`, reads, MOST_UNITS, '', `, ${waves} waves`)
    atMost(`${what}; memory`, megabytes, MOST_MEGABYTES, ' MB', `, ${shown(cpuMs)} ms of our own`)
  }
  say('plans')
  await planned(bench, world)
}

/** What the check of a plan costs: of one user that a search finds, and of the first of all. */
async function planned({ exactly, atMost, info }: Bench, world: World): Promise<void> {
  const one = await checkOf(world, { search_term: 'lindberg0500000' })
  exactly('a plan for one of a million: state', `${one.plan.state}, ${one.plan.counts.planned}`, 'READY, 1')
  info('a plan for one of a million: units read, written', [one.reads, one.writes])
  const all = await checkOf(world, { all: true })
  const { rows, planned } = all.plan.counts
  atMost(`a check of ${rows} of a million: read units a user`, all.reads / rows, MOST_READ_UNITS_A_USER)
  atMost(`${planned} changes noted: write units each`, all.writes / planned, MOST_WRITE_UNITS_A_CHANGE)
}

/** The units of a worker's part in a check, which ends after some thousand users. */
async function checkOf(world: World, select: object) {
  const client = clientFor(world.endpoint)
  const ledger = await keepLedger(client, world.client)
  await answerWithGeneratedRows(client, crowd)
  enter(world, { client })
  const change = { update: { tags: { add: ['benched'] } } }
  const { id } = await answerOf('createPlan', { body: { kind: 'SELECTION', select, change } })
  let looked = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'TransactWriteItemsCommand') looked += 90
      return next(args)
    },
    { step: 'initialize', name: 'looked' },
  )
  const store = openStore({ client, name: world.tableName, newToken: randomUUID })
  const timeLeft = () => (looked < CHECKED ? 60_000 : 0)
  const work = { store, clock: () => new Date(), timeLeft, operation: 'finishWork', log: () => {} }
  const { entry } = await ledger.of(() => finishHandedOver(work, [workKey('plan', id)]))
  return { ...entry, plan: await answerOf('getPlan', { path: { plan_id: id } }) }
}

/**
 * The cost of a call by the rules of AWS, and its processor time without that of making rows. `before` does not
 * count. The instance remembers nothing else.
 */
async function cost(world: World, query: Query, before?: Query) {
  const client = clientFor(world.endpoint)
  const ledger = await keepLedger(client, world.client)
  const effort = await answerWithGeneratedRows(client, crowd)
  enter(world, { client })
  if (before) await (await caller('listUsers', { query: before }))()
  const call = await caller('listUsers', { query }, 400)
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  const cpu = process.cpuUsage()
  const { answer, entry } = await ledger.of(call)
  const cpuMs = cpuMsSince(cpu)
  const trips = Map.groupBy(
    entry.sent.flat().filter(({ command }) => command === 'QueryCommand'),
    ({ input }) => `${input.IndexName} ${input.ExpressionAttributeValues?.[':hash']}`,
  )
  return {
    ...entry,
    trips: Math.max(...[...trips.values()].map(({ length }) => length)),
    cpuMs: Math.max(0, cpuMs - effort.cpuMs),
    megabytes: Math.max(0, effort.mostHeap - heap) / 2 ** 20,
    body: JSON.parse(String(answer)),
  }
}
