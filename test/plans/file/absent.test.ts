import { beforeEach, describe, expect, it } from 'vitest'
import { plans } from '../../../domain/plans/plan.ts'
import { audit } from '../../harness/audit.ts'
import { type Any, call } from '../../harness/call.ts'
import { dieAfterWrite } from '../../harness/faults.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { applied, changes, faults, get, undone, work } from '../plans.ts'
import { checkedFile, checking, csv } from './plansOfFiles.ts'

// Who is in no row, and how much a plan may change.

const CROWD = 120
const idOf = (n: number): string => `p-${String(n).padStart(3, '0')}`
const crowd = Array.from({ length: CROWD }, (_, n) => idOf(n))
const departmentOf = (id: string): string => (Number(id.slice(2)) % 4 === 0 ? 'Sales' : 'Crew')

let service: Service
/** Tests that change users leave them to no other test. All others share theirs. */
let isChanged = true
const changing = (): void => {
  isChanged = true
}
beforeEach(async () => {
  if (!isChanged) return
  isChanged = false
  service = await startService({
    users: [
      ...people,
      ...crowd.map((id) => ({
        ...{ id, username: id, external_id: `E-${id}` },
        attributes: [{ name: 'department', value: departmentOf(id) }],
      })),
      { id: 'keyless', username: 'keyless' },
      { id: 'robot', username: 'robot', external_id: 'E-robot', protected: true },
      { id: 'boss', username: 'boss', external_id: 'E-boss', role: 'ADMIN' },
      {
        ...{ id: 'leaver', username: 'leaver', external_id: 'E-leaver' },
        attributes: [{ name: 'department', value: 'Sales' }],
      },
    ],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
  await call('deleteUser', { path: { user_id: 'leaver' } })
})

const file = (ids: readonly string[], ...more: string[][]): string =>
  csv(['external_id', 'first_name'], ...ids.map((id) => [`E-${id}`, 'Some']), ...more)
const everybody = { mode: 'FULL', absent_among: { all: true } }
const without = (...left: string[]): string[] => crowd.filter((id) => !left.includes(id))
const absentIn = async (plan: Any) => (await changes(plan.id)).map(({ row, user, action }) => [row, user.id, action])
/** Lets workers die until all users are walked over, and no row is judged yet. */
async function walkedOver(id: string): Promise<void> {
  while ((await plans.read(service.store, id))?.position.file?.stage !== 'JOIN') {
    const { heal } = dieAfterWrite(service.client, 2)
    await work(service, id, () => {}).catch(() => undefined)
    heal()
    service.setNow(new Date(service.now().getTime() + 11_000))
  }
}
const patch = (user_id: string, body: object) => call('updateUser', { path: { user_id }, body })

describe('absent', () => {
  it.each(['DEACTIVATE', 'DELETE'])(
    '%s: who has a key and no row, but for protected users and administrators',
    async (absent) => {
      changing()
      await call('lockUser', { path: { user_id: idOf(1) } })
      await call('deactivateUser', { path: { user_id: idOf(2) } })
      await call('deleteUser', { path: { user_id: idOf(3) } })
      const ids = without(idOf(0), idOf(1), idOf(2), idOf(3))
      const plan = await checkedFile(service, file(ids), { ...everybody, absent }, ids.length)
      expect(plan).toMatchObject({ state: 'READY', counts: { rows: ids.length, absent: 2, planned: 2, lifecycle: 2 } })
      expect((await absentIn(plan)).sort()).toEqual([
        [null, idOf(0), absent],
        [null, idOf(1), absent],
      ])
      expect(await applied(service, plan)).toMatchObject({ counts: { done: 2 } })
      expect(await undone(service, plan.id)).toMatchObject({ counts: { done: 2 } })
      expect((await call('getUser', { path: { user_id: idOf(1) } })).body.status).toBe('LOCKED')
      await audit(service)
    },
  )

  it('administrators only where the plan says so, and never who plans', async () => {
    changing()
    await patch('admin', { external_id: 'E-admin' })
    const plan = await checkedFile(
      service,
      file(crowd),
      { ...everybody, absent: 'DEACTIVATE', include_administrators: true },
      CROWD,
    )
    expect(await absentIn(plan)).toEqual([[null, 'boss', 'DEACTIVATE']])
    expect(plan.counts).toMatchObject({ absent: 1, faults: 0 })
  })

  it.each<[string, object, string[]]>([
    ['an attribute', { attribute_technical_name: 'department', attribute_value: 'Sales' }, [idOf(4)]],
    ['a search term', { search_term: 'p-004' }, [idOf(4)]],
    ['ids', { user_ids: [idOf(4), idOf(8)] }, [idOf(4)]],
    ['a group', { user_group_id: 'all-users' }, [idOf(4), idOf(5)]],
    ['a status', { status: 'LOCKED' }, []],
  ])('only among those whom a selection names: %s', async (_, absent_among, expected) => {
    const ids = without(idOf(4), idOf(5))
    const plan = await checkedFile(service, file(ids), { mode: 'FULL', absent: 'DEACTIVATE', absent_among }, ids.length)
    expect([plan.fault, (await absentIn(plan)).map(([, id]) => id).sort()]).toEqual([null, expected])
  })

  it('a row with a fault counts as there, and so does one that the plan is not about', async () => {
    const ids = without(idOf(0), idOf(5))
    const columns = ['external_id', 'first_name', 'email']
    const text = csv(columns, ...ids.map((id) => [`E-${id}`, 'Some', '']), [`E-${idOf(0)}`, 'Some', 'no-mail'])
    const plan = await checkedFile(service, text, { ...everybody, absent: 'DEACTIVATE' }, ids.length + 1)
    expect((await absentIn(plan)).map(([, id]) => id)).toEqual([idOf(5)])
  })

  it.each([
    ['fewer rows than were said', () => file(crowd), CROWD + 1, '120 rows, and not 121'],
    ['more rows than were said', () => file(crowd), CROWD - 1, '120 rows, and not 119'],
    ['a row without a key', () => file(crowd, ['', 'X']), CROWD + 1, 'row 121'],
  ])('is refused: %s', async (_, text, rows, detail) => {
    const plan = await checkedFile(service, text(), { ...everybody, absent: 'DEACTIVATE' }, rows)
    expect(plan).toMatchObject({ state: 'REFUSED', fault: { detail: expect.stringContaining(detail) } })
    expect(plan.counts.planned).toBe(0)
  })

  it('who gets a row by another key before the plan is applied is skipped', async () => {
    const ids = without(idOf(0), idOf(5))
    const plan = await checkedFile(service, file(ids), { ...everybody, absent: 'DEACTIVATE' }, ids.length)
    changing()
    await patch(idOf(0), { external_id: 'E-corrected' })
    expect(await applied(service, plan)).toMatchObject({ counts: { done: 1, skipped: 1 } })
    expect((await call('getUser', { path: { user_id: idOf(0) } })).body.status).toBe('ACTIVE')
  })

  it('who gets another key while the file is checked is joined by the new one', async () => {
    changing()
    const ids = without(idOf(5))
    const rows = ids.map((id) => [`E-${id}`, id === idOf(6) ? 'Six' : 'Some'])
    const text = csv(['external_id', 'first_name'], ...rows, ['E-corrected', 'Some'])
    const { id } = await checking(text, { ...everybody, absent: 'DEACTIVATE' }, rows.length + 1)
    await walkedOver(id)
    await patch(idOf(5), { external_id: 'E-corrected' })
    await patch(idOf(6), { external_id: 'E-moved' })
    await work(service, id)
    // Nobody has the key of one row any more, and it lacks the names of somebody new.
    const plan = await get(id)
    expect([plan.state, plan.counts]).toMatchObject(['READY', { planned: 0, absent: 0, faults: 1 }])
  })

  it('who leaves the selection or becomes an administrator while the file is checked is not absent', async () => {
    changing()
    const ids = without(idOf(5), idOf(6), idOf(7))
    const absent_among = { attribute_technical_name: 'department', attribute_value: 'Crew' }
    const body = { mode: 'FULL', absent: 'DEACTIVATE', absent_among }
    const { id } = await checking(file(ids), body, ids.length)
    await walkedOver(id)
    await patch(idOf(5), { attributes: { department: 'Sales' } })
    await patch(idOf(6), { role: 'ADMIN' })
    await work(service, id)
    expect(await absentIn({ id })).toEqual([[null, idOf(7), 'DEACTIVATE']])
  })

  it('whoever leaves the selection before the plan is applied is skipped', async () => {
    const absent_among = { attribute_technical_name: 'department', attribute_value: 'Sales' }
    const ids = without(idOf(0), idOf(4))
    const plan = await checkedFile(service, file(ids), { mode: 'FULL', absent: 'DEACTIVATE', absent_among }, ids.length)
    changing()
    await patch(idOf(0), { attributes: { department: 'Crew' } })
    expect(await applied(service, plan)).toMatchObject({ counts: { done: 1, skipped: 1 } })
  })
})

describe('limits', () => {
  const crew = crowd.slice(0, 11)
  it('refuse more absent people than a twentieth, and ten at least', async () => {
    const ids = crowd.slice(11)
    const options = { ...everybody, absent: 'DEACTIVATE' }
    const plan = await checkedFile(service, file(ids), options, ids.length)
    expect(plan).toMatchObject({ state: 'REFUSED', fault: { code: 'PLAN_LIMIT_EXCEEDED' }, counts: { absent: 11 } })
    const raised = await checkedFile(service, file(ids), { ...options, limits: { lifecycle_percent: 10 } }, ids.length)
    expect(raised).toMatchObject({ state: 'READY', counts: { planned: 11 } })
  })

  it('are shares of those whom the file is about', async () => {
    const absent_among = { attribute_technical_name: 'department', attribute_value: 'Sales' }
    const ids = without(...crowd.filter((id) => departmentOf(id) === 'Sales').slice(0, 11))
    const options = {
      mode: 'FULL',
      absent: 'DEACTIVATE',
      absent_among,
      limits: { lifecycle_percent: 37, changed_percent: 40 },
    }
    const plan = await checkedFile(service, file(ids), options, ids.length)
    // Eleven of thirty.
    expect(plan).toMatchObject({ state: 'READY', counts: { absent: 11 } })
    const less = await checkedFile(service, file(ids), { ...options, limits: { lifecycle_percent: 36 } }, ids.length)
    expect(less).toMatchObject({ state: 'REFUSED', fault: { detail: expect.stringContaining('of 30 users') } })
  })

  it('refuse what clears a field of many, and what has faults where a plan says so', async () => {
    const rows = crew.map((id) => [`E-${id}`, ''])
    const text = csv(['external_id', 'department'], ...rows)
    expect(await checkedFile(service, text, { empty: 'CLEAR' })).toMatchObject({
      state: 'REFUSED',
      fault: { code: 'PLAN_LIMIT_EXCEEDED', detail: expect.stringContaining('attribute:department') },
    })
    const faulty = csv(['external_id', 'email'], [`E-${idOf(0)}`, 'no-mail'], [`E-${idOf(1)}`, 'a@b.org'])
    expect(await checkedFile(service, faulty, { on_fault: 'REFUSE' })).toMatchObject({
      state: 'REFUSED',
      counts: { faults: 1, planned: 1 },
    })
  })
})

describe('large files', () => {
  it('are joined by one walk over all users, and find who comes meanwhile', async () => {
    const text = csv(
      ['external_id', 'first_name', 'username', 'last_name'],
      ...crowd.map((id, n) => [`E-${id}`, n % 40 === 0 ? 'Other' : 'Some', id, 'One']),
      ['E-late', 'Some', 'late', 'One'],
    )
    changing()
    const made = await checking(text)
    await call('createUser', {
      body: {
        username: 'late',
        external_id: 'E-late',
        first_name: 'Some',
        last_name: 'One',
        role: 'USER',
        status: 'ACTIVE',
      },
    })
    await work(service, made.id)
    const plan = await get(made.id)
    expect([plan.counts, await faults(made.id)]).toMatchObject([
      { rows: 121, unchanged: 118, updates: 3, creations: 0 },
      [],
    ])
  })

  it('of many parts give what one part gives', async () => {
    const long = 'x'.repeat(250)
    const columns = ['external_id', 'first_name', ...Array.from({ length: 60 }, (_, n) => `nothing ${n}`)]
    const rows = crowd.flatMap((id) => [
      [`E-${id}`, id === idOf(7) ? 'Seven' : 'Some', ...Array(60).fill(long)],
      [`N-${id}`, 'New', ...Array(60).fill(long)],
    ])
    const text = csv(columns, ...rows)
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 * 1024 * 1024)
    const plan = await checkedFile(service, text)
    expect(plan.counts).toMatchObject({ rows: 240, unchanged: 119, updates: 1, faults: 120 })
  })

  it('of many parts find who is absent, whatever lists show of their names', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `Zoë.Ünal.${n}`)
    service = await startService({
      users: [...people, ...names.map((username, n) => ({ id: `z-${n}`, username, external_id: `Z-${n}` }))],
      indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
    })
    changing()
    const long = 'x'.repeat(250)
    const columns = ['username', 'first_name', ...Array.from({ length: 60 }, (_, n) => `nothing ${n}`)]
    const rows = [...names.slice(0, 20).map((name) => name.toUpperCase()), 'Näme', ...crowd.map((id) => `new-${id}`)]
    const text = csv(columns, ...rows.map((name) => [name, 'Some', ...Array(60).fill(long)]))
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 * 1024 * 1024)
    const body = {
      match_by: 'USERNAME',
      absent: 'DEACTIVATE',
      limits: { lifecycle_percent: 100, changed_percent: 100 },
    }
    const { id } = await checking(text, { ...everybody, ...body }, rows.length)
    await walkedOver(id)
    await patch('z-30', { username: 'näme' })
    await work(service, id)
    const absent = (await absentIn({ id })).map(([, user]) => user).filter((user) => user.startsWith('z-'))
    const left = names.map((_, n) => `z-${n}`).slice(20)
    expect(absent.sort()).toEqual(left.filter((user) => user !== 'z-30').sort())
  })
})
