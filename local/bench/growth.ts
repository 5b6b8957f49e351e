import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'
import { type Entry, keepLedger } from '../../test/harness/ledger.ts'
import { userRecord } from '../../test/harness/seed.ts'
import { awsPages } from './awsPages.ts'
import { filled, LARGE, SMALL, TERMS } from './filled.ts'
import { atMost, exactly, info, type Row, type Say, shown } from './report.ts'
import { byTurns, cpuMsSince, median, ratio } from './timing.ts'
import { caller, clientFor, enter, type Request, type World } from './world.ts'

const MEMBERS = Math.min(10_000, LARGE)
const ROUNDS = 60
const WARM_UP = 30
const MOST_RATIO = 1.2
const MOST_UNITS = 2_000
const MOST_CPU_MS = 300
/** How often a search is repeated; its processor time is the mean. */
const SEARCHES = 3

type Case = { what: string; endpoint: string; request: Request; isNextPage?: boolean }

/** Searches in both directories. The users found, and those of the first pages, are the same in both. */
const ofUsers: Record<string, Request> = {
  'first page': {},
  'first page by e-mail': { query: { sort: 'EMAIL_ASC' } },
  'first page by creation': { query: { sort: 'CREATED_AT_ASC' } },
  search: { query: { search_term: 'aabenraa' } },
  'search, with a common word': { query: { search_term: 'aabenraa large' } },
  'attribute filter': { query: { attribute_technical_name: 'job_title', attribute_value: 'Lighthouse keeper' } },
  'username filter': { query: { username: 'aabenraa.7' } },
}

const as = 'plain'
const cases: readonly Case[] = [
  ...Object.entries(ofUsers).map(([what, request]) => ({ what, endpoint: 'listUsers', request })),
  { what: 'people', endpoint: 'listPeople', request: { as } },
  { what: 'people by first name', endpoint: 'listPeople', request: { as, query: { sort: 'FIRST_NAME_ASC' } } },
  { what: 'people, by cursor', endpoint: 'listPeople', request: { as }, isNextPage: true },
  { what: 'people, search', endpoint: 'listPeople', request: { as, query: { search_term: 'aabenraa' } } },
  {
    what: 'people, search with a common word',
    endpoint: 'listPeople',
    request: { as, query: { search_term: 'aabenraa a' } },
  },
]

/** P5: costs that must not grow with the directory, and the costs of searches and a large group in a large one. */
export async function growth(endpoint: string, say: Say): Promise<Row[]> {
  const small = await filled(endpoint, SMALL, say)
  const large = await filled(endpoint, LARGE, say)
  const rows: Row[] = []
  for (const one of cases) {
    say(one.what)
    rows.push(...(await compared(small, large, one)))
  }
  for (const term of TERMS) {
    say(`search for ${term}`)
    for (const endpoint of ['listUsers', 'listPeople']) rows.push(...(await searched(large, endpoint, term)))
  }
  rows.push(...(await largeGroup(large)))
  return rows
}

async function compared(small: World, large: World, one: Case): Promise<Row[]> {
  const { what, endpoint } = one
  const [ofSmall, ofLarge] = [await requestIn(small, one), await requestIn(large, one)]
  const [few, many] = [await booked(small, endpoint, ofSmall), await booked(large, endpoint, ofLarge)]
  const inWorld = async (world: World, request: Request) => {
    const call = await caller(endpoint, request)
    return () => {
      enter(world, world.client)
      return call()
    }
  }
  const calls = { small: await inWorld(small, ofSmall), large: await inWorld(large, ofLarge) }
  const times = await byTurns(calls, { rounds: ROUNDS, warmUp: WARM_UP })
  return [
    exactly('P5', `${what}: waves at ${LARGE} users`, String(many.waves), String(few.waves)),
    // Numbers of users have more digits, and rows of counters fill a unit sooner.
    atMost('P5', `${what}: units at ${LARGE} users`, many.reads, few.reads + 1),
    atMost('P5', `${what}: time ÷ time at ${SMALL} users`, ratio(times.large, times.small), MOST_RATIO),
    info('P5', `${what}: times`, `${shown(median(times.large))} ms, ${shown(median(times.small))} ms`),
  ]
}

/** The request of a case. A cursor is good in one directory only. */
async function requestIn(world: World, { endpoint, request, isNextPage = false }: Case): Promise<Request> {
  if (!isNextPage) return request
  enter(world, world.client)
  const first = JSON.parse(String(await (await caller(endpoint, request))()))
  return { ...request, query: { ...request.query, page_cursor: first.pagination.next_cursor } }
}

/** The cost of one call by the rules of AWS. */
export async function booked(world: World, endpoint: string, request: Request): Promise<Entry> {
  const client = clientFor(world.endpoint)
  const ledger = await keepLedger(client, world.client)
  awsPages(client, world.client)
  enter(world, client)
  const call = await caller(endpoint, request)
  // What the process remembers for some seconds costs nothing, in either directory.
  await ledger.of(call)
  return (await ledger.of(call)).entry
}

/** The cost of a search by the rules of AWS, and the processor time of the service with the answers of DynamoDB Local. */
async function searched(world: World, endpoint: string, term: string): Promise<Row[]> {
  const request = { as: endpoint === 'listUsers' ? 'admin' : as, query: { search_term: term } }
  const { waves, reads } = await booked(world, endpoint, request)
  enter(world, world.client)
  const call = await caller(endpoint, request)
  await call()
  const before = process.cpuUsage()
  for (let n = 0; n < SEARCHES; n++) await call()
  return [
    atMost('P5', `${endpoint}, search for “${term}” among ${LARGE}: units`, reads, MOST_UNITS, '', `, ${waves} rounds`),
    atMost(
      'P5',
      `${endpoint}, search for “${term}” among ${LARGE}: our own time`,
      cpuMsSince(before) / SEARCHES,
      MOST_CPU_MS,
      ' ms',
    ),
  ]
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
