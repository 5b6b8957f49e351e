import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Context } from '../../domain/request/context.ts'
import type { Window } from '../../domain/request/paging.ts'
import { type SortValue, sortings } from '../../domain/request/sorting.ts'
import { purgeKey, userCountKey } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { orderedUsers } from '../../domain/users/orderedUsers.ts'
import { type UserRecord, users as userRecords } from '../../domain/users/user.ts'
import { purgeEntries } from '../../domain/users/userCounts.ts'
import type { UserFilter, UserSorting } from '../../domain/users/userLists.ts'
import { userSorts } from '../../schemas/userRecords.ts'
import { memoryStore } from '../harness/memoryStore.ts'
import { runs } from '../harness/runs.ts'
import { userRecord } from '../harness/seed.ts'
import { listed } from './userModel.ts'

// Any page of the list of users, by number and by cursor, against the model. The rows are in memory, in pages as AWS ends
// them, so that directories can be large.

const now = '2026-06-01T00:00:00.000Z'
const [past, future] = ['2026-05-30T00:00:00.000Z', '2026-06-09T00:00:00.000Z']

/** What a directory of people is made of: few values have many ties. */
type Traits = { values: number; missing: number; statuses: readonly UserRecord['status'][] }

/** Numbers that look random, and are the same in each run. */
function randoms(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function made(count: number, { values, missing, statuses }: Traits, seed: number): UserRecord[] {
  const random = randoms(seed)
  return Array.from({ length: count }, (_, n) => {
    const status = statuses[random(statuses.length)] ?? 'ACTIVE'
    const some = (name: string): { name: string; value: string }[] =>
      random(100) < missing ? [] : [{ name, value: `${name} ${random(values)}` }]
    const at = new Date(Date.parse('2026-01-01') + random(values) * 1000).toISOString()
    return userRecord(
      {
        id: `u-${(n * 7919) % 1_000_003}`,
        first_name: `F${random(values)}`,
        last_name: `Ä${random(values)}`,
        email: random(100) < missing ? null : `${random(values)}@example.com`,
        status,
        role: random(9) === 0 ? 'ADMIN' : 'USER',
        username: `user ${n}`,
        attributes: [...some('department'), ...some('location')],
        updated_at: at,
        ...(status === 'PENDING_DELETION' ? { deletion_at: random(3) === 0 ? past : future } : {}),
      },
      at,
    )
  })
}

type Query = Context['store']['query']

function directory(
  people: readonly UserRecord[],
  pageEnd?: Parameters<typeof memoryStore>[1],
  around: (query: Query) => Query = (query) => query,
) {
  const counts: Record<string, number> = {}
  for (const { status, role } of people) counts[`${status}_${role}`] = (counts[`${status}_${role}`] ?? 0) + 1
  const leaving = people.flatMap(({ id, username, role, deletion_at }): Item[] =>
    deletion_at === undefined
      ? []
      : [purgeEntries.item(purgeKey(deletion_at, id), { username, external_id: null, role })],
  )
  const items = people.map((user) => userRecords.item(user))
  const { store, use } = memoryStore([...items, ...leaving, { ...userCountKey(0), ...counts }], pageEnd)
  const context = { store: { ...store, query: around(store.query) }, now } as unknown as Context
  const present = people.filter(({ deletion_at }) => deletion_at !== past)
  return {
    use,
    inOrder: ({ sort, statuses, roles }: Asked): string[] =>
      listed(present, { sort, status: statuses ?? [], role: roles ?? [] }).map(({ id }) => id),
    page: async (asked: Asked, window: Window) => {
      const { users, ...extent } = await orderedUsers(context, filterOf(asked), window, async (some) => some)
      return { ids: users.map(({ id }) => id), ...extent }
    },
  }
}

type Asked = { sort: string[] } & Partial<Pick<UserFilter, 'statuses' | 'roles'>>

const filterOf = ({ sort, statuses = [], roles = [] }: Asked): UserFilter => ({
  ...{ words: [], term: undefined, username: undefined, externalId: undefined, attribute: undefined },
  ...{ matchesWords: () => true, statuses, roles },
  sorts: sortings(sort as SortValue<UserSorting['field']>[]),
})

const everyStatus = ['ACTIVE', 'ACTIVE', 'ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
const sort = fc
  .uniqueArray(fc.constantFrom(...userSorts), { minLength: 1, maxLength: 4 })
  .chain((fields) =>
    fc
      .array(fc.constantFrom('ASC', 'DESC'), { minLength: fields.length, maxLength: fields.length })
      .map((ways) => fields.map((field, n) => `${field}_${ways[n]}`)),
  )
const asked = fc.record({
  sort,
  statuses: fc.oneof(fc.constant([]), fc.subarray(['ACTIVE', 'LOCKED', 'PENDING_DELETION'] as const, { minLength: 1 })),
  roles: fc.oneof(fc.constant([]), fc.constant(['USER'] as const)),
})

describe('pages of a directory', () => {
  const SIZE = 2600
  let all: ReturnType<typeof directory>
  beforeAll(() => {
    // Pages of a few hundred rows, so that one page of the list is made of several.
    all = directory(made(SIZE, { values: 40, missing: 60, statuses: everyStatus }, 7), { bytes: 50_000 })
  })

  it('hold everybody at their place, from the first to the last', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (query, take, share) => {
          const expected = all.inOrder(query)
          const number = Math.floor((share * expected.length) / take)
          for (const skip of [0, number * take, Math.max(0, Math.ceil(expected.length / take) - 1) * take]) {
            const { ids, total, next } = await all.page(query, { skip, take })
            expect(ids, `${query.sort} ${skip}`).toEqual(expected.slice(skip, skip + take))
            expect(total).toBe(expected.length)
            expect(next !== undefined).toBe(skip + take < expected.length)
            if (!next) continue
            const on = await all.page(query, { skip: 0, take, after: next })
            expect(on.ids, `${query.sort} behind ${skip}`).toEqual(expected.slice(skip + take, skip + 2 * take))
            expect(on.total).toBeUndefined()
          }
        },
      ),
      { numRuns: runs(60) },
    )
  })

  it('by cursor hold everybody once, whatever the limits', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 }),
        async (query, limits) => {
          const ids: string[] = []
          let after: Window['after']
          for (let n = 0; n === 0 || after; n++) {
            const page = await all.page(query, { skip: 0, take: Math.max(20, limits[n % limits.length] ?? 0), after })
            ids.push(...page.ids)
            after = page.next
          }
          expect(ids, query.sort.join()).toEqual(all.inOrder(query))
        },
      ),
      { numRuns: runs(15) },
    )
  })
})

