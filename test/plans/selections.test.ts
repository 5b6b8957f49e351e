import fc from 'fast-check'
import { beforeAll, expect, it, test } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { runs, SEED } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { cancel, changes, checked, create, faults, get, selected, work } from './plans.ts'

// Selections that try the limits: many, long and repeated ids, large changes, and users who move while all are looked at.

const indexes = ['by_id', 'find', 'by_updated_at', 'by_last_name'] as const
const crowd = Array.from({ length: 100 }, (_, n) => ({ id: `s-${String(n).padStart(3, '0')}`, username: `s-${n}` }))
let service: Service
beforeAll(async () => {
  service = await startService({ users: [...people, ...crowd], indexes: [...indexes], extras: 45 })
})
const patch = (user_id: string, body: object) => call('updateUser', { path: { user_id }, body })
const lock = { action: 'LOCK' }
const ids = (...user_ids: string[]) => ({ user_ids })

test.each<[what: string, ids: string[]]>([
  ['unknown and long', Array.from({ length: 3_900 }, (_, n) => String(n).padEnd(255, 'x'))],
  ['of wide characters', Array.from({ length: 1_300 }, (_, n) => String(n).padEnd(255, '\u4e00'))],
  ['as many as there may be', Array.from({ length: 10_000 }, (_, n) => `unknown-${n}`)],
])('ids that are %s have a fault each', async (_what, some) => {
  const plan = await checked(service, { kind: 'SELECTION', select: ids(...some), change: lock })
  expect(plan).toMatchObject({ state: 'READY', counts: { rows: some.length, faults: some.length, planned: 0 } })
  const found = await faults(plan.id)
  expect(found[99]).toMatchObject({ row: 100, code: 'USER_NOT_FOUND' })
  await cancel(plan.id)
})

test('more than 10,000 ids are refused', async () => {
  const some = Array.from({ length: 10_001 }, (_, n) => String(n))
  const { body } = await create({ kind: 'SELECTION', select: ids(...some), change: lock })
  expect([body.error_code, body.property]).toEqual(['VALIDATION_ERROR', 'select.user_ids'])
})

test('a user who is named twice counts once, and rows are the places as given', async () => {
  const names = ['s-002', 's-000', 's-002', 's-001', 'nobody', 'nobody', '__proto__', 'constructor']
  const plan = await selected(service, ids(...names), lock)
  expect(plan).toMatchObject({
    request: { select: { user_ids: { count: 8 } } },
    counts: { rows: 6, planned: 3, faults: 3 },
  })
  expect((await changes(plan.id)).map(({ user, row }) => [user.id, row])).toEqual([
    ['s-002', 1],
    ['s-000', 2],
    ['s-001', 4],
  ])
  expect((await faults(plan.id)).map(({ row }) => row)).toEqual([5, 7, 8])
  await cancel(plan.id)
})

test('tags in another order are no change', async () => {
  await patch('s-000', { tags: [{ name: 'a' }, { name: 'b' }] })
  const plan = await selected(service, ids('s-000'), { update: { tags: [{ name: 'b' }, { name: 'a' }] } })
  expect(plan.counts).toMatchObject({ rows: 1, planned: 0, unchanged: 1 })
  await patch('s-000', { tags: [] })
  await cancel(plan.id)
})

test('the largest changes of many users are written in several steps', async () => {
  const names = ['department', 'location', 'job_title', 'note', ...Array.from({ length: 45 }, (_, n) => `extra_${n}`)]
  const values = (fill: string) => names.map((name) => ({ name, value: fill.repeat(255) }))
  const large = Array.from({ length: 45 }, (_, n) => ({
    id: `l-${n}`,
    username: `l-${n}`,
    attributes: values('\u{1f600}'),
  }))
  const many = await startService({ users: [...people, ...large], indexes: [...indexes], extras: 45 })
  const select = ids(...large.map(({ id }) => id))
  const plan = await selected(many, select, { update: { attributes: values('\u{1f601}') } })
  expect(plan).toMatchObject({ state: 'READY', counts: { planned: 45 } })
  const page = (await call('listPlanChanges', { path: { plan_id: plan.id }, query: { page_limit: 100 } })).body
  expect([page.changes.length > 1, page.pagination.has_more]).toEqual([true, true])
  service.activate()
})

