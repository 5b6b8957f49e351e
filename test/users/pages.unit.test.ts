import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { boundedMap } from '../../domain/base/memory.ts'
import { orderedUsers } from '../../domain/people/finding/orderedUsers.ts'
import { deadlineItems } from '../../domain/people/records/deadlineItem.ts'
import { type UserRecord, users as userRecords } from '../../domain/people/records/user.ts'
import type { UserFilter, UserSorting } from '../../domain/people/records/userLists.ts'
import { askedPage, type Window } from '../../domain/request/askedPage.ts'
import type { Context } from '../../domain/request/context.ts'
import { pageBudget } from '../../domain/request/pageBudget.ts'
import { type SortParameter, sortings } from '../../domain/request/sorting.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { deadlineItemKey, userCountKey } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
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

type PageEnds = Context['pageEnds']
const newPageEnds = (): PageEnds => boundedMap(500)

type Query = Context['store']['query']

const seals = { seal: async (text: string) => text, unseal: async (text: string) => text }

/** Pages by number, as a caller asks an instance for them that remembers where pages end. */
function byNumber(pageEnds: PageEnds, { actorId = 'admin', at = now }: { actorId?: string; at?: string } = {}) {
  return async (all: ReturnType<typeof directory>, query: Asked, number: number, limit: number) => {
    const { sort, statuses = [], roles = [] } = query
    const { window, pagination } = await askedPage({ seals: () => seals, actorId, pageEnds, now: at }, ['listUsers'], {
      ...{ sort: sort as SortParameter[], status: statuses.join(), role: roles.join() },
      ...{ page_number: number, page_limit: limit },
    })
    all.use()
    const { ids, ...extent } = await all.page(query, window)
    const used = all.use()
    await pagination(extent)
    return { ids, total: extent.total ?? Number.NaN, ...used }
  }
}

const stored = new WeakMap<UserRecord, Item>()
function knownItem(user: UserRecord): Item {
  const item = stored.get(user) ?? itemOf(userRecords, user)
  stored.set(user, item)
  return item
}

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
      : [deadlineItems.item(deadlineItemKey(deletion_at, id), { username, external_id: null, role })],
  )
  const items = people.map(knownItem)
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
  statuses,
  roles,
  sorts: sortings(sort as SortParameter<UserSorting['field']>[]),
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
  const SIZE = 1300
  let all: ReturnType<typeof directory>
  beforeAll(() => {
    // Small pages of the store, so that one page of the list is made of several.
    all = directory(made(SIZE, { values: 40, missing: 60, statuses: everyStatus }, 7), { bytes: 25_000 })
  })

  it('hold everybody at their place, from the first to the last', async () => {
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
      { numRuns: runs(40) },
    )
  })

  it('by cursor hold everybody once, whatever the limits', async () => {
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
  // A quarter of 30,000 users, read in pages of a quarter of AWS's size: as many trips, for less work.
  const SIZE = 7_500
  const PAGE = { bytes: 256 * 1024 }
  /** Rows that such a page brings; one of AWS brings 4,700: see the ledger. */
  const ROWS_PER_TRIP = 1_200
  let all: ReturnType<typeof directory>
  beforeAll(() => {
    const traits: Traits = { values: 900, missing: 20, statuses: ['ACTIVE', ...everyStatus, 'ACTIVE'] }
    all = directory(made(SIZE, traits, 3), PAGE)
  })
  const shares = [0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.99, 1]
  const windowAt = (share: number, total: number): Window => ({
    skip: Math.max(0, Math.min(Math.floor((total * share) / 25), Math.ceil(total / 25) - 1)) * 25,
    take: 25,
  })

  it.each(['LAST_NAME_ASC', 'EMAIL_DESC', 'LOCATION_ASC', 'CREATED_AT_DESC'])(
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
        // Each of eight lists may hold the whole page. The counters show moves.
        expect(rows).toBeLessThanOrEqual(8 * 26 + 1)
        expect(trips).toBeLessThanOrEqual(2)
      }
    },
  )
})

