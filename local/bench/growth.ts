import { groupAssignmentItem } from '../../domain/groups/groupAssignment.ts'
import { documentClient } from '../../domain/table/dynamo.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'
import { type Entry, keepLedger } from '../../test/harness/ledger.ts'
import { loadDirectory } from '../../test/harness/manyUsers.ts'
import { userRecord } from '../../test/harness/seed.ts'
import { type Directory, generateDirectory } from '../demo.ts'
import { awsPages } from './awsPages.ts'
import { atMost, info, type Row, shown } from './report.ts'
import { byTurns, median, ratio } from './timing.ts'
import { caller, enter, newWorld, type Request, type World } from './world.ts'

const SMALL = 1_000
const LARGE = Number(process.env.BENCH_USERS ?? 100_000)
/** The rows that a search reads first for a common word: with as many, they are the same in both directories. */
const MARKED = 499
const MEMBERS = Math.min(10_000, LARGE)
const ROUNDS = 60
const WARM_UP = 30
const MOST_RATIO = 1.2
const ROWS_PER_TRIP = 7_000

type Say = (text: string) => void

/** Searches in both directories. The users found, and those of the first pages, are the same in both. */
const cases: Record<string, Request> = {
  'first page': {},
  'first page by e-mail': { query: { sort: 'EMAIL_ASC' } },
  'first page by creation': { query: { sort: 'CREATED_AT_ASC' } },
  search: { query: { search_term: 'aabenraa' } },
  'search, with a common word': { query: { search_term: 'aabenraa large' } },
  'attribute filter': { query: { attribute_technical_name: 'job_title', attribute_value: 'Lighthouse keeper' } },
  'username filter': { query: { username: 'aabenraa.7' } },
}

/** P5: what does not grow with the directory, and what an offset and a large group cost in a large one. */
export async function growth(endpoint: string, say: Say): Promise<Row[]> {
  const small = await filled(endpoint, SMALL, say)
  const large = await filled(endpoint, LARGE, say)
  const rows: Row[] = []
  for (const [what, request] of Object.entries(cases)) {
    say(what)
    rows.push(...(await compared(small, large, { what, request })))
  }
  for (const share of [0.1, 0.5, 0.85]) rows.push(await offset(large, Math.floor((LARGE * share) / 25) * 25))
  rows.push(...(await largeGroup(large)))
  return rows
}

async function filled(endpoint: string, users: number, say: Say): Promise<World> {
  const world = await newWorld(endpoint)
  const directory = generateDirectory({ users })
  const all: Directory = { ...directory, users: [...marked(), ...(directory.users ?? [])] }
  const startedAt = performance.now()
  const rest = (done: number) => shown(((performance.now() - startedAt) / 1000 / done) * (users - done))
  await loadDirectory(world.store, all, {
    now: world.now,
    onProgress: (n) => say(`${n} of ${users} users made, ${rest(Math.min(n, users))} s to go`),
  })
  return world
}

/** Users who come first in every order, and are the only ones with these names and departments. */
const marked = (): NonNullable<Directory['users']> =>
  Array.from({ length: MARKED }, (_, n) => ({
    id: `aa-${n}`,
    username: `aabenraa.${n}`,
    first_name: 'Aaage',
    last_name: `Aabenraa`,
    email: `aabenraa.${n}@large.example`,
    external_id: `aa-${n}`,
    attributes: [
      { name: 'department', value: 'Aaa' },
      { name: 'location', value: 'Aaa' },
      { name: 'job_title', value: 'Lighthouse keeper' },
    ],
    primary_user_group_id: 'logistics',
  }))

async function compared(
  small: World,
  large: World,
  { what, request }: { what: string; request: Request },
): Promise<Row[]> {
  const [few, many] = [await booked(small, 'listUsers', request), await booked(large, 'listUsers', request)]
  const call = await caller('listUsers', request)
  const inWorld = (world: World) => () => {
    enter(world, world.client)
    return call()
  }
  const times = await byTurns({ small: inWorld(small), large: inWorld(large) }, { rounds: ROUNDS, warmUp: WARM_UP })
  const cost = ({ waves, reads }: Entry) => `${waves} waves, ${reads} units`
  return [
    {
      bar: 'P5',
      what: `${what}: cost at ${LARGE} users`,
      measured: cost(many),
      limit: `= ${cost(few)}`,
      passed: cost(few) === cost(many),
    },
    atMost('P5', `${what}: time ÷ time at ${SMALL} users`, ratio(times.large, times.small), MOST_RATIO),
    info('P5', `${what}: times`, `${shown(median(times.large))} ms, ${shown(median(times.small))} ms`),
  ]
}

/** The cost of one call by the rules of AWS. */
export async function booked(world: World, endpoint: string, request: Request): Promise<Entry> {
  const client = documentClient({ DYNAMODB_ENDPOINT: world.endpoint })
  const ledger = await keepLedger(client, world.client)
  awsPages(client, world.client)
  enter(world, client)
  const call = await caller(endpoint, request)
  return (await ledger.of(call)).entry
}

/** A page at a large offset: all rows before it must be read, a megabyte per request. */
async function offset(world: World, rows: number): Promise<Row> {
  const { sent } = await booked(world, 'listUsers', { query: { page_number: String(rows / 25 + 1) } })
  const trips = new Map<string, number>()
  for (const { command, input } of sent.flat()) {
    const stream = `${input.IndexName} ${input.ExpressionAttributeValues?.[':hash']}`
    if (command === 'QueryCommand') trips.set(stream, (trips.get(stream) ?? 0) + 1)
  }
  return atMost('P5', `offset of ${rows}: trips per stream`, Math.max(...trips.values()), 2 + rows / ROWS_PER_TRIP)
}

async function largeGroup(world: World): Promise<Row[]> {
  const group = 'finance'
  const users = Array.from({ length: MEMBERS }, (_, n) => userRecord({ id: `u-${n + 1}`, last_name: `L${n}` }, ''))
  const puts = users.map((user) => ({ put: groupAssignmentItem(user, { group, role: 'coach', source: 'MANUAL' }) }))
  await world.store.bulk(puts)
  await world.store.write([
    {
      update: groupCountKey(group, 0),
      add: { [roleCount('coach')]: MEMBERS },
    },
  ])
  const request = { path: { group_id: group }, query: { role_ids: 'coach' } }
  const { waves, reads } = await booked(world, 'listGroupAssignments', request)
  return [
    atMost('P5', `first page of a group of ${MEMBERS}: waves`, waves, 3),
    atMost('P5', `first page of a group of ${MEMBERS}: read units`, reads, 25),
  ]
}
