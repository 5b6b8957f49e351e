import fc from 'fast-check'
import { expect, it } from 'vitest'
import { creationOfImported } from '../../domain/import/importedUser.ts'
import { type SearchBudget, searchBudget } from '../../domain/people/finding/candidates.ts'
import { findUsers } from '../../domain/people/finding/findUsers.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import type { UserFilter } from '../../domain/people/records/userLists.ts'
import { filterOf } from '../../domain/people/users/listUsers.ts'
import { type Position, sortings } from '../../domain/request/sorting.ts'
import type { Item } from '../../domain/table/store.ts'
import { userSorts } from '../../schemas/userRecords.ts'
import { type Counters, putAll } from '../harness/bulk.ts'
import { memoryStore } from '../harness/memoryStore.ts'
import { runs } from '../harness/runs.ts'
import { userRecord } from '../harness/seed.ts'
import { listed } from './userModel.ts'

// Searches with small budgets in small directories, against a model that looks at every user.

const NOW = '2026-11-21T09:00:00.000Z'
const later = '2026-12-01T09:00:00.000Z'
const before = '2026-11-20T09:00:00.000Z'

const few = ['Ann', 'Anna', 'Änne', 'Bo', 'Bob', 'van Bo', 'Zoë']
const name = fc.constantFrom(...few)
const value = fc.option(fc.constantFrom('Sales', 'sales', 'R&D Bo', ' '), { nil: undefined })
/** With so many words a user is stored in another place than with few. */
const wordy = [...'abcdefghijklmnopqrstuvwxyzäöü'].map((letter) => `${letter}${letter}`).join(' ')

const person = fc.record({
  first_name: name,
  last_name: fc.oneof({ weight: 30, arbitrary: name }, { weight: 1, arbitrary: fc.constant(wordy) }),
  mail: fc.option(fc.constantFrom('ann@example.com', 'x@example.com', 'bo@zz.org'), { nil: null }),
  status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'),
  deletion_at: fc.constantFrom(later, later, before),
  role: fc.constantFrom('USER', 'USER', 'USER', 'USER', 'ADMIN'),
  department: value,
  location: value,
  note: value,
  day: fc.nat(9),
})
type Person = typeof person extends fc.Arbitrary<infer P> ? P : never

const recordOf = (
  { mail, department, location, note, day, deletion_at, ...person }: Person,
  n: number,
): UserRecord => ({
  ...userRecord({ id: `u${(n * 7919) % 997}` }, ''),
  ...person,
  email: mail,
  username: `${person.first_name}.${n}`,
  created_at: `2026-01-0${(day % 4) + 1}T00:00:00.000Z`,
  updated_at: `2026-02-0${day + 1}T00:00:00.000Z`,
  attributes: Object.entries({ department, location, note }).flatMap(([name, value]) =>
    value ? [{ name, value }] : [],
  ),
  ...(person.status === 'PENDING_DELETION' ? { deletion_at, previous_status: 'ACTIVE' } : {}),
})

/** The items that these users have in the table. */
async function itemsOf(users: readonly UserRecord[]): Promise<Item[]> {
  const items: Item[] = []
  const counters: Counters = new Map()
  const bulk = async (changes: readonly object[]) =>
    void items.push(...changes.map((one) => (one as { put: Item }).put))
  for (const user of users) {
    const actions = creationOfImported(user, { now: NOW, shard: 0, memberRole: 'member' })
    await putAll({ bulk } as never, actions, counters)
  }
  return [...items, ...counters.values()]
}

type Asked = {
  term: string
  attribute: { name: string; value: string } | undefined
  statuses: readonly UserRecord['status'][]
  roles: readonly UserRecord['role'][]
  sort: string[]
}

/** The ids that the search has to find, in order. */
const expectedIds = (users: readonly UserRecord[], { term, statuses, roles, ...rest }: Asked): string[] =>
  listed(
    users.filter(({ deletion_at }) => deletion_at === undefined || deletion_at > NOW),
    { ...rest, search_term: term, status: statuses, role: roles },
  ).map(({ id }) => id)

// Searches --------------------------------------------------------------------------------------------------------

