import { beforeAll, describe, expect, it } from 'vitest'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { type Any, call } from '../harness/call.ts'
import { testClient } from '../harness/client.ts'
import { keepLedger } from '../harness/ledger.ts'
import { people as first } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// 4,000 people in two organisations of the same size, who look the same to each other, and differ in all that is hidden: e-mail addresses, usernames,
// hidden attributes, tags, roles, who is locked. Whatever an ordinary user asks, both must answer the same, after as many requests to
// the table. docs/decisions/people.md names what is left: the rows of a word are read, also where it is in a hidden field.

const SIZE = 2000
const lastNames = ['Abel', 'Bauer', 'Cramer', 'Dorn', 'Ebert', 'Falk', 'Graf', 'Huber', 'Maier', 'Zorn']
const firstNames = ['Ada', 'Ben', 'Cleo', 'Dirk', 'Ela', 'Finn', 'Gita']

/** A number below `most` that depends on the world, the person and what it is for, and nothing else. */
const draw = (most: number, ...parts: (string | number)[]): number => {
  let hash = 2166136261
  for (const char of parts.join('/')) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619) >>> 0
  return hash % most
}

const personOf = (world: string, n: number): Partial<UserRecord> => {
  const secret = (what: string) => `${what}${world}${draw(3000, world, what, n)}`
  const attributes = [
    { name: 'department', value: secret('dept') },
    { name: 'location', value: `City ${draw(40, 'city', n)}` },
    { name: 'job_title', value: secret('job') },
    { name: 'note', value: secret('note') },
  ]
  return {
    id: `p-${n}`,
    first_name: firstNames[draw(firstNames.length, 'first', n)] as string,
    last_name: `${lastNames[draw(lastNames.length, 'last', n)]} ${draw(300, 'suffix', n)}`,
    username: `${secret('name')}.${n}`,
    email: `${secret('mail')}@host.example`,
    role: draw(50, world, 'role', n) === 0 ? 'ADMIN' : 'USER',
    attributes,
    tags: [{ name: secret('tag') }],
    external_id: `${world}-${n}`,
    created_at: new Date(Date.UTC(2026, 0, 1) + draw(1e9, world, 'created', n)).toISOString(),
  }
}
/** People who are not listed, and whom nobody may tell from people who never were. */
const unlisted = (world: string): Partial<UserRecord>[] =>
  Array.from({ length: 40 }, (_, n) => ({
    id: `${world}-out-${n}`,
    first_name: 'Hiddenia',
    last_name: `Out ${world}`,
    username: `out-${n}`,
    status: draw(2, world, 'status', n) === 0 ? 'LOCKED' : 'DEACTIVATED',
  }))

type World = { name: string; service: Service; ledger: Awaited<ReturnType<typeof keepLedger>> }
const worlds: World[] = []

beforeAll(async () => {
  for (const name of ['x', 'y']) {
    const users = [...first, ...Array.from({ length: SIZE }, (_, n) => personOf(name, n)), ...unlisted(name)]
    const service = await startService({ users, indexes: ['by_last_name', 'by_first_name', 'by_id', 'find'] })
    for (const definition_id of ['department', 'job_title', 'note'])
      await call('updateAttributeDefinition', { path: { definition_id }, body: { user_permission: 'HIDDEN' } })
    const ledger = await keepLedger(service.client, testClient())
    worlds.push({ name, service, ledger })
  }
}, 300_000)

/** What a caller sees of an answer: all but what differs at each call. */
const seen = ({ status, body, headers }: Any) => {
  const { 'x-request-id': _request, date: _date, ...rest } = headers
  const text = JSON.stringify([status, { ...body, request_id: undefined }, rest])
  // The text of a cursor is random; its length could tell something.
  return text.replaceAll(/"next_cursor":"([^"]*)"/g, (_, cursor: string) => `"next_cursor":${cursor.length}`)
}

/** What both worlds answer to `request`, which may depend on the world, and what that cost. */
async function askBoth(name: string, request: (world: string) => Any) {
  const answers: Any[] = []
  for (const { name: world, service, ledger } of worlds) {
    service.activate()
    const { answer, entry } = await ledger.of(() => call(name, { as: 'plain', ...request(world) }))
    answers.push({ answer, seen: seen(answer), cost: [entry.calls, entry.waves], reads: entry.reads })
  }
  return answers as [Any, Any]
}

