import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { userFrom } from '../../domain/people/records/newUser.ts'
import { users as userRecords } from '../../domain/people/records/user.ts'
import { indexedWords, profileOf } from '../../domain/people/records/userSearch.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { MOST_WORDS } from '../../domain/table/keys.ts'
import { isWebhookEnabled } from '../../handlers/middleware/writes.ts'
import { generateDirectory } from '../../local/demo/demo.ts'
import { contracts } from '../../schemas/contracts.ts'
import { userSorts } from '../../schemas/userRecords.ts'
import { call, type Reply } from '../harness/call.ts'
import { entryOf, itemSize } from '../harness/capacity.ts'
import { testClient } from '../harness/client.ts'
import { type Entry, keepLedger, tableIndexes } from '../harness/ledger.ts'
import { loadDirectory } from '../harness/manyUsers.ts'
import { userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { forgedToken } from '../harness/serviceTokens.ts'
import { attributeLines } from './attributeLines.ts'
import { channelLines } from './channelLines.ts'
import { eventLines } from './eventLines.ts'
import { groupLines } from './groupLines.ts'
import { busiest, type Line, printed, READS_A_SECOND, UNITS_A_SECOND } from './line.ts'
import { ownLines, peopleLines } from './ownLines.ts'
import { planLines } from './planLines.ts'
import { roleLines } from './roleLines.ts'
import { ruleLines } from './ruleLines.ts'
import { scimLines } from './scimLines.ts'
import { settingsLines } from './settingsLines.ts'
import { taskLines } from './taskLines.ts'
import { tokenLines } from './tokenLines.ts'
import { userLines, worst } from './userLines.ts'
import { webhookLines } from './webhookLines.ts'

// What every endpoint asks of the table. Numbers are exact: a change of one has to be written here. The instance knows the
// layout and whether a webhook is enabled, which is read once in five seconds, but not the settings: with them each call costs
// one read unit less (test/middleware/memory.test.ts).

const lines: readonly Line[] = [
  ...userLines,
  ...groupLines,
  ...channelLines,
  ...roleLines,
  ...attributeLines,
  ...taskLines,
  ...settingsLines,
  ...tokenLines,
  ...eventLines,
  ...scimLines,
  ...planLines,
  // Last: with rules, changes of users cost more, and with webhooks all changes.
  ...ruleLines,
  ...webhookLines,
  // They make groups and channels, which other lists would read.
  ...ownLines,
  ...peopleLines,
]
/**
 * Calls that many people make at once: the write units of one in the busiest partition of counters, of a list, of words, and of
 * a group, channel or task; and how many such calls a second a partition takes (docs/performance.md).
 */
const crowded: readonly (readonly [endpoint: string, scenario: string, units: number[], calls: number])[] = [
  ['createUser', 'typical', [2, 1, 3, 2], 333],
  ['createUser', 'the least', [2, 1, 1, 2], 500],
  ['updateUser', 'one tag', [0, 2, 0, 0], 500],
  ['updateUser', 'an e-mail address', [0, 2, 4, 0], 250],
  ['updateUser', 'a last name, in 20 groups', [0, 2, 2, 2], 500],
  ['lockUser', 'an active user', [2, 1, 0, 0], 500],
  ['deleteUser', 'an active user', [4, 1, 0, 0], 250],
  ['restoreUser', 'a user pending deletion', [4, 1, 0, 0], 250],
  ['purge', 'one typical user', [6, 1, 3, 2], 166],
  ['createGroupAssignment', 'a user', [0, 0, 0, 2], 500],
  ['createChannelAssignment', 'a user', [0, 0, 0, 4], 250],
  ['finishTaskAssignment', 'open', [0, 0, 0, 2], 500],
]
/** The same for reads, which reads and writes make. */
const readers: readonly (readonly [endpoint: string, scenario: string, units: number[], calls: number])[] = [
  ['getUser', 'a user', [0, 0, 0, 0.5], 6000],
  ['listUsers', 'first page', [0.5, 0.5, 0, 0.5], 6000],
  ['listUsers', 'first page of 100', [0.5, 2, 0, 0.5], 1500],
  ['listUsers', 'fifth page', [0.5, 2.5, 0, 0.5], 1200],
  ['listUsers', 'search', [0.5, 0, 0.5, 0.5], 6000],
  ['createUser', 'typical', [0, 0, 0, 1], 3000],
  ['updateUser', 'one tag', [0, 0, 0, 0.5], 6000],
  ['lockUser', 'an active user', [0, 0, 0, 0.5], 6000],
  ['listGroupAssignments', 'first page', [0.5, 0, 0, 1.5], 2000],
  ['createGroupAssignment', 'a user', [0, 0, 0, 1], 3000],
  ['listChannelAssignments', 'first page, three groups', [0.5, 0, 0, 1], 3000],
  ['createChannelAssignment', 'a user', [0, 0, 0, 1], 3000],
  ['getTask', 'read before', [0, 0, 0, 1], 3000],
  ['listTasks', 'first page', [0, 0, 0, 1], 3000],
  ['listOwnTaskAssignments', 'all', [0, 0, 0, 0.5], 6000],
  ['getTaskSummary', 'of thirty', [0, 0, 0, 1], 3000],
  ['listTaskAssignments', 'first page', [0.5, 0, 0, 1], 3000],
  ['finishTaskAssignment', 'open', [0, 0, 0, 1], 3000],
]

const firsts = Object.keys(contracts).map((name) => [name, lines.find(({ endpoint }) => endpoint === name)] as const)
/** What a caller who is refused costs. */
type Refused = { none: Charged; locked: Charged; forged: Charged }
type Charged = { answer: Reply; entry: Entry }
const refused = new Map<string, Refused>()
// Random ids are in order here: where the id of a new user is among all others decides how long the pages are that rules read.
vi.mock('node:crypto', async (original) => {
  let made = 0
  const randomUUID = () => `50000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
  return { ...(await original<typeof import('node:crypto')>()), randomUUID }
})

/** What a line costs, or why that could not be seen. */
type Booked = { line: Line; entry: Entry; answer: unknown }
const booked = new Map<Line, Booked | { error: unknown }>()
let service: Service

// Lines change who has which, so all are worked through in their order, whichever tests run. The first show that callers
// without rights pay for nothing.
beforeAll(async () => {
  // Which shards of counters there are is chance otherwise, and what reading all of them costs.
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  service = await startService({ indexes: 'all', extras: 45 })
  await loadDirectory(service.store, generateDirectory({ users: 130 }), { now: '2026-01-01T00:00:00.000Z' })
  const ledger = await keepLedger(service.client, testClient())
  for (const [name, line] of firsts)
    refused.set(name, {
      none: await ledger.of(() => call(name, { ...line?.request, token: null })),
      locked: await ledger.of(() => call(name, { ...line?.request, as: 'u-9' })),
      forged: await ledger.of(() => call(name, { ...line?.request, token: forgedToken })),
    })
  for (const line of lines) booked.set(line, await book(line, ledger).catch((error: unknown) => ({ error })))
})
afterAll(() => console.log(printed([...booked.values()].filter((one) => 'line' in one))))

async function book(line: Line, ledger: Awaited<ReturnType<typeof keepLedger>>): Promise<Booked> {
  await line.before?.(service)
  await isWebhookEnabled(service.store)
  const work = async () => (line.work ? line.work(service) : call(line.endpoint, line.request))
  return { line, ...(await ledger.of(work)) }
}

function costOf(line: Line | undefined): Booked {
  const one = line && booked.get(line)
  if (one && 'line' in one) return one
  throw one?.error ?? new Error('There is no such line')
}

/** How many waves an endpoint may take: a list looks up, then reads, then completes; the rest reads, then writes. */
function mostWaves({ endpoint, waves }: Line): number {
  if (waves !== undefined) return waves
  if (contracts[endpoint]?.item) return 12
  return endpoint.startsWith('list') ? 3 : 2
}

describe('a caller who is refused costs next to nothing:', () => {
  it.each(firsts)('%s has a line in the ledger', (name, line) => {
    expect(line, `${name} has no line in test/ledger: add one for each thing it can be asked for`).toBeDefined()
  })

  it.each(firsts)('%s without a token: no call', (name) => {
    const { none } = refused.get(name) as Refused
    expect(none.answer.status).toBe(401)
    expect(none.entry).toMatchObject({ calls: 0 })
  })

  it.each(firsts)('%s by somebody locked: one wave, nothing written', (name) => {
    const { locked } = refused.get(name) as Refused
    expect(locked.answer.body.error_code).toBe('ACTOR_NOT_ACTIVE')
    expect(locked.entry).toMatchObject({ waves: 1, writes: 0 })
  })
})

describe('a service token that does not exist costs next to nothing:', () => {
  it.each(firsts)('%s: one wave, nothing written', (name) => {
    const { forged } = refused.get(name) as Refused
    expect(forged.answer.body.error_code).toBe('UNAUTHENTICATED')
    expect(forged.entry).toMatchObject({ waves: 1, writes: 0 })
  })
})

describe('an endpoint costs', () => {
  it.each(lines.map((line) => [line.endpoint, line.scenario, line] as const))('%s: %s', (_name, _what, line) => {
    const { answer, entry } = costOf(line)
    if (!line.work) expect((answer as Reply).status, JSON.stringify((answer as Reply).body)).toBe(line.status ?? 200)
    if (contracts[line.endpoint]) expect(entry.waves, 'waves').toBeLessThanOrEqual(mostWaves(line))
    expect(entry.actions, 'actions of a transaction').toBeLessThanOrEqual(100)
    const costs = [entry.calls, entry.waves, entry.reads, entry.writes]
    expect(costs, 'the `costs` of its line in test/ledger: calls, waves, read units, write units').toEqual(line.costs)
  })
})

describe('how many calls a second one partition takes', () => {
  it.each(crowded)('%s: %s', async (endpoint, scenario, units, calls) => {
    const { entry } = costOf(lines.find((line) => line.endpoint === endpoint && line.scenario === scenario))
    expect(busiest(entry.partitions)).toEqual(units)
    expect(Math.floor(UNITS_A_SECOND / Math.max(...units))).toBe(calls)
  })

  it.each(readers)('by reads, %s: %s', (endpoint, scenario, units, calls) => {
    const { entry } = costOf(lines.find((line) => line.endpoint === endpoint && line.scenario === scenario))
    expect(busiest(entry.readPartitions)).toEqual(units)
    expect(Math.floor(READS_A_SECOND / Math.max(...units))).toBe(calls)
  })
})

describe('what the numbers rest on', () => {
  it('a row of the users list is so small that a trip brings 4,700 of them', async () => {
    const indexes = (await tableIndexes()).filter(({ hash }) => hash === 'list')
    const users = generateDirectory({ users: 2000 }).users ?? []
    for (const index of indexes) {
      const sizes = users.map((body) => {
        const id = randomUUID()
        const user = userFrom(body as never, { id, now: service.now().toISOString(), group: 'all-users' })
        return itemSize(entryOf(itemOf(userRecords, user), index))
      })
      const typical = sizes.sort((a, b) => a - b)[sizes.length / 2] ?? Number.NaN
      expect(typical, index.name).toBeLessThanOrEqual(223)
    }
  })

  it('the users list is looked at in every order', () => {
    const asked = lines.map(({ request }) => (request?.query as { sort?: string } | undefined)?.sort ?? '')
    for (const field of userSorts.filter((one) => one !== 'LAST_NAME')) expect(asked).toContain(`${field}_ASC`)
  })

  it('the most that a user may have: as many words as are looked up one by one', () => {
    for (const letter of ['p', 'q']) {
      const words = indexedWords(profileOf(userRecord(worst(letter), '')))
      expect(words).toHaveLength(MOST_WORDS)
      expect(worst(letter).attributes).toHaveLength(50)
    }
  })
})