describe('the page behind one that an instance remembers', () => {
  const SIZE = 3_000
  const LIMIT = 50
  const MIDDLE = 29
  const query = { sort: ['LAST_NAME_ASC'] }
  const traits: Traits = { values: 900, missing: 20, statuses: everyStatus }
  let people: UserRecord[]
  let all: ReturnType<typeof directory>
  let ends: PageEnds
  beforeAll(() => {
    people = made(SIZE, traits, 13)
    all = directory(people, { bytes: 100_000 })
  })
  beforeEach(() => {
    ends = newPageEnds()
  })
  /** Rows that a page reads of each of eight lists where it begins behind the one before, and the counters. */
  const OWN_ROWS = 8 * (LIMIT + 1) + 20
  const remembersMiddle = () => byNumber(ends)(all, query, MIDDLE, LIMIT)

  it.each(['LAST_NAME_ASC', 'LOCATION_DESC', 'STATUS_DESC,EMAIL_ASC'])('%s: costs its own rows', async (sorts) => {
    const asked = { sort: sorts.split(',') }
    const expected = all.inOrder(asked)
    await byNumber(ends)(all, asked, MIDDLE, LIMIT)
    for (const number of [MIDDLE + 1, MIDDLE + 2, MIDDLE + 1]) {
      const page = await byNumber(ends)(all, asked, number, LIMIT)
      expect(page.ids).toEqual(expected.slice((number - 1) * LIMIT, number * LIMIT))
      expect(page.total).toBe(expected.length)
      if (!sorts.includes(',')) expect(page.indexRows).toBeLessThanOrEqual(OWN_ROWS)
      expect(page.trips).toBeLessThanOrEqual(2)
    }
  })

  it.each<[string, () => ReturnType<ReturnType<typeof byNumber>>]>([
    ['another caller', () => byNumber(ends, { actorId: 'ann' })(all, query, MIDDLE + 1, LIMIT)],
    ['another sort', () => byNumber(ends)(all, { sort: ['FIRST_NAME_ASC'] }, MIDDLE + 1, LIMIT)],
    ['another filter', () => byNumber(ends)(all, { ...query, roles: ['USER'] }, MIDDLE + 1, LIMIT)],
    ['pages of another size', () => byNumber(ends)(all, query, 2 * MIDDLE + 1, LIMIT / 2)],
    ['another page', () => byNumber(ends)(all, query, MIDDLE + 2, LIMIT)],
    ['a minute later', () => byNumber(ends, { at: '2026-06-01T00:01:00.000Z' })(all, query, MIDDLE + 1, LIMIT)],
    ['another total', () => byNumber(ends)(directory(people.slice(1)), query, MIDDLE + 1, LIMIT)],
    ['another instance', () => byNumber(newPageEnds())(all, query, MIDDLE + 1, LIMIT)],
  ])('is found anew for %s', async (_what, page) => {
    await remembersMiddle()
    expect((await page()).indexRows).toBeGreaterThan(2 * OWN_ROWS)
  })

  it('is the right one in any order of pages, whatever is remembered', async () => {
    const step = fc.oneof(fc.constant(1), fc.constant(1), fc.integer({ min: -20, max: 20 }))
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.integer({ min: 25, max: 50 }),
        fc.array(step, { maxLength: 8 }),
        async (one, limit, steps) => {
          const expected = all.inOrder(one)
          const remembering = byNumber(ends)
          let number = Math.floor(expected.length / limit / 3)
          for (const by of [0, ...steps]) {
            number = Math.max(1, number + by)
            const page = await remembering(all, one, number, limit)
            expect(page.ids, `${one.sort} ${number}`).toEqual(expected.slice((number - 1) * limit, number * limit))
            expect(page.total).toBe(expected.length)
          }
        },
      ),
      { numRuns: runs(15) },
    )
  })

  it('shows or leaves out no more users wrongly than have come, gone or moved', async () => {
    const change = fc.record({
      at: fc.integer({ min: 11, max: 29 }),
      kind: fc.constantFrom('rename', 'swap', 'lock', 'create'),
      who: fc.nat(1_499),
      value: fc.nat(899),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const pageEnds = newPageEnds()
        let now = people.slice(0, 1_500)
        let list = directory(now)
        const changed = new Set<string>()
        const seen: string[] = []
        for (let number = 1, last = 1; number <= last; number++) {
          const due = changes.filter(({ at }) => at === number)
          for (const [n, { kind, who, value }] of due.entries()) {
            const old = now[who] as UserRecord
            const fresh = { ...old, id: `new-${number}-${n}`, last_name: `Ä${value}`, username: `new ${number} ${n}` }
            changed.add(old.id).add(fresh.id)
            if (kind === 'create') now = [...now, fresh]
            if (kind === 'swap') now = now.with(who, fresh)
            if (kind === 'rename') now = now.with(who, { ...old, last_name: fresh.last_name })
            if (kind === 'lock' && !old.deletion_at) now = now.with(who, { ...old, status: 'LOCKED' })
          }
          if (due.length > 0) list = directory(now)
          const { ids, total } = await byNumber(pageEnds)(list, query, number, LIMIT)
          last = Math.ceil(total / LIMIT)
          seen.push(...ids)
        }
        const unchanged = list.inOrder(query).filter((id) => !changed.has(id))
        const missing = unchanged.filter((id) => !seen.includes(id))
        const doubled = seen.length - new Set(seen).size
        // A swap is two changes.
        expect(missing.length + doubled).toBeLessThanOrEqual(2 * changes.length)
      }),
      { numRuns: runs(6) },
    )
  })

  it('is forgotten when there are five hundred later ones', async () => {
    await remembersMiddle()
    for (let n = 0; n < 500; n++) ends.set(`other ${n}`, { position: { values: [], id: '' }, total: 1, at: 0 })
    expect((await byNumber(ends)(all, query, MIDDLE + 1, LIMIT)).indexRows).toBeGreaterThan(2 * OWN_ROWS)
  })
})