const word = fc.constantFrom('a', 'an', 'ann', 'b', 'bo', 'e', 'example.com', '@', 'zo', 'sa', 'r&d', 'van', 'q', '1')
const search = fc.record({
  term: fc.oneof(
    { weight: 8, arbitrary: fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')) },
    { weight: 1, arbitrary: fc.constantFrom('u0', 'u942') },
  ),
  attribute: fc.option(
    fc.record({
      name: fc.constantFrom('department', 'location', 'note'),
      value: fc.constantFrom('Sales', 'sales', 'R&D Bo', ' '),
    }),
    { nil: undefined, freq: 3 },
  ),
  statuses: fc.oneof(
    fc.constant([]),
    fc.subarray(['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as UserRecord['status'][]),
  ),
  roles: fc.oneof(fc.constant([]), fc.subarray(['USER', 'ADMIN'] as UserRecord['role'][])),
  sort: fc.uniqueArray(fc.constantFrom(...userSorts.flatMap((field) => [`${field}_ASC`, `${field}_DESC`])), {
    minLength: 1,
    maxLength: 3,
    selector: (one) => one.replace(/_(ASC|DESC)$/, ''),
  }),
})

const budgets = fc.record({
  rows: fc.oneof(fc.integer({ min: 15, max: 60 }), fc.integer({ min: 60, max: 2000 })),
  bytes: fc.constantFrom(10_000, 1_000_000, 1_000_000),
  counted: fc.integer({ min: 6, max: 30 }),
  readable: fc.integer({ min: 1, max: 5 }),
})

/** The filter of such a query. */
const asked = ({ term, attribute, statuses, roles, sort }: Asked): UserFilter => ({
  ...filterOf({
    search_term: term,
    status: [...statuses],
    role: [...roles],
    ...(attribute ? { attribute_technical_name: attribute.name, attribute_value: attribute.value } : {}),
  }),
  sorts: sortings(sort as never),
})

/** Reads all pages of a search, and what the first one says about it; undefined if the order is refused. */
async function pagesOf({ store, use }: ReturnType<typeof memoryStore>, query: Asked, budget: SearchBudget) {
  const read = async (skip: number, after?: Position) => {
    use()
    const window = { skip, take: 4, after }
    const page = await findUsers({ store, now: NOW }, asked(query), window, async (users) => users, budget)
    // Rows of words, of users with many words, and of lists; 16 rows or a record.
    const { indexRows, records } = use()
    expect(indexRows, 'rows').toBeLessThanOrEqual((4 / 3 + 1 / 4 + 1) * budget.rows + 9)
    expect(records, 'records').toBeLessThanOrEqual(budget.rows / 16 + 5)
    return page
  }
  const first = await read(0).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', property: 'sort' })
  })
  const ids: string[] = []
  let page = first
  for (let skip = 4; page; skip += 4) {
    ids.push(...page.users.map(({ id }) => id))
    if (!page.next) break
    const byNumber = await read(skip)
    page = await read(0, page.next)
    expect(page).toEqual(byNumber)
    expect([page.total, page.readable]).toEqual([first?.total, first?.readable])
  }
  return first && { ids, total: first.total ?? 0, readable: first.readable }
}

it('a search finds all, or says that these are the first ones', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 25, maxLength: 60, size: 'max' }),
      fc.array(fc.tuple(search, budgets), { minLength: 12, maxLength: 12 }),
      fc.constantFrom(3, 10, 1000),
      async (people, searches, pageRows) => {
        const users = people.map(recordOf)
        const items = await itemsOf(users)
        for (const [query, budget] of searches) {
          const table = memoryStore(items, { rows: pageRows })
          const found = await pagesOf(table, query, budget)
          const expected = expectedIds(users, query)
          const about = JSON.stringify([query, budget, pageRows])
          if (!found) {
            expect(query.sort.length, about).toBeGreaterThan(1)
          } else if (found.readable === undefined) {
            expect(found, about).toMatchObject({ ids: expected, total: expected.length })
          } else {
            expect(found.ids, about).toEqual(expected.slice(0, found.readable))
            expect(found.readable, about).toBeLessThanOrEqual(budget.readable)
            expect(found.total, about).toBeLessThanOrEqual(Math.min(expected.length, budget.counted))
            expect(found.total, about).toBeGreaterThanOrEqual(found.readable)
          }
        }
      },
    ),
    { numRuns: runs(40) },
  )
})

// What becomes of searches that are too broad ---------------------------------------------------------------------

