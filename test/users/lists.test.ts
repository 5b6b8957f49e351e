import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import * as keys from '../../domain/table/keys.ts'
import { userSorts } from '../../schemas/userRecords.ts'
import { call } from '../harness/call.ts'
import { betweenReads } from '../harness/meanwhile.ts'
import { SEED } from '../harness/runs.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { walkByCursor } from '../harness/walk.ts'
import { attributeOf, listed, plain, type Query, sortValue, type User, words } from './userModel.ts'

// The list of users in a real table, against the model of it.

// The directory --------------------------------------------------------------------------------------------------

// Few values, so that there are ties; pairs that only case, accent or script tell apart; texts that sort badly.
const names = [
  ...['Ann', 'Änn', 'ANN', 'Anne', 'van', 'van Dyk', 'Van-Dyk', 'vandyk', 'Özil', 'Ozil', 'Łukasz', 'lukasz', 'Straße'],
  ...[
    'Strasse',
    'Ærø',
    'Aero',
    "O'Neil",
    'Jean-Luc',
    'Ωμέγα',
    'ΟΔΥΣΣΕΥΣ',
    'Οδυσσεύς',
    'Йосиф',
    'иосиф',
    '李',
    '王 小明',
  ],
  ...[
    '김',
    '😀',
    '\ue000',
    'ﬁn',
    'Ｆｉｎ',
    '\u0301',
    'ı',
    'I',
    '~',
    'ångström (jr.)',
    'مُحَمَّد',
    'محمد',
    'שָׁלוֹם',
    'Đặng',
    'Þór',
  ],
]
const name = fc.oneof(
  fc.constantFrom(...names),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)).map(([one, other]) => `${one} ${other}`),
)
const email = fc.constantFrom('ann@example.com', 'Jean-Luc.Picard@ncc.example.org', 'b_c+tag@EXAMPLE.com', 'zoe@x.io')
const place = fc.constantFrom(
  'Forschung & Entwicklung',
  'forschung & entwicklung',
  'Zürich',
  'Zurich',
  'R&D',
  '経理',
  'e\u0301',
  ' ',
  '\u3000\u200b\u2060',
)

const details = fc.record(
  { first_name: name, last_name: name, email: fc.option(email), role: fc.constantFrom('USER', 'USER', 'ADMIN') },
  { requiredKeys: ['first_name', 'last_name'] },
)
const attributes = fc
  .record({ department: place, location: place, note: fc.constantFrom('x', 'X', 'y') }, { requiredKeys: [] })
  .map((given) => Object.entries(given).map(([name, value]) => ({ name, value })))
const user = fc.record({
  details,
  attributes,
  status: fc.constantFrom('ACTIVE', 'ACTIVE', 'LOCKED', 'DEACTIVATED'),
  wait: fc.nat(2),
})
const change = fc.record({
  at: fc.nat(1000),
  wait: fc.nat(2),
  how: fc.constantFrom(
    'rename',
    'attributes',
    'username',
    'lockUser',
    'unlockUser',
    'deleteUser',
    'deleteUser',
    'restoreUser',
  ),
  details,
  attributes,
})
const directory = fc.record({
  users: fc.array(user, { minLength: 24, maxLength: 30, size: 'max' }),
  changes: fc.array(change, { minLength: 20, maxLength: 26, size: 'max' }),
})
type Directory = typeof directory extends fc.Arbitrary<infer D> ? D : never

const DAY = 24 * 60 * 60 * 1000

/** Makes the directory, lets three weeks of changes pass over it, and answers who is there at the end. */
async function live(service: Service, { users, changes }: Directory): Promise<User[]> {
  const wait = (days: number) => service.setNow(new Date(service.now().getTime() + days * DAY))
  const ids: string[] = []
  for (const [n, { details, attributes, status, wait: days }] of users.entries()) {
    wait(days % 2)
    const id = `${'zAb9-._Z'[n % 8] === '-' ? 'm' : ('zAb9mxqZ'[n % 8] as string)}${(n * 7919) % 1000}`
    const body = {
      ...details,
      id,
      username: `${details.first_name}.${n}`,
      external_id: n % 3 ? `E${n}` : null,
      status,
      attributes,
    }
    expect((await call('createUser', { body: { ...ordinary, ...body }, as: 'root' })).status).toBe(201)
    ids.push(id)
  }
  for (const { at, how, wait: days, details, attributes } of changes) {
    wait(days)
    const path = { user_id: ids[at % ids.length] as string }
    const bodies: Record<string, object> = {
      rename: details,
      attributes: { attributes },
      username: { username: `${details.last_name}-${at}` },
    }
    await call(bodies[how] ? 'updateUser' : how, { path, body: bodies[how], as: 'root' })
  }
  const found = await Promise.all(['root', ...ids].map((user_id) => call('getUser', { path: { user_id }, as: 'root' })))
  return found.filter(({ status }) => status === 200).map(({ body }) => body)
}

