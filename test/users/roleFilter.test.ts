import { beforeAll, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { type Any, call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'

// The filter `role` on the users list, with everything that it can be combined with, until no user is left to restore.

const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION']
const hour = 3_600_000
type Person = { id: string; role: 'USER' | 'ADMIN'; status: string; department: string; deadline?: number }

/** Of each role and status so many that a page does not hold them. */
const crowd = ['USER', 'ADMIN'].flatMap((role) =>
  [...statuses, 'PENDING_DELETION'].flatMap((status, s) =>
    [0, 1].map(
      (n): Person => ({
        id: `${role}-${s}-${n}`.toLowerCase(),
        role: role as Person['role'],
        status,
        department: n ? 'Sales' : 'IT',
      }),
    ),
  ),
)

let service: Service
let people: Person[]
async function prepare(): Promise<void> {
  service = await startService({
    indexes: ['by_department', 'by_id'],
    users: [
      { id: 'root', role: 'ADMIN', protected: true, last_name: 'Root' },
      ...crowd.map(({ id, role, status, department }) => ({
        id,
        role,
        status: status === 'PENDING_DELETION' ? ('ACTIVE' as const) : (status as 'ACTIVE'),
        last_name: `Lee ${id}`,
        external_id: `E-${id}`,
        attributes: [{ name: 'department', value: department }],
      })),
    ],
  })
  people = [{ id: 'root', role: 'ADMIN', status: 'ACTIVE', department: '' }]
  const start = service.now().getTime()
  for (const person of crowd) {
    if (person.status === 'PENDING_DELETION') {
      service.setNow(new Date(start + crowd.indexOf(person) * hour))
      const { body } = await call('deleteUser', { path: { user_id: person.id }, as: 'root' })
      person.deadline = Date.parse(body.deletion_at)
    }
    people.push(person)
  }
}

/** Less than half of those of one role. */
const PAGE = 4

/** Everybody on all pages; each answer has the same totals. */
async function walk(query: object): Promise<string[]> {
  const ids: string[] = []
  for (let page_number = 1; ; page_number++) {
    const { status, body } = await call('listUsers', { query: { ...query, page_limit: PAGE, page_number }, as: 'root' })
    expect(status, JSON.stringify(body)).toBe(200)
    const { total_elements, total_pages } = body.pagination
    expect(total_pages).toBe(Math.ceil(total_elements / PAGE))
    if (page_number < total_pages) expect(body.users).toHaveLength(PAGE)
    ids.push(...body.users.map(({ id }: Any) => id))
    if (page_number >= total_pages) {
      expect(ids).toHaveLength(total_elements)
      return ids
    }
  }
}

type Filter = { query: Record<string, string>; passes: (person: Person) => boolean }
const everybody: Filter = { query: {}, passes: () => true }
const roles: Filter[] = ['USER', 'ADMIN', 'USER,ADMIN'].map((role) => ({
  query: { role },
  passes: (person) => role.split(',').includes(person.role),
}))
const states: Filter[] = [
  everybody,
  ...[...statuses, 'ACTIVE,PENDING_DELETION'].map((status) => ({
    query: { status },
    passes: (person: Person) => status.split(',').includes(person.status),
  })),
]
const others: Filter[] = [
  everybody,
  { query: { sort: 'ROLE_DESC,STATUS_ASC' }, passes: () => true },
  { query: { sort: 'DEPARTMENT_DESC,USERNAME_ASC' }, passes: () => true },
  { query: { search_term: 'lee' }, passes: ({ id }) => id !== 'root' },
  { query: { search_term: 'admin-3-1' }, passes: ({ id }) => id === 'admin-3-1' },
  {
    query: { attribute_technical_name: 'department', attribute_value: 'Sales' },
    passes: ({ department }) => department === 'Sales',
  },
  { query: { username: 'USER-0-1' }, passes: ({ id }) => id === 'user-0-1' },
  { query: { external_id: 'E-admin-3-0' }, passes: ({ id }) => id === 'admin-3-0' },
]
type Combination = readonly [role: Filter, state: Filter, other: Filter]
const combinations: Combination[] = roles.flatMap((role) =>
  states.flatMap((state) => others.map((other) => [role, state, other] as const)),
)

const deadline = (id: string, after: number) => () =>
  (people.find((person) => person.id === id)?.deadline as number) + after

describe('the filter role', () => {
  beforeAll(prepare)
  /** A third of all combinations, in which any two filters of different kinds meet. */
  const inPairs = (turn: number) =>
    combinations.filter(([role, state, other]) => {
      const place = roles.indexOf(role) + states.indexOf(state) + others.indexOf(other)
      return place % roles.length === turn
    })
  const ofTheLeaving = (turn: number) =>
    inPairs(turn).filter(([, { query }]) => query['status']?.includes('PENDING_DELETION'))
  it.each<[string, () => number, Combination[]]>([
    ['while all can be restored', () => service.now().getTime(), inPairs(0)],
    ['a millisecond before a deadline', deadline('user-4-0', -1), ofTheLeaving(0)],
    ['at that deadline', deadline('user-4-0', 0), ofTheLeaving(1)],
    ['at the last deadline but one', deadline('admin-4-0', 0), ofTheLeaving(2)],
  ])('combines with all others, %s', async (_name, moment, tried) => {
    service.setNow(new Date(moment()))
    const now = service.now().getTime()
    const living = people.filter(({ deadline }) => deadline === undefined || deadline > now)
    for (const filters of tried) {
      const query = Object.assign({}, ...filters.map((one) => one.query))
      const expected = living.filter((person) => filters.every(({ passes }) => passes(person)))
      expect((await walk(query)).sort(), JSON.stringify(query)).toEqual(expected.map(({ id }) => id).sort())
    }
  })
})

describe('after the purge, the filter role', () => {
  beforeAll(prepare)
  it('leaves out purged users, and shows restored ones in their old place', async () => {
    service.setNow(new Date(deadline('admin-4-0', 0)()))
    await purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
    expect(await walk({ role: 'USER', status: 'PENDING_DELETION' })).toEqual([])
    expect(await walk({ role: 'ADMIN', status: 'PENDING_DELETION' })).toEqual(['admin-4-1'])
    await call('restoreUser', { path: { user_id: 'admin-4-1' }, as: 'root' })
    expect(await walk({ role: 'ADMIN', status: 'PENDING_DELETION' })).toEqual([])
    expect(await walk({ role: 'ADMIN', status: 'ACTIVE', search_term: 'admin-4-1' })).toEqual(['admin-4-1'])
    await call('updateUser', { path: { user_id: 'admin-4-1' }, body: { role: 'USER' }, as: 'root' })
    expect(await walk({ role: 'USER', search_term: 'admin-4-1' })).toEqual(['admin-4-1'])
    await call('deleteUser', { path: { user_id: 'admin-4-1' }, as: 'root' })
    expect(await walk({ role: 'USER', status: 'PENDING_DELETION' })).toEqual(['admin-4-1'])
  })
})
