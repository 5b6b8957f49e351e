import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { searchBudget } from '../../domain/people/finding/candidates.ts'
import { ENTERPRISE_URN, ROLLCALL_URN } from '../../domain/scim/schema.ts'
import type { Any } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'
import { undoLater } from '../harness/undo.ts'
import { expectAnswer, scim } from './scim.ts'

// Lists of users by SCIM: filters, order and pages.

/** All users that SCIM lists, as it lists them, in the order of their creation. */
let everybody: Any[]

const first = ['Ada', 'Bea', 'Zoë', 'ÉMILE', "d'Arc"]
const departments = ['Sales', 'sales', 'Logistics', undefined]

beforeAll(async () => {
  await startService({
    indexes: 'all',
    users: [
      ...people,
      ...Array.from({ length: 24 }, (_, n) => ({
        id: `U-${n}`,
        username: `${first[n % 5]}.${n}@Corp.example`,
        first_name: first[n % 5] as string,
        last_name: `Last ${n % 4}`,
        email: n % 3 === 0 ? `work-${n}@corp.example` : null,
        external_id: n % 2 === 0 ? `E-${n}` : null,
        status: (['ACTIVE', 'LOCKED', 'DEACTIVATED'] as const)[n % 3] ?? 'ACTIVE',
        attributes: [
          ...(departments[n % 4] ? [{ name: 'department', value: departments[n % 4] as string }] : []),
          ...(n % 5 === 0 ? [{ name: 'note', value: `note "${n}"` }] : []),
        ],
        created_at: `2026-02-${String(1 + (n % 20)).padStart(2, '0')}T00:00:00.000Z`,
        updated_at: `2026-03-${String(1 + n).padStart(2, '0')}T00:00:00.000Z`,
      })),
      {
        id: 'leaving',
        username: 'leaving',
        status: 'PENDING_DELETION',
        previous_status: 'ACTIVE',
        deletion_at: '2026-12-01T00:00:00.000Z',
      },
    ],
  })
  everybody = (await list({})).body.Resources
})

const list = (query: Record<string, string | number>) => scim('GET', '/Users', { query })
const found = async (filter: string): Promise<string[]> => {
  const reply = await list({ filter })
  expectAnswer(reply, 200)
  expect(reply.body.totalResults).toBe(reply.body.Resources.length)
  return reply.body.Resources.map(({ id }: Any) => id).sort()
}
/** The ids of those who pass, as the test judges it. */
const those = (pass: (user: Any) => boolean): string[] =>
  everybody
    .filter(pass)
    .map(({ id }) => id)
    .sort()