// The queries ----------------------------------------------------------------------------------------------------

const sorts = userSorts.flatMap((field) => [`${field}_ASC`, `${field}_DESC`])

/** What somebody might type who looks for one of them: a beginning of words, in another case, with or without accents. */
const termOf = (user: User): fc.Arbitrary<string> => {
  const fields = [user.first_name, user.last_name, user.username, user.email, attributeOf(user, 'department'), user.id]
  const all = fields.flatMap((field) => (field ? [...words(field), field] : []))
  const begun = fc
    .tuple(fc.constantFrom(...all), fc.integer({ min: 1, max: 8 }), fc.constantFrom('lower', 'upper', 'plain', 'as is'))
    .map(([word, length, style]) => {
      const text = [...word].slice(0, length).join('')
      if (style === 'plain') return plain(text)
      return style === 'lower' ? text.toLowerCase() : style === 'upper' ? text.toUpperCase() : text
    })
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(begun, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')) },
    { weight: 1, arbitrary: fc.constant(user.id) },
    { weight: 1, arbitrary: fc.constantFrom('-', '@', '.', 'nobody', '\u0301', ' ann  OZ ', 'zz') },
  )
}

function queryOn(users: User[]): fc.Arbitrary<Query> {
  const someone = fc.constantFrom(...users)
  const ofSomeone = <T>(pick: (user: User) => T) => someone.map(pick)
  const filters: Record<string, fc.Arbitrary<Query>> = {
    search: someone.chain((user) => termOf(user).map((search_term) => ({ search_term }))),
    username: ofSomeone(({ username }) => ({
      username: username.toUpperCase().toLowerCase() === username.toLowerCase() ? username.toUpperCase() : username,
    })),
    externalId: ofSomeone(({ external_id }) => ({ external_id: external_id ?? 'e1' })),
    attribute: ofSomeone(({ attributes }) => ({ attribute: attributes[0] ?? { name: 'unheard_of', value: 'x' } })),
    status: fc.subarray(['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION']).map((status) => ({ status })),
    role: fc.subarray(['USER', 'ADMIN']).map((role) => ({ role })),
    sort: fc.uniqueArray(fc.constantFrom(...sorts), { minLength: 1, maxLength: 5 }).map((sort) => ({ sort })),
  }
  const { search, username, externalId, attribute, status, role, sort } = filters as Record<string, fc.Arbitrary<Query>>
  const none = fc.constant<Query>({})
  const some = (weight: number, one: fc.Arbitrary<Query> = none) =>
    fc.oneof({ weight: 10 - weight, arbitrary: none }, { weight, arbitrary: one })
  return fc
    .tuple(
      some(5, search),
      some(1, username),
      some(1, externalId),
      some(2, attribute),
      some(4, status),
      some(3, role),
      some(8, sort),
    )
    .map((parts) => Object.assign({}, ...parts))
}

const asParameters = ({ attribute, status, role, sort, ...rest }: Query): Record<string, string> => ({
  ...rest,
  ...(attribute ? { attribute_technical_name: attribute.name, attribute_value: attribute.value } : {}),
  ...(status?.length ? { status: status.join() } : {}),
  ...(role?.length ? { role: role.join() } : {}),
  ...(sort ? { sort: sort.join() } : {}),
})

/** Walks all pages and one further; every answer must have the same true totals. */
async function walk(query: Query, page_limit: number): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = []
  for (let page_number = 1; ; page_number++) {
    const { status, body } = await call('listUsers', {
      query: { ...asParameters(query), page_limit, page_number },
      as: 'root',
    })
    expect([status, body.error_code]).toEqual([200, undefined])
    const { total_elements, total_pages } = body.pagination
    expect(body.pagination).toEqual({
      page_number,
      page_limit,
      total_pages: Math.ceil(total_elements / page_limit),
      total_elements,
      total_relation: 'EQUAL',
      next_cursor: page_number < total_pages ? expect.any(String) : null,
      has_more: page_number < total_pages,
    })
    if (page_number > total_pages) {
      expect(body.users).toEqual([])
      return { ids, total: total_elements }
    }
    if (page_number < total_pages) expect(body.users, 'a page is full unless it is the last').toHaveLength(page_limit)
    ids.push(...body.users.map(({ id }: User) => id))
  }
}