describe('a page by number that would read more than its budget', () => {
  const SIZE = 3_000
  const BYTES_PER_UNIT = 8192
  const usual = { ...pageBudget }
  let all: ReturnType<typeof directory>
  beforeAll(() => {
    all = directory(made(SIZE, { values: 900, missing: 20, statuses: everyStatus }, 17), { bytes: 10_000 })
  })
  afterEach(() => {
    Object.assign(pageBudget, usual)
  })
  const refused = { code: 'VALIDATION_ERROR', property: 'page_number' }

  it('is refused with a word about page_cursor; nearer pages, those by cursor and behind a remembered one are read', async () => {
    const query = { sort: ['LAST_NAME_ASC'] }
    const expected = all.inOrder(query)
    const ends = newPageEnds()
    const page = (number: number) => byNumber(ends)(all, query, number, 50)
    await page(29)
    pageBudget.units = 55
    await expect(page(26)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('page_cursor') })
    expect(all.use().bytes / BYTES_PER_UNIT).toBeLessThan(pageBudget.units)
    const last = Math.ceil(expected.length / 50)
    for (const number of [1, 2, last, 30, 31])
      expect((await page(number)).ids).toEqual(expected.slice((number - 1) * 50, number * 50))
    const { next } = await all.page(query, { skip: 1_200, take: 50 })
    const { ids } = await all.page(query, { skip: 0, take: 50, after: next })
    expect(ids).toEqual(expected.slice(1_250, 1_300))
  })

  it('is never a wrong page, and never reads more', async () => {
    let [refusals, pages] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.integer({ min: 15, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (query, units, share) => {
          pageBudget.units = units
          const expected = all.inOrder(query)
          const number = 1 + Math.floor((share * expected.length) / 25)
          all.use()
          const { window } = await askedPage(
            { seals: () => seals, actorId: 'admin', pageEnds: newPageEnds(), now },
            ['listUsers'],
            { sort: query.sort as SortParameter[], page_number: number },
          )
          const page = await all.page(query, window).catch((error: unknown) => {
            expect(error).toMatchObject(refused)
          })
          const { bytes, records } = all.use()
          // A record takes half a unit at least, and the counters are read apart.
          expect(bytes / BYTES_PER_UNIT + records / 2).toBeLessThanOrEqual(units)
          if (page) pages++
          else refusals++
          if (page) expect(page.ids).toEqual(expected.slice((number - 1) * 25, number * 25))
        },
      ),
      { numRuns: runs(40) },
    )
    expect(Math.min(refusals, pages), `${refusals} refused, ${pages} read`).toBeGreaterThan(0)
  })
})

describe('ties that are too long to be sorted in memory', () => {
  const SIZE = 3_000
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
    for (const skip of [0, 25, 400, 1_600, 2_200, SIZE - 25]) {
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
    const moving = itemOf(userRecords, people.find(({ id }) => id === expected[2]) as UserRecord)
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