describe('what a page costs', () => {
  const SIZE = 30_000
  /** Rows that a page of AWS brings: see the ledger. */
  const ROWS_PER_TRIP = 4_800
  let all: ReturnType<typeof directory>
  beforeAll(() => {
    const traits: Traits = { values: 900, missing: 20, statuses: ['ACTIVE', ...everyStatus, 'ACTIVE'] }
    all = directory(made(SIZE, traits, 3))
  }, 120_000)
  const shares = [0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.99, 1]
  const windowAt = (share: number, total: number): Window => ({
    skip: Math.max(0, Math.min(Math.floor((total * share) / 25), Math.ceil(total / 25) - 1)) * 25,
    take: 25,
  })

  it.each(['LAST_NAME_ASC', 'EMAIL_DESC', 'LOCATION_ASC', 'CREATED_AT_DESC', 'UPDATED_AT_ASC'])(
    '%s: the nearer end decides',
    async (by) => {
      const expected = all.inOrder({ sort: [by] })
      for (const share of shares) {
        const window = windowAt(share, expected.length)
        all.use()
        const { ids } = await all.page({ sort: [by] }, window)
        const { trips } = all.use()
        expect(ids, `page at ${share}`).toEqual(expected.slice(window.skip, window.skip + 25))
        const rows = Math.min(window.skip, expected.length - window.skip)
        expect(trips, `trips of the page at ${share}`).toBeLessThanOrEqual(2 + rows / ROWS_PER_TRIP)
      }
    },
  )

  it.each(['STATUS_DESC,LAST_NAME_ASC', 'LOCATION_DESC,LAST_NAME_ASC', 'DEPARTMENT_ASC,EMAIL_DESC,CREATED_AT_ASC'])(
    '%s: at most twice as much',
    async (sorts) => {
      const query = { sort: sorts.split(',') }
      const expected = all.inOrder(query)
      for (const share of shares) {
        const window = windowAt(share, expected.length)
        all.use()
        const { ids } = await all.page(query, window)
        const { trips } = all.use()
        expect(ids, `page at ${share}`).toEqual(expected.slice(window.skip, window.skip + 25))
        const rows = Math.min(window.skip, expected.length - window.skip)
        expect(trips, `trips of the page at ${share}`).toBeLessThanOrEqual(2 * (2 + rows / ROWS_PER_TRIP))
      }
    },
  )

  it.each(['LAST_NAME_ASC', 'LAST_NAME_DESC', 'LOCATION_DESC', 'EMAIL_ASC', 'CREATED_AT_ASC', 'STATUS_ASC'])(
    '%s by cursor: the same on each page',
    async (by) => {
      const expected = all.inOrder({ sort: [by] })
      for (const share of shares) {
        const { skip } = windowAt(share, expected.length - 25)
        const { next } = await all.page({ sort: [by] }, { skip, take: 25 })
        all.use()
        const { ids } = await all.page({ sort: [by] }, { skip: 0, take: 25, after: next })
        const { rows, trips } = all.use()
        expect(ids, `page behind ${share}`).toEqual(expected.slice(skip + 25, skip + 50))
        // Each of eight lists may hold the whole page. The counters tell of moves.
        expect(rows).toBeLessThanOrEqual(8 * 26 + 1)
        expect(trips).toBeLessThanOrEqual(2)
      }
    },
  )
})