async function holds(users: User[], query: Query, limit: number): Promise<void> {
  const { ids, total } = await walk(query, limit)
  const expected = listed(users, query)
  const shown = (all: string[]) =>
    all.map((id) =>
      describeUser(
        users.find((user) => user.id === id),
        query,
      ),
    )
  expect(shown(ids), JSON.stringify(query)).toEqual(shown(expected.map(({ id }) => id)))
  expect(total).toBe(expected.length)
  const byCursor = await walkByCursor('listUsers', { query: asParameters(query), as: 'root' }, [limit, 14])
  expect(shown(byCursor.map(({ id }) => id)), `by cursor: ${JSON.stringify(query)}`).toEqual(shown(ids))
}

const describeUser = (user: User, { sort = ['LAST_NAME_ASC'] }: Query): string =>
  user && [user.id, ...sort.map((one) => sortValue(user, one))].join(' | ')

describe('walking all pages of any list gives what the contract says, in its order, with its totals', () => {
  const DIRECTORIES = Number(process.env.DIRECTORIES ?? 1)
  const QUERIES = Number(process.env.QUERIES ?? 10)
  it.each(Array.from({ length: DIRECTORIES }, (_, n) => n))('directory %i', async (n) => {
    const seed = SEED + n
    const service = await startService({ indexes: 'all', users: [{ id: 'root', role: 'ADMIN', protected: true }] })
    const [given] = fc.sample(directory, { numRuns: 1, seed })
    const users = await live(service, given as Directory)
    const queries: Query[] = [
      {},
      ...sorts.map((sort) => ({ sort: [sort] })),
      ...fc.sample(queryOn(users), { numRuns: QUERIES, seed }),
    ]
    try {
      for (const [n, query] of queries.entries()) await holds(users, query, [14, 9, 100][n % 3] as number)
    } catch (error) {
      throw new Error(`SEED=${seed}`, { cause: error })
    }
  })
})