async function same(name: string, request: (world: string) => Any): Promise<Any> {
  const [one, other] = await askBoth(name, request)
  expect(other.seen).toBe(one.seen)
  expect(other.cost).toEqual(one.cost)
  // Rows with longer hidden values fill a read unit sooner. A word of a few people is less than one.
  expect(Math.abs(other.reads - one.reads)).toBeLessThanOrEqual(Math.max(1, one.reads / 50))
  return one.answer
}

describe('two organisations that differ in what is hidden answer the same', () => {
  it.each([
    {},
    { page_limit: 100, page_number: 2 },
    { page_limit: 100, page_number: 12 },
    { page_limit: 100, page_number: 21 },
    { sort: 'LAST_NAME_DESC' },
    { sort: 'FIRST_NAME_ASC', page_limit: 100 },
    { sort: 'FIRST_NAME_DESC,LAST_NAME_ASC', page_number: 7 },
    { search_term: 'zorn 1' },
    { search_term: 'ada zorn', sort: 'FIRST_NAME_ASC' },
    { search_term: 'city 7', page_number: 2 },
    { search_term: 'maier', page_limit: 100 },
    { search_term: 'hiddenia' },
    { search_term: 'out' },
    { search_term: 'name', unknown: 'x' },
    { id: ['p-1', 'p-77', 'p-1999', 'nobody'] },
  ])('to the list %j', async (query) => {
    await same('listPeople', () => ({ query }))
  })

  it('to each page by cursor', async () => {
    for (const query of [{ page_limit: 100 }, { search_term: 'falk', page_limit: 50, sort: 'FIRST_NAME_DESC' }]) {
      let cursors: (string | undefined)[] = [undefined, undefined]
      for (let page = 0; page < 8; page++) {
        const [one, other] = await askBoth('listPeople', (world) => {
          const cursor = cursors[world === 'x' ? 0 : 1]
          return { query: { ...query, ...(cursor ? { page_cursor: cursor } : {}) } }
        })
        expect([other.seen, other.cost]).toEqual([one.seen, one.cost])
        cursors = [one, other].map(({ answer }) => answer.body.pagination.next_cursor)
      }
    }
  })

  it('to reads of single people, with their ETags', async () => {
    for (const user_id of ['p-0', 'p-1', 'p-500', 'p-1999', 'nobody'])
      await same('getPerson', () => ({ path: { user_id } }))
  })
})

describe('a guess at a hidden value', () => {
  // What a value of person n is in the world x is nobody's in y.
  const one = personOf('x', 1711)
  const value = (name: string) => one.attributes?.find((attribute) => attribute.name === name)?.value as string
  const guesses = [
    value('department'),
    value('job_title'),
    value('note'),
    one.username as string,
    one.email as string,
    (one.email as string).split('@')[0] as string,
    one.external_id as string,
    one.tags?.[0]?.name as string,
    `${one.first_name} ${value('department')}`,
    `${one.last_name} ${one.email}`,
    value('department').toUpperCase(),
  ]
  it.each(guesses)('%s finds nobody, and costs the same whether somebody has it or not', async (guess) => {
    const answer = await same('listPeople', () => ({ query: { search_term: guess } }))
    expect(answer.body).toMatchObject({ users: [], pagination: { total_elements: 0, total_relation: 'EQUAL' } })
  })

  it.each(['attribute_technical_name', 'username', 'external_id', 'status', 'role', 'tag', 'email'])(
    'by the parameter %s, which is of administrators, is ignored',
    async (parameter) => {
      const answer = await same('listPeople', () => ({ query: { [parameter]: 'x', page_limit: 1 } }))
      expect(answer.headers['x-ignored-parameters']).toBe(parameter)
    },
  )

  it.each(['EMAIL_ASC', 'USERNAME_ASC', 'DEPARTMENT_ASC', 'CREATED_AT_ASC', 'STATUS_ASC', 'ROLE_ASC'])(
    'by the sort %s is refused',
    async (sort) => {
      const answer = await same('listPeople', () => ({ query: { sort } }))
      expect([answer.status, answer.body.property]).toEqual([400, 'sort'])
    },
  )
})
