import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { patchedAttributes } from '../../domain/people/records/attributes.ts'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'

const first = [
  { name: 'note', value: 'kept' },
  { name: 'department', value: 'Sales' },
  { name: 'joined_on', value: '2024-02-29' },
]
const path = { user_id: 'ann' }
const reset = () => call('updateUser', { path, body: { attributes: first } })
const read = async (): Promise<Any> => (await call('getUser', { path })).body

beforeAll(async () => {
  await startService({ indexes: 'none', users: [...people, { id: 'ann', attributes: first }] })
})

it('an object changes the attributes that it names, and no others', async () => {
  await reset()
  const attributes = { location: 'Bonn', department: 'Support', joined_on: null, job_title: null }
  const { status, body } = await call('updateUser', { path, body: { attributes } })
  expect(status).toBe(200)
  expect(body.attributes).toEqual([
    { name: 'note', value: 'kept' },
    { name: 'department', value: 'Support' },
    { name: 'location', value: 'Bonn' },
  ])
  expect(await read()).toEqual(body)
})

it.each([{}, { department: 'Sales' }, { location: null }])('%o changes nothing', async (attributes) => {
  await reset()
  const before = await read()
  const { status, body } = await call('updateUser', {
    path,
    body: { attributes },
    headers: { 'if-match': '"old.tag"' },
  })
  expect(status).toBe(200)
  expect(body).toEqual(before)
})

it('a change needs the version that the caller names', async () => {
  await reset()
  const { etag } = (await call('getUser', { path })).headers
  const change = (headers: Record<string, string>) =>
    call('updateUser', { path, body: { attributes: { note: 'new' } }, headers })
  expect((await change({ 'if-match': '"old.tag"' })).status).toBe(412)
  expect((await change({ 'if-match': String(etag) })).status).toBe(200)
})

it('items of a batch change one attribute each, one after the other', async () => {
  await reset()
  const items = [{ department: null }, { location: 'Bonn' }, { nothing: 'x' }, { note: 'new' }].map((attributes) => ({
    id: 'ann',
    body: { attributes },
  }))
  const { body } = await call('updateUsers', { body: { items } })
  expect(body.items.map(({ status }: Any) => status)).toEqual([200, 200, 400, 200])
  expect((await read()).attributes).toEqual([
    { name: 'note', value: 'new' },
    { name: 'joined_on', value: '2024-02-29' },
    { name: 'location', value: 'Bonn' },
  ])
})

it('is a merge patch: kept attributes in order, new ones last', () => {
  const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
  const value = fc.constantFrom('1', '2')
  const stored = fc.uniqueArray(fc.record({ name, value }), { selector: (one) => one.name })
  const patch = fc.uniqueArray(fc.tuple(name, fc.option(value)), { selector: ([one]) => one })
  fc.assert(
    fc.property(stored, patch, (before, changes) => {
      const given = new Map(changes)
      const kept = before.flatMap((one) => {
        const next = given.has(one.name) ? given.get(one.name) : one.value
        return next ? [{ name: one.name, value: next }] : []
      })
      const had = new Set(before.map((one) => one.name))
      const added = changes.flatMap(([one, next]) => (next && !had.has(one) ? [{ name: one, value: next }] : []))
      expect(patchedAttributes(before, Object.fromEntries(changes))).toEqual([...kept, ...added])
    }),
  )
})