describe('a list', () => {
  it('has all users but those pending deletion, by the time of creation, then id', () => {
    expect(everybody.map(({ id }) => id)).toHaveLength(people.length + 24)
    const order = everybody.map(({ meta, id }) => [meta.created, id].join(' '))
    expect(order).toEqual(order.toSorted())
  })

  it('has pages by index: real numbers, clamped limits, an empty page behind the end', async () => {
    const page = await list({ startIndex: 3, count: 2 })
    expect(page.body).toMatchObject({ totalResults: everybody.length, itemsPerPage: 2, startIndex: 3 })
    expect(page.body.Resources).toEqual(everybody.slice(2, 4))
    expect((await list({ startIndex: 0, count: 1 })).body).toMatchObject({ startIndex: 1, Resources: [everybody[0]] })
    expect((await list({ count: 0 })).body).toMatchObject({
      totalResults: everybody.length,
      itemsPerPage: 0,
      Resources: [],
    })
    expect((await list({ count: -5 })).body.Resources).toEqual([])
    expect((await list({ startIndex: 1000 })).body).toMatchObject({ totalResults: everybody.length, itemsPerPage: 0 })
    expectAnswer(await list({ count: 'many' }), 400, 'invalidValue')
  })

  it.each(['', 'active eq true', 'name.familyName sw "last" or id pr', 'userName co "a"'])(
    'has pages by cursor: %s',
    async (filter) => {
      const whole = (await list({ filter })).body.Resources
      const walked: Any[] = []
      let cursor: string | undefined = ''
      while (cursor !== undefined) {
        const { body }: Any = await list({ filter, count: 9, cursor })
        expect(body).toMatchObject({ totalResults: whole.length, itemsPerPage: body.Resources.length })
        expect(body).not.toHaveProperty('startIndex')
        walked.push(...body.Resources)
        cursor = body.nextCursor
      }
      expect(walked).toEqual(whole)
    },
  )

  it('refuses a cursor of another list or caller, and one that was changed', async () => {
    const { nextCursor } = (await list({ cursor: '', count: 5 })).body
    expectAnswer(await list({ cursor: `${nextCursor}x` }), 400, 'invalidCursor')
    expectAnswer(await list({ cursor: nextCursor, sortBy: 'userName' }), 400, 'invalidCursor')
    expectAnswer(await scim('GET', '/Users', { query: { cursor: nextCursor }, as: 'admin-2' }), 400, 'invalidCursor')
  })

  it.each([
    ['userName', (user: Any) => user.userName.toLowerCase()],
    ['NAME.familyName', (user: Any) => user.name.familyName.toLowerCase()],
    ['urn:ietf:params:scim:schemas:core:2.0:User:meta.lastModified', (user: Any) => user.meta.lastModified],
  ])('is sorted by %s, up and down, with and without a filter', async (sortBy, sortValue) => {
    for (const filter of ['', 'id pr'])
      for (const sortOrder of ['ascending', 'Descending']) {
        const { body } = await list({ sortBy, sortOrder, filter })
        const values = body.Resources.map(sortValue).map((text: string) =>
          text.normalize('NFKD').replace(/\p{M}/gu, ''),
        )
        expect(values).toEqual(sortOrder === 'ascending' ? values.toSorted() : values.toSorted().reverse())
        expect(body.totalResults).toBe(everybody.length)
      }
  })

  it('refuses other orders', async () => {
    for (const sortBy of ['title', 'constructor', '__proto__'])
      expectAnswer(await list({ sortBy }), 400, 'invalidValue')
    expectAnswer(await list({ sortBy: 'userName', sortOrder: 'up' }), 400, 'invalidValue')
  })

  it('is found by POST to .search, too', async () => {
    const body = { filter: 'userName sw "ada"', startIndex: 2, count: 1, attributes: ['userName'], sortBy: 'userName' }
    const reply = await scim('POST', '/Users/.search', { body })
    expectAnswer(reply, 200)
    expect(reply.body).toMatchObject({ startIndex: 2, itemsPerPage: 1 })
    expect(Object.keys(reply.body.Resources[0]).sort()).toEqual(['id', 'schemas', 'userName'])
    expectAnswer(await scim('POST', '/Users/.search', { body: { filter: 1 } }), 400, 'invalidValue')
  })
})

describe('what directories ask for:', () => {
  it('Entra tests the connection with somebody who is not there', async () => {
    const { body } = await list({ filter: 'userName eq "8c1a2b3c-0000-4000-8000-000000000000"' })
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      itemsPerPage: 0,
      startIndex: 1,
      Resources: [],
    })
  })

  it.each([
    ['userName eq "ADA.0@corp.EXAMPLE"', ['U-0']],
    ['externalId eq E-2', ['U-2']],
    ['externalId eq "e-2"', []],
    ['id eq "u-2"', []],
    ['emails[type eq "work"].value eq "WORK-3@corp.example"', ['U-3']],
    ['id eq "U-3" and active eq true', ['U-3']],
    ['id eq "U-3" and manager eq "boss"', []],
    ['id eq "U-1" or userName eq "plain" or externalId eq "none"', ['U-1', 'plain']],
    ['id eq "leaving"', []],
    [`id eq "${'x'.repeat(300)}"`, []],
    ['meta.lastModified gt "2026-03-23T00:00:00Z" and id co "U-"', ['U-23']],
    ['meta.lastModified ge "2026-03-23T00:00:00Z" and id co "U-"', ['U-22', 'U-23']],
  ])('%s', async (filter, ids) => expect(await found(filter)).toEqual(ids))

  it('everybody who is active, and who is not', async () => {
    expect(await found('active eq "True"')).toEqual(those(({ active }) => active))
    expect(await found('active eq false')).toEqual(those(({ active }) => !active))
    expect(await found('active ne true and name.familyName eq "last 2"')).toEqual(
      those(({ active, name }) => !active && name.familyName === 'Last 2'),
    )
  })

  it.each(['groups.value eq "sales"', 'password eq "x"', 'hat eq "x"', 'userName eq', 'userName eq "x" or groups pr'])(
    'but not %s',
    async (filter) => expectAnswer(await list({ filter }), 400, 'invalidFilter'),
  )

  it('too much for the budget of a search', async () => {
    const { rows } = searchBudget
    undoLater('budget', () => Object.assign(searchBudget, { rows }))
    searchBudget.rows = 40
    expectAnswer(await list({ filter: 'displayName ne "x"' }), 400, 'tooMany')
    expectAnswer(await list({ filter: 'userName sw "corp" or id pr' }), 400, 'tooMany')
    expect((await list({ filter: 'userName eq "plain"' })).body.totalResults).toBe(1)
    searchBudget.rows = rows
  })

  it('by a word of too many users, where the lists of a status are short', async () => {
    const { rows } = searchBudget
    undoLater('budget', () => Object.assign(searchBudget, { rows }))
    searchBudget.rows = 28
    const common = 'name.familyName sw "L" and name.givenName co "arc"'
    expect(await found(`active eq false and ${common}`)).toEqual(['U-14'])
    expectAnswer(await list({ filter: common }), 400, 'tooMany')
    searchBudget.rows = rows
  })
})

