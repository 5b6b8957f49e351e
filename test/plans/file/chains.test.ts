import { beforeEach, describe, expect, it } from 'vitest'
import { audit } from '../../harness/audit.ts'
import { type Any, call } from '../../harness/call.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { purge } from '../../rules/rules.ts'
import { applied, changes, checked, faults, undone } from '../plans.ts'
import { checkedFile, csv } from './plansOfFiles.ts'

// Names that move from one row to another.

const crew = ['a', 'b', 'c', 'd', 'e']
let service: Service
beforeEach(async () => {
  service = await startService({
    users: [...people, ...crew.map((id) => ({ id, username: `n-${id}`, external_id: `E-${id}` }))],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

const user = async (user_id: string): Promise<Any> => (await call('getUser', { path: { user_id } })).body
const names = async () => Object.fromEntries(await Promise.all(crew.map(async (id) => [id, (await user(id)).username])))
const before = Object.fromEntries(crew.map((id) => [id, `n-${id}`]))
const renames = (...rows: string[][]) => csv(['external_id', 'username'], ...rows)
const outcomes = async (plan: Any) => (await changes(plan.id)).map((one) => [one.user?.id ?? null, one.outcome])

/** Every order of some rows. */
function ordersOf<T>(rows: readonly T[]): T[][] {
  if (rows.length < 2) return [[...rows]]
  return rows.flatMap((row, n) => ordersOf(rows.toSpliced(n, 1)).map((rest) => [row, ...rest]))
}

it('a chain works in any order of rows, and back', async () => {
  const rows = [
    ['E-a', 'n-b'],
    ['E-b', 'n-c'],
    ['E-c', 'free'],
  ]
  for (const order of ordersOf(rows)) {
    const plan = await checkedFile(service, renames(...order))
    expect((await changes(plan.id)).map((one) => one.user.id)).toEqual(['c', 'b', 'a'])
    expect(await applied(service, plan)).toMatchObject({ state: 'DONE', counts: { planned: 3, done: 3 } })
    expect(await names()).toEqual({ ...before, a: 'n-b', b: 'n-c', c: 'free' })
    expect(await undone(service, plan.id)).toMatchObject({ state: 'DONE', counts: { planned: 3, done: 3 } })
    expect(await names()).toEqual(before)
  }
  await audit(service)
})

it('circles of two and of three are one transaction each, with what else a row says', async () => {
  const file = csv(
    ['external_id', 'username', 'first_name', 'status'],
    ['E-a', 'n-b', 'Anna', 'LOCKED'],
    ['E-b', 'n-a', '', ''],
    ['E-c', 'n-d', '', ''],
    ['E-d', 'n-e', '', ''],
    ['E-e', 'n-c', '', ''],
  )
  const plan = await checkedFile(service, file)
  expect(plan.counts).toMatchObject({ planned: 6, faults: 0 })
  expect(await applied(service, plan)).toMatchObject({ counts: { done: 6 } })
  expect(await names()).toEqual({ a: 'n-b', b: 'n-a', c: 'n-d', d: 'n-e', e: 'n-c' })
  expect(await user('a')).toMatchObject({ first_name: 'Anna', status: 'LOCKED' })
  await audit(service)
  const undo = await undone(service, plan.id)
  expect([undo.counts, await changes(undo.id)]).toMatchObject([{ planned: 6, done: 6 }, {}])
  expect(await names()).toEqual(before)
  const again = await undone(service, undo.id)
  expect(again.counts).toMatchObject({ planned: 6, done: 6 })
  expect(await names()).toEqual({ a: 'n-b', b: 'n-a', c: 'n-d', d: 'n-e', e: 'n-c' })
  await audit(service)
})

it('external ids go round, too, where they are not the key', async () => {
  const file = csv(['id', 'external_id', 'username'], ['a', 'E-b', 'n-c'], ['b', 'E-c', 'n-a'], ['c', 'E-a', 'n-b'])
  const plan = await checkedFile(service, file, { match_by: 'ID' })
  expect(await applied(service, plan)).toMatchObject({ counts: { planned: 3, done: 3, faults: 0 } })
  expect(await user('a')).toMatchObject({ external_id: 'E-b', username: 'n-c' })
  expect(await undone(service, plan.id)).toMatchObject({ counts: { planned: 3, done: 3 } })
  expect(await user('a')).toMatchObject({ external_id: 'E-a', username: 'n-a' })
  await audit(service)
})

it('somebody new takes the name that a row gives up', async () => {
  const file = csv(
    ['external_id', 'username', 'first_name', 'last_name'],
    ['NEW', 'n-a', 'Nina', 'New'],
    ['E-a', 'n-a.old', '', ''],
  )
  const plan = await checkedFile(service, file)
  expect((await changes(plan.id)).map(({ action }) => action)).toEqual(['UPDATE', 'CREATE'])
  expect(await applied(service, plan)).toMatchObject({ counts: { done: 2 } })
  // The name of somebody who is deleted stays reserved, so the user before cannot have it back.
  const undo = await checked(service, { kind: 'UNDO', plan_id: plan.id })
  expect([undo.counts, await faults(undo.id)]).toMatchObject([
    { planned: 1, faults: 1 },
    [{ code: 'NAME_RESERVED', row: 2 }],
  ])
})

it('behind a link that was not made the rest is skipped, and so is a whole circle', async () => {
  const chain = await checkedFile(service, renames(['E-a', 'n-b'], ['E-b', 'n-c'], ['E-c', 'free']))
  await call('updateUser', { path: { user_id: 'c' }, body: { username: 'changed' } })
  const done = await applied(service, chain)
  expect(done.counts).toMatchObject({ planned: 3, done: 0, skipped: 3, failed: 0 })
  expect((await changes(chain.id)).map(({ error }) => error.code)).toEqual(Array(3).fill('CHANGED_SINCE'))
  const circle = await checkedFile(service, renames(['E-a', 'n-b'], ['E-b', 'n-a'], ['E-d', 'n-d.2']))
  await call('updateUser', { path: { user_id: 'b' }, body: { external_id: 'other' } })
  await applied(service, circle)
  expect((await outcomes(circle)).sort()).toEqual([
    ['a', 'SKIPPED'],
    ['b', 'SKIPPED'],
    ['d', 'DONE'],
  ])
  await audit(service)
})

it('several changes of a row end at the first that is not made', async () => {
  const columns = ['external_id', 'first_name', 'status']
  const plan = await checkedFile(service, csv(columns, ['E-a', 'Anna', 'LOCKED'], ['E-b', 'Bo', 'LOCKED']))
  await call('updateUser', { path: { user_id: 'a' }, body: { first_name: 'Other' } })
  expect((await applied(service, plan)).counts).toMatchObject({ planned: 4, done: 2, skipped: 2 })
  expect([(await user('a')).status, (await user('b')).status]).toEqual(['ACTIVE', 'LOCKED'])
})

it('a circle is skipped where another value of one of its rows has changed', async () => {
  const columns = ['external_id', 'username', 'first_name']
  const circle = await checkedFile(service, csv(columns, ['E-a', 'n-b', 'Anna'], ['E-b', 'n-a', 'Some']))
  await call('updateUser', { path: { user_id: 'a' }, body: { first_name: 'Other' } })
  expect((await applied(service, circle)).counts).toMatchObject({ done: 0, skipped: 2 })
  expect([await names(), (await user('a')).first_name]).toEqual([before, 'Other'])
})

it('a circle is not taken back in part', async () => {
  const columns = ['external_id', 'username', 'first_name']
  const circle = await checkedFile(service, csv(columns, ['E-a', 'n-b', 'Anna'], ['E-b', 'n-a', 'Some']))
  await applied(service, circle)
  await call('updateUser', { path: { user_id: 'a' }, body: { first_name: 'Other' } })
  const undo = await checked(service, { kind: 'UNDO', plan_id: circle.id })
  expect(undo.counts).toMatchObject({ planned: 0, skipped: 2 })
  expect(await names()).toEqual({ ...before, a: 'n-b', b: 'n-a' })
})

it('a link whose user was removed for good was not made', async () => {
  const later = (days: number) => service.setNow(new Date(service.now().getTime() + days * 86_400_000))
  await call('deleteUser', { path: { user_id: 'c' } })
  later(10)
  const chain = await checkedFile(service, renames(['E-b', 'n-c'], ['E-c', 'free']), { pending: 'RESTORE' })
  expect(chain.counts).toMatchObject({ planned: 2 })
  later(5)
  await purge(service)
  expect((await applied(service, chain)).counts).toMatchObject({ done: 0, skipped: 2, failed: 0 })
  expect((await user('b')).username).toBe('n-b')
  await audit(service)
})

describe('faults', () => {
  it.each([
    ['two rows take one name', renames(['E-a', 'new'], ['E-b', 'NEW']), [1, 2], 'USERNAME_ALREADY_EXISTS'],
    ['a name that nobody gives up', renames(['E-a', 'n-b']), [1], 'USERNAME_ALREADY_EXISTS'],
    [
      'a chain whose end is taken',
      renames(['E-a', 'n-b'], ['E-b', 'n-c'], ['E-c', 'n-d']),
      [3, 2, 1],
      'USERNAME_ALREADY_EXISTS',
    ],
    [
      'a name of a row that has a fault',
      csv(['external_id', 'username', 'email'], ['E-a', 'n-b', ''], ['E-b', 'n-b.2', 'no-mail']),
      [1, 2],
      undefined,
    ],
  ])('%s', async (_, file, rows, code) => {
    const plan = await checkedFile(service, file)
    const found = await faults(plan.id)
    expect(found.map(({ row }) => row).sort()).toEqual(rows.toSorted())
    if (code) expect(new Set(found.map((one) => one.code))).toEqual(new Set([code]))
    expect(plan.counts.planned).toBe(0)
  })

  it('a circle whose changes fit into a transaction, but not with their outcomes', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `m-${n + 10}`)
    const seeded = many.map((id) => ({ id, username: id, external_id: id }))
    service = await startService({ users: [...people, ...seeded], indexes: ['by_id', 'find'] })
    const circleOf = (size: number) =>
      checkedFile(service, renames(...many.slice(0, size).map((id, n) => [id, many[(n + 1) % size] ?? ''])), {
        limits: { changed_percent: 100 },
      })
    // Each takes six places: the user, an event, the name, two other rows that show it, and the outcome. The outbox takes one more.
    const largest = await circleOf(16)
    expect(largest.counts).toMatchObject({ planned: 16, faults: 0 })
    expect((await circleOf(17)).counts).toMatchObject({ planned: 0, faults: 17 })
    expect(await applied(service, largest)).toMatchObject({ counts: { done: 16, failed: 0 } })
    await audit(service)
  })

  it('a circle that no transaction holds', async () => {
    const many = Array.from({ length: 30 }, (_, n) => `m-${n}`)
    const seeded = many.map((id) => ({ id, username: id, external_id: id }))
    service = await startService({ users: [...people, ...seeded], indexes: ['by_id', 'find'] })
    const rows = many.map((id, n) => [id, many[(n + 1) % many.length] ?? ''])
    const plan = await checkedFile(service, renames(...rows))
    expect(plan.counts).toMatchObject({ rows: 30, faults: 30, planned: 0 })
    expect(new Set((await faults(plan.id)).map(({ code, column }) => `${code} ${column}`))).toEqual(
      new Set(['NAME_CIRCLE username']),
    )
  })

  it('a name that only a deletion would free names the deadline', async () => {
    await call('deleteUser', { path: { user_id: 'b' } })
    const plan = await checkedFile(service, renames(['E-a', 'n-b']))
    expect(await faults(plan.id)).toMatchObject([{ detail: expect.stringContaining('2026-12-05T09:00:00.000Z') }])
  })
})
