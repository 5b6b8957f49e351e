import { userRecord } from '../../../test/harness/seed.ts'
import type { Bench } from '../figures.ts'
import { filled, groupOf, LARGE, SMALL, TERMS } from '../fill.ts'
import { byTurns, cpuMsSince, median, ratio } from '../timing.ts'
import { answerOf, caller, costOf, enter, type Request, type World } from '../world.ts'

const MEMBERS = Math.min(10_000, LARGE)
const ROUNDS = 60
const WARM_UP = 30
const MOST_RATIO = 1.2
const MOST_UNITS = 2_000
const MOST_CPU_MS = 300
/** How often a search is repeated; its processor time is the mean. */
const SEARCHES = 3

type Case = [what: string, endpoint: 'listUsers' | 'listPeople', query?: Record<string, string>]

/** In both directories. The users found, and those of the first pages, are the same in both. */
const cases: readonly Case[] = [
  ['first page', 'listUsers'],
  ['first page by e-mail', 'listUsers', { sort: 'EMAIL_ASC' }],
  ['first page by creation', 'listUsers', { sort: 'CREATED_AT_ASC' }],
  ['search', 'listUsers', { search_term: 'aabenraa' }],
  ['search, with a common word', 'listUsers', { search_term: 'aabenraa large' }],
  ['attribute filter', 'listUsers', { attribute_technical_name: 'job_title', attribute_value: 'Lighthouse keeper' }],
  ['username filter', 'listUsers', { username: 'aabenraa.7' }],
  ['people', 'listPeople'],
  ['people by first name', 'listPeople', { sort: 'FIRST_NAME_ASC' }],
  ['people, by cursor', 'listPeople', { page_cursor: 'of the first page' }],
  ['people, search', 'listPeople', { search_term: 'aabenraa' }],
  ['people, search with a common word', 'listPeople', { search_term: 'aabenraa a' }],
]

const asFor = { listUsers: 'admin', listPeople: 'plain' }

/** P5: costs that must not grow with the directory, and the costs of searches and a large group in a large one. */
export async function growth(bench: Bench): Promise<void> {
  const small = await filled(bench, SMALL)
  const large = await filled(bench, LARGE)
  for (const one of cases) await compare(bench, { small, large }, one)
  for (const term of TERMS)
    for (const endpoint of ['listUsers', 'listPeople'] as const) await search(bench, large, endpoint, term)
  await largeGroup(bench, large)
}

async function compare(
  { say, atMost, exactly, info }: Bench,
  { small, large }: { small: World; large: World },
  [what, endpoint, query = {}]: Case,
): Promise<void> {
  say(what)
  const as = asFor[endpoint]
  const callIn = async (world: World) => {
    if (!query['page_cursor']) return caller(endpoint, { as, query })
    enter(world)
    const { pagination } = await answerOf(endpoint, { as })
    return caller(endpoint, { as, query: { page_cursor: pagination.next_cursor } })
  }
  const [ofSmall, ofLarge] = [await callIn(small), await callIn(large)]
  const [few, many] = [await costOf(small, ofSmall), await costOf(large, ofLarge)]
  const inWorld = (world: World, call: () => Promise<unknown>) => () => {
    enter(world)
    return call()
  }
  const calls = { small: inWorld(small, ofSmall), large: inWorld(large, ofLarge) }
  const times = await byTurns(calls, { rounds: ROUNDS, warmUp: WARM_UP })
  exactly(`${what}: waves at ${LARGE} users`, String(many.waves), String(few.waves))
  // Numbers of users have more digits, and rows of counters fill a unit sooner.
  atMost(`${what}: units at ${LARGE} users`, many.reads, few.reads + 1)
  atMost(`${what}: time ÷ time at ${SMALL} users`, ratio(times.large, times.small), MOST_RATIO)
  info(`${what}: times`, [median(times.large), median(times.small)], ' ms')
}

/** The cost of a search by the rules of AWS, and the processor time of the service with the answers of the local engine. */
async function search({ say, atMost }: Bench, world: World, endpoint: keyof typeof asFor, term: string): Promise<void> {
  const what = `${endpoint}, search for “${term}” among ${LARGE}`
  say(what)
  const call = await caller(endpoint, { as: asFor[endpoint], query: { search_term: term } })
  const { waves, reads } = await costOf(world, call)
  enter(world)
  await call()
  const before = process.cpuUsage()
  for (let n = 0; n < SEARCHES; n++) await call()
  atMost(`${what}: our own time`, cpuMsSince(before) / SEARCHES, MOST_CPU_MS, ' ms')
  atMost(`${what}: units`, reads, MOST_UNITS, '', `, ${waves} waves`)
}

async function largeGroup({ atMost }: Bench, world: World): Promise<void> {
  const group = 'crowd'
  const users = Array.from({ length: MEMBERS }, (_, n) => userRecord({ id: `u-${n + 1}`, last_name: `L${n}` }, ''))
  await world.store.bulk(groupOf(group, users).map((put) => ({ put })))
  const request: Request = { path: { group_id: group }, query: { role_ids: 'coach' } }
  const { waves, reads } = await costOf(world, await caller('listGroupAssignments', request))
  atMost(`first page of a group of ${MEMBERS}: waves`, waves, 3)
  atMost(`first page of a group of ${MEMBERS}: read units`, reads, 25)
}
