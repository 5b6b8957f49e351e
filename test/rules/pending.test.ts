import { beforeAll, expect, it } from 'vitest'
import { ENTERPRISE_URN } from '../../domain/scim/schema.ts'
import { readWork } from '../../domain/table/readWork.ts'
import { audit } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { patchBody, scim } from '../scim/scim.ts'
import * as r from './rules.ts'

// Changes of a user by which rules give and take more, or less, than a transaction holds.

const GROUPS = 36
let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
  const rule = (n: number) =>
    r.createRule(`r-${n}`, `g-${n}`, {
      role_id: 'coach',
      conditions: [r.inDepartment(n < 15 ? 'Few' : 'Many', 'Many')],
    })
  for (let n = 0; n < GROUPS; n++) {
    await r.newGroup(`g-${n}`)
    expect((await rule(n)).status).toBe(201)
  }
  await r.later(service)
})

const sources = (user: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => r.sourceOf(`g-${n}`, user, 'coach')))

/** The largest creation that is sure to have its roles in the answer. */
const largest = {
  ...ordinary,
  role: 'ADMIN',
  external_id: 'x-1',
  email: 'eve@example.com',
  // As many words as are looked up one by one.
  first_name: Array.from({ length: 32 }, (_, n) => String.fromCodePoint(0x61 + (n % 26))).join(' '),
  last_name: Array.from({ length: 32 }, (_, n) => String.fromCodePoint(0x410 + n)).join(' '),
  attributes: [
    { name: 'department', value: 'few' },
    { name: 'location', value: 'Here' },
    { name: 'job_title', value: 'Guide' },
  ],
}

it('fifteen roles always fit beside the creation of a user with three attributes', async () => {
  const reply = await call('createUser', {
    body: { ...largest, id: 'eve', username: 'eve' },
    headers: { 'idempotency-key': 'once' },
  })
  expect([reply.status, reply.headers['x-rules-pending']]).toEqual([201, undefined])
  expect(await sources('eve', GROUPS)).toEqual(Array.from({ length: GROUPS }, (_, n) => (n < 15 ? 'RULE' : undefined)))
  await audit(service)
})

it.each<[string, (id: string) => Promise<unknown>, (id: string) => ReturnType<typeof call>]>([
  [
    'a creation',
    async () => {},
    (id) =>
      call('createUser', {
        body: { ...ordinary, id, username: id, first_name: 'F', last_name: 'L', ...r.department('Many') },
      }),
  ],
  ['an update', (id) => r.newUser(id), (id) => r.updateUser(id, r.department('many'))],
  [
    'one of a batch',
    (id) => r.newUser(id),
    (id) => call('updateUsers', { body: { items: [{ id, body: r.department('MANY') }] } }),
  ],
  [
    'one by SCIM',
    (id) => r.newUser(id),
    (id) => {
      const operation = { op: 'replace', path: `${ENTERPRISE_URN}:department`, value: 'Many' }
      return scim('PATCH', `/Users/${id}`, { body: patchBody(operation) })
    },
  ],
])('%s that has no room for 36 roles notes all of them', async (_what, before, change) => {
  const id = `user-${_what.replaceAll(' ', '-')}`
  await before(id)
  const reply = await change(id)
  expect([reply.status < 300, reply.headers['x-rules-pending']]).toEqual([true, 'true'])
  expect(await readWork(service.store, 'settle', id)).toMatchObject({ taker: 'STREAM' })
  expect(new Set(await sources(id, GROUPS))).toEqual(new Set([undefined]))
  await audit(service)
  await r.later(service)
  expect(new Set(await sources(id, GROUPS))).toEqual(new Set(['RULE']))
  // What is taken has no room either.
  expect((await r.updateUser(id, { attributes: null })).headers['x-rules-pending']).toBe('true')
  await r.later(service)
  expect(new Set(await sources(id, GROUPS))).toEqual(new Set([undefined]))
  expect(await readWork(service.store, 'settle', id)).toBeUndefined()
  await audit(service)
})

it('a creation by SCIM that has no room for 36 roles says so', async () => {
  const body = { userName: 'by-scim', [ENTERPRISE_URN]: { department: 'Many' } }
  const { status, headers } = await scim('POST', '/Users', { body })
  expect([status, headers['x-rules-pending']]).toEqual([201, 'true'])
})