// Filters of a grammar, and what they find by another reading of the same resources.
type Drawn = { text: string; holds: (user: Any) => boolean }
const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
const relations: Record<string, (a: string, b: string) => boolean> = {
  eq: same,
  co: (a, b) => a.toLowerCase().includes(b.toLowerCase()),
  sw: (a, b) => a.toLowerCase().startsWith(b.toLowerCase()),
  ew: (a, b) => a.toLowerCase().endsWith(b.toLowerCase()),
}
const texts: Record<string, (user: Any) => (string | undefined)[]> = {
  userName: ({ userName }) => [userName],
  'name.givenName': ({ name }) => [name.givenName],
  displayName: ({ displayName }) => [displayName],
  'emails.value': ({ emails = [] }) => emails.map(({ value }: Any) => value),
  [`${ENTERPRISE_URN}:department`]: (user) => [user[ENTERPRISE_URN]?.department],
  [`${ROLLCALL_URN}:note`]: (user) => [user[ROLLCALL_URN]?.note],
}
const value = fc.constantFrom(
  'ada',
  'Ada.0',
  'é',
  'EMILE',
  'last 2',
  'sales',
  '@corp',
  'example',
  'note "5"',
  ' ',
  "'",
  'd',
  'Zoë',
  '.',
)
const textual = fc.tuple(fc.constantFrom(...Object.keys(texts)), fc.constantFrom(...Object.keys(relations)), value).map(
  ([path, op, wanted]): Drawn => ({
    text: `${path} ${op} ${JSON.stringify(wanted)}`,
    holds: (user) => (texts[path]?.(user) ?? []).some((one) => one !== undefined && relations[op]?.(one, wanted)),
  }),
)
const leaf = fc.oneof(
  { weight: 4, arbitrary: textual },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Drawn>(
      { text: 'active eq true', holds: ({ active }) => active },
      { text: 'externalId pr', holds: ({ externalId }) => externalId !== undefined },
      { text: 'id eq "U-3"', holds: ({ id }) => id === 'U-3' },
      {
        text: 'meta.lastModified ge "2026-03-10T00:00:00Z"',
        holds: ({ meta }) => meta.lastModified >= '2026-03-10T00:00:00.000Z',
      },
      {
        text: 'emails[type eq "work" and value co "3"]',
        holds: ({ emails = [] }) => emails.some((one: Any) => one.value.includes('3')),
      },
    ),
  },
)
const { filter: drawn } = fc.letrec<{ filter: Drawn }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    leaf,
    tie('filter').map(({ text, holds }): Drawn => ({ text: `not (${text})`, holds: (user) => !holds(user) })),
    fc
      .tuple(tie('filter'), tie('filter'))
      .map(
        ([a, b]): Drawn => ({ text: `(${a.text}) and (${b.text})`, holds: (user) => a.holds(user) && b.holds(user) }),
      ),
    fc
      .tuple(tie('filter'), tie('filter'))
      .map(
        ([a, b]): Drawn => ({ text: `(${a.text}) or (${b.text})`, holds: (user) => a.holds(user) || b.holds(user) }),
      ),
  ),
}))

it('any filter finds whom the reference filter finds, whichever way is taken', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ text, holds }) => {
      expect(await found(text), text).toEqual(those(holds))
    }),
    { numRuns: runs(80) },
  )
})