test('a selection takes those whom the list of users shows for the same filters', async () => {
  await patch('s-001', { tags: [{ name: 'crew' }], attributes: { department: 'Night' }, first_name: 'Zoë' })
  await patch('s-002', { attributes: { department: 'night' }, role: 'ADMIN' })
  await call('lockUser', { path: { user_id: 's-003' } })
  await call('deactivateUser', { path: { user_id: 's-004' } })
  await call('deleteUser', { path: { user_id: 's-005' } })
  const one = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
  const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION']
  const filters = fc.record({
    search_term: one('s-00', 's-003', 'zoe', 'Night', 'nobody', 'admin'),
    status: one<string | string[]>('ACTIVE', 'LOCKED', statuses, ['DEACTIVATED', 'PENDING_DELETION']),
    role: one<string | string[]>('USER', 'ADMIN', ['USER', 'ADMIN']),
    department: one('Night', 'night', 'Day'),
  })
  await fc.assert(
    fc.asyncProperty(filters, async ({ department, ...others }) => {
      const value = department && { attribute_technical_name: 'department', attribute_value: department }
      const select = Object.fromEntries(Object.entries({ ...others, ...value }).filter(([, one]) => one !== undefined))
      fc.pre(Object.keys(select).length > 0)
      const query = Object.fromEntries(Object.entries(select).map(([name, one]) => [name, String(one)]))
      const { users, pagination } = (await call('listUsers', { query: { ...query, page_limit: 100 } })).body
      const plan = await selected(service, select, { update: { tags: { add: ['found'] } } })
      expect([select, plan.counts.rows]).toEqual([select, pagination.total_elements])
      const found = (await changes(plan.id)).map(({ user }) => user.id)
      const refused = (await faults(plan.id)).map(({ detail }) => /^User ([^:]+):/.exec(detail)?.[1])
      const listed = users.map(({ id }: Any) => id)
      if (plan.counts.rows <= 100) expect([...found, ...refused].sort()).toEqual(listed.sort())
      await cancel(plan.id)
    }),
    { numRuns: runs(12), seed: SEED },
  )
  for (const user_id of ['s-003']) await call('unlockUser', { path: { user_id } })
  await call('reactivateUser', { path: { user_id: 's-004' } })
  await call('restoreUser', { path: { user_id: 's-005' } })
}, 120_000)

test('users who change while all are looked at are in the plan once', async () => {
  const before = await get((await create({ kind: 'SELECTION', select: { all: true }, change: lock })).body.id)
  await cancel(before.id)
  // Recent changes are looked at again if somebody moves: of a user with a fault, of one without a change, and of the last ones.
  await patch('admin', { tags: [{ name: 'recent' }] })
  await patch('s-099', { tags: [{ name: 'recent' }] })
  await call('lockUser', { path: { user_id: 's-050' } })
  const { body } = await create({ kind: 'SELECTION', select: { all: true }, change: lock })
  await meanwhile(
    service,
    () => call('lockUser', { path: { user_id: 's-070' } }),
    () => work(service, body.id),
    '"SLICE#0000001"',
  )
  const plan = await get(body.id)
  const planned: Any[] = []
  for (let cursor: string | undefined; cursor !== ''; ) {
    const query = { page_limit: 100, ...(cursor ? { page_cursor: cursor } : {}) }
    const page = (await call('listPlanChanges', { path: { plan_id: body.id }, query })).body
    planned.push(...page.changes.map(({ user }: Any) => user.id))
    cursor = page.pagination.next_cursor ?? ''
  }
  expect(new Set(planned).size).toBe(planned.length)
  expect((await faults(body.id)).map(({ detail }) => detail.split(':')[0])).toEqual(['User admin'])
  expect(plan.counts).toMatchObject({ rows: crowd.length + people.length, faults: 1, unchanged: 1 })
  await cancel(body.id)
  for (const user_id of ['s-050', 's-070']) await call('unlockUser', { path: { user_id } })
  await audit(service)
})

it.each([
  { tag: '\u200b' },
  { tag: '\u3164' },
  { tag: '\u00a0\t' },
  { tag: null },
  { all: null },
  { search_term: '\u200b' },
  { search_term: '\u2060 ' },
  { attribute_technical_name: 'department', attribute_value: '\u200b' },
  { attribute_technical_name: '\u00ad', attribute_value: 'x' },
  { user_ids: ['s-000', ' '] },
  { user_ids: ['\u200b'] },
  { user_ids: [null] },
  { user_ids: 's-000' },
  { status: '' },
  { status: [''] },
  { role: ' ' },
  { role: 'ADMIN|USER' },
  { user_group_id: 'all-users', role_id: ' ' },
  JSON.parse('{"__proto__": {"all": true}}'),
  { constructor: 'x' },
  [[]],
  'all',
  true,
])('%j selects nobody: it is refused', async (select) => {
  const body = { kind: 'SELECTION', change: lock }
  const rawBody = JSON.stringify(body).replace(/}$/, `,"select":${JSON.stringify(select)}}`)
  const { status, body: problem } = await call('createPlan', { rawBody })
  expect([status, problem.error_code, problem.property]).toEqual([
    400,
    'VALIDATION_ERROR',
    expect.stringMatching(/^select/),
  ])
})