describe('who is found', () => {
  const department = (value: string) => ({ attributes: [{ name: 'department', value }] })
  let service: Service
  beforeAll(async () => {
    service = await startService({
      indexes: 'all',
      users: [
        { id: 'root', role: 'ADMIN', protected: true, first_name: 'Root', last_name: 'Root' },
        {
          id: 'Picard-1',
          first_name: 'Jean-Luc',
          last_name: 'Picard',
          username: 'jlp',
          email: 'j.luc+ncc@mail.example.org',
        },
        { id: 'sales', first_name: 'Zoë', last_name: 'Ó Briain', username: 'zoe', ...department('Sales#EMEA') },
        { id: 'blank', first_name: 'B', last_name: 'B', username: 'b', ...department(' ') },
        { id: 'half', first_name: 'Zoé', last_name: 'D’Arc', username: 'ZZ', ...department('EMEA') },
        {
          id: 'wordy',
          first_name: 'W',
          last_name: 'W',
          username: Array.from({ length: 60 }, (_, n) => `w${n}`).join(' '),
        },
        { id: 'long', first_name: 'L', last_name: 'L', username: `${'ﷺ'.repeat(200)}x` },
      ],
    })
  })
  const found = async (query: object): Promise<string[]> => {
    const { body } = await call('listUsers', { query: { ...query, sort: 'USERNAME_ASC' }, as: 'root' })
    expect(body.pagination.total_elements).toBe(body.users.length)
    return body.users.map(({ id }: User) => id)
  }

  it.each<[string, string[]]>([
    ...[
      'jean',
      'luc',
      'jean-l',
      'JEAN-LUC',
      'j.luc',
      'ncc',
      'mail.ex',
      'example',
      'org',
      'j.luc+ncc@mail',
      'luc pic',
    ].map((term): [string, string[]] => [term, ['Picard-1']]),
    ...['ean', 'luc-jean', 'jeanluc', 'uc', 'picard jean x', 'luc@mail'].map((term): [string, string[]] => [term, []]),
    ['zoe', ['sales', 'half']],
    ['ZOE\u0308', ['sales', 'half']],
    ['briain', ['sales']],
    ['o bri', ['sales']],
    ['arc', ['half']],
    ["d'arc", ['half']],
    ['D’ARC', ['half']],
    ['jean‐luc', ['Picard-1']],
    ['emea', ['half', 'sales']],
    ['sales#e', ['sales']],
    ['Picard-1', ['Picard-1']],
    ['  Picard-1 ', ['Picard-1']],
    ['picard-1', []],
    ['Picard-', []],
    ['sales', ['sales']],
    ['w59', ['wordy']],
    ['w5 w1 w44', ['wordy']],
    ['w60', []],
    ['ﷺ'.repeat(200), ['long']],
    ['صلى', ['long']],
    ['root', ['root']],
    ['r', ['root']],
  ])('by the term %s: %j', async (search_term, ids) => {
    expect((await found({ search_term })).sort()).toEqual([...ids].sort())
  })

  it.each<[object, string[]]>([
    [{ attribute_technical_name: 'department', attribute_value: 'Sales#EMEA' }, ['sales']],
    [{ attribute_technical_name: 'department#Sales', attribute_value: 'EMEA' }, []],
    [{ attribute_technical_name: 'department', attribute_value: 'sales#emea' }, []],
    [{ attribute_technical_name: 'department', attribute_value: 'Sales' }, []],
    [{ attribute_technical_name: 'Department', attribute_value: 'EMEA' }, []],
    [{ attribute_technical_name: '__proto__', attribute_value: 'EMEA' }, []],
    [{ attribute_technical_name: 'department', attribute_value: 'EMEA', search_term: 'zoe' }, ['half']],
    [{ attribute_technical_name: 'department', attribute_value: 'EMEA', search_term: 'briain' }, []],
    [{ username: 'zz', search_term: 'emea' }, ['half']],
    [{ username: 'zz', search_term: 'sales' }, []],
    [{ username: 'zz', external_id: 'zz' }, []],
    [{ username: 'z' }, []],
    [{ search_term: 'Picard-1', status: 'LOCKED' }, []],
    [{ search_term: 'Picard-1', status: 'ACTIVE,LOCKED' }, ['Picard-1']],
    [{ search_term: 'sales', username: 'zoe' }, ['sales']],
    [{ search_term: ' ', role: 'ADMIN' }, ['root']],
    [{ username: ' ' }, []],
    [{ external_id: ' ' }, []],
    [{ username: ' ', search_term: 'zoe' }, []],
    [{ attribute_technical_name: 'department', attribute_value: ' ' }, ['blank']],
    [{ attribute_technical_name: 'department', attribute_value: '  ' }, []],
    [{ attribute_technical_name: ' ', attribute_value: ' ' }, []],
    [{ attribute_technical_name: 'department', attribute_value: ' ', search_term: 'zoe' }, []],
  ])('by %j: %j', async (query, ids) => {
    expect((await found(query)).sort()).toEqual([...ids].sort())
  })

  it.each([
    ['lockUser', 'LOCKED', 'ACTIVE', 'first page'],
    ['unlockUser', 'ACTIVE', 'LOCKED', 'first page'],
    ['lockUser', 'LOCKED', 'ACTIVE', 'page by cursor'],
    ['unlockUser', 'ACTIVE', 'LOCKED', 'page by cursor'],
  ])('%s between reads of %s and %s: on the %s', async (endpoint, to, from, page) => {
    const reads = (status: string) => (_: string, input: object) =>
      JSON.stringify(input).includes(keys.userList(status, 'USER'))
    const moves = async () =>
      expect(await call(endpoint, { path: { user_id: 'sales' }, as: 'root' })).toMatchObject({ status: 200 })
    const list = (query: object) => call('listUsers', { query: { sort: 'CREATED_AT_ASC', ...query }, as: 'root' })
    const { users, pagination } = (await list({ page_limit: 1 })).body
    const [query, before] = page === 'first page' ? [{}, []] : [{ page_cursor: pagination.next_cursor }, users]
    const reply = await betweenReads(service, [reads(to), reads(from)], moves, () => list(query))
    const ids = [...before, ...reply.body.users].map(({ id }: User) => id)
    expect(ids.toSorted()).toEqual(['Picard-1', 'blank', 'half', 'long', 'root', 'sales', 'wordy'])
  })
})