describe('runs of equal values that are too long to be sorted in memory', () => {
  const SIZE = 6_000
  /** All were created at once, nearly all are in one department, and hardly any has a location. */
  const crowd = made(SIZE, { values: 50, missing: 0, statuses: ['ACTIVE', 'ACTIVE', 'LOCKED'] }, 5).map((user, n) => ({
    ...user,
    attributes: [
      ...(n % 50 === 0 ? [] : [{ name: 'department', value: 'Sales' }]),
      ...(n % 200 === 0 ? [{ name: 'location', value: `Town ${n % 3}` }] : []),
    ],
    created_at: past,
  }))
  const all = directory(crowd)

  it.each([
    'LOCATION_ASC,LAST_NAME_ASC',
    'LOCATION_DESC,STATUS_DESC,USERNAME_DESC',
    'DEPARTMENT_ASC,FIRST_NAME_DESC,LAST_NAME_ASC',
    'DEPARTMENT_DESC,EMAIL_ASC',
    'LOCATION_ASC,STATUS_DESC,ROLE_ASC,UPDATED_AT_DESC,USERNAME_ASC',
    'ROLE_ASC,CREATED_AT_DESC,LOCATION_ASC,EMAIL_DESC,LAST_NAME_ASC',
    'CREATED_AT_ASC,LOCATION_DESC,LOCATION_ASC,DEPARTMENT_ASC,USERNAME_DESC',
  ])('are in order, and few records are read: %s', async (sorts) => {
    const query = { sort: sorts.split(',') }
    const expected = all.inOrder(query)
    for (const skip of [0, 25, 800, 3_200, 4_400, SIZE - 25]) {
      all.use()
      const { ids, next } = await all.page(query, { skip, take: 25 })
      expect(all.use().records, `${skip}`).toBeLessThan(1000)
      expect(ids, `${skip}`).toEqual(expected.slice(skip, skip + 25))
      if (!next) continue
      const on = await all.page(query, { skip: 0, take: 25, after: next })
      expect(on.ids, `behind ${skip}`).toEqual(expected.slice(skip + 25, skip + 50))
    }
  })
})

describe('a user who moves from one list to another while both are read', () => {
  const query = { sort: ['CREATED_AT_ASC'] }
  const people = made(60, { values: 1000, missing: 0, statuses: ['ACTIVE', 'LOCKED'] }, 11)
  const byPlace = (a: Item, b: Item): number => (String(a.by_created_at) < String(b.by_created_at) ? -1 : 1)

  it.each([
    ['neither', 'first page'],
    ['neither', 'page by cursor'],
    ['both', 'first page'],
    ['both', 'page by cursor'],
  ])('and is seen in %s: once on the %s', async (lists, which) => {
    const expected = directory(people).inOrder(query)
    const moving = userRecords.item(people.find(({ id }) => id === expected[2]) as UserRecord)
    let isMoving = which === 'first page'
    const seen = new Set<string>()
    const all = directory(people, undefined, (read) => async (range) => {
      const page = await read(range)
      const moved_at = isMoving ? '2026-05-31T23:59:50.000Z' : past
      if (range.hash === 'USERS') return { ...page, items: page.items.map((item) => ({ ...item, moved_at })) }
      if (!isMoving || seen.has(range.hash) || page.count === 0) return page
      seen.add(range.hash)
      // Of two lists, the old one is read afterwards and the new one before: or the other way round.
      const others = page.items.filter(({ pk }) => pk !== moving.pk)
      return { ...page, items: lists === 'neither' ? others : [...others, moving].sort(byPlace) }
    })
    const { ids, next } = await all.page(query, { skip: 0, take: which === 'first page' ? 20 : 1 })
    isMoving = which === 'page by cursor'
    for (let after = next; after; ) {
      const page = await all.page(query, { skip: 0, take: 20, after })
      ids.push(...page.ids)
      after = page.next
    }
    expect(ids).toEqual(expected)
  })
})