/** 200 users: all have an e-mail address at the same host, half of them a name with A, every tenth another status. */
const crowd = Array.from(
  { length: 200 },
  (_, n): UserRecord => ({
    ...userRecord({ id: `u${(n * 7919) % 997}` }, before),
    first_name: n % 2 === 0 ? 'Ann' : 'Bo',
    last_name: n % 2 === 0 ? `Bolt${n % 7}` : n === 199 ? 'Ast' : `Cole${n % 7}`,
    username: `user.${n}`,
    email: `user.${n}@large.example`,
    status: n % 10 === 9 ? 'LOCKED' : 'ACTIVE',
    updated_at: `2026-01-01T00:00:00.${String((n * 37) % 1000).padStart(3, '0')}Z`,
    attributes: [
      { name: 'department', value: n % 4 === 3 ? 'Sales' : 'Care' },
      { name: 'grade', value: 'one' },
    ],
  }),
)

const crowdItems = await itemsOf(crowd)

const everybody: Asked = {
  term: 'large.example',
  attribute: undefined,
  statuses: [],
  roles: [],
  sort: ['LAST_NAME_ASC'],
}
const small: SearchBudget = { rows: 60, bytes: 1_000_000, counted: 30, readable: 10 }
const grade = { name: 'grade', value: 'one' }

it.each<[string, Partial<Asked>, Partial<SearchBudget>, { total: number; readable?: number } | undefined]>([
  ['everybody', {}, {}, { total: 30, readable: 10 }],
  ['everybody, with a budget that suffices', {}, { rows: 250 }, { total: 200 }],
  ['everybody, by a budget of bytes', {}, { bytes: 5000 }, { total: 30, readable: 0 }],
  ['everybody, backwards', { sort: ['EMAIL_DESC'] }, {}, { total: 30, readable: 10 }],
  ['a letter that half of them have', { term: 'a' }, {}, { total: 30, readable: 10 }],
  ['a letter, half of the budget', { term: 'a' }, { rows: 102 }, { total: 101 }],
  ['two common words that nobody has together', { term: 'ann cole' }, {}, { total: 0, readable: 0 }],
  ['a common word and a rare one', { term: 'large ast' }, {}, { total: 1 }],
  ['a rare word shorter than four common ones', { term: 'large user. example sales ast' }, {}, { total: 1 }],
  ['five words', { term: 'large user example u l' }, {}, { total: 30, readable: 10 }],
  ['far down the order', { term: 'co' }, { rows: 40 }, { total: 30, readable: 0 }],
  ['one status, the rare one', { statuses: ['LOCKED'] }, {}, { total: 20 }],
  ['one status, the common one', { statuses: ['ACTIVE'] }, {}, { total: 30, readable: 10 }],
  ['a word and the common status', { term: 'a', statuses: ['ACTIVE'] }, { rows: 110 }, { total: 100 }],
  ['a word by last change', { term: 'a', sort: ['UPDATED_AT_DESC'] }, { rows: 110 }, { total: 30, readable: 10 }],
  ['a word by status', { term: 'a', sort: ['STATUS_DESC', 'LAST_NAME_ASC'] }, { rows: 110 }, { total: 101 }],
  ['everybody by status', { sort: ['STATUS_DESC', 'LAST_NAME_ASC'] }, {}, { total: 30, readable: 10 }],
  ['everybody by two fields', { sort: ['LAST_NAME_ASC', 'USERNAME_ASC'] }, {}, { total: 30, readable: 10 }],
  ['everybody by two fields, long ties', { sort: ['DEPARTMENT_ASC', 'USERNAME_ASC'] }, {}, undefined],
  ['a common attribute', { term: '', attribute: grade }, {}, { total: 30, readable: 2 }],
  [
    'a common attribute by last change',
    { term: '', attribute: grade, sort: ['UPDATED_AT_ASC'] },
    { rows: 210 },
    { total: 200 },
  ],
  ['a department', { term: '', attribute: { name: 'department', value: 'Sales' } }, {}, { total: 50 }],
  [
    'a department and a word',
    { term: 'user', attribute: { name: 'department', value: 'Care' } },
    {},
    { total: 30, readable: 2 },
  ],
])('a search for %s', async (_what, query, budget, expected) => {
  const asked = { ...everybody, ...query }
  const found = await pagesOf(memoryStore(crowdItems), asked, { ...small, ...budget })
  const { ids, ...extent } = found ?? {}
  expect(found && extent).toEqual(expected && { readable: undefined, ...expected })
  const order = expectedIds(crowd, asked)
  expect(ids).toEqual(expected && order.slice(0, expected.readable ?? order.length))
})

it('costs 2,000 read units at most: its rows and records, a page, and what every list reads', () => {
  expect(searchBudget.bytes / 8192 + 50 + 25).toBeLessThanOrEqual(2000)
})
