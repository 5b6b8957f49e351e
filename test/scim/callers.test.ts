import { beforeAll, describe, expect, it } from 'vitest'
import { readAllWork } from '../../domain/table/readWork.ts'
import { newWorker } from '../../local/start/workerLoop.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, withoutWaits } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'
import { expectAnswer, patchBody, scim } from './scim.ts'

// What a provisioning client may do with a service token, and what it tries besides.

let service: Service
let token: string
let administrators: string

beforeAll(async () => {
  service = await startService({
    indexes: 'all',
    users: [
      ...people,
      { id: 'boss', username: 'boss', role: 'ADMIN', email: 'boss@corp.example' },
      { id: 'gone', username: 'gone', role: 'ADMIN', external_id: 'gone' },
      ...Array.from({ length: 40 }, (_, n) => ({ id: `m-${n}`, username: `m-${n}` })),
    ],
  })
  await call('deleteUser', { path: { user_id: 'gone' } })
  token = await giveToken(service, ['SCIM'], { id: tokenId('directory') })
  administrators = await giveToken(service, ['SCIM', 'ADMINISTRATORS'])
})

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const patch = (id: string, operation: object, as = token) =>
  scim('PATCH', `/Users/${id}`, { token: as, body: patchBody(operation) })

describe('a token with SCIM', () => {
  it('provisions users and groups, and is the actor of their events', async () => {
    const user = await scim('POST', '/Users', { token, body: { userName: 'by-token' } })
    expectAnswer(user, 201)
    const { id } = user.body
    expectAnswer(await patch(id, replace('active', 'False')), 200)
    const group = await scim('POST', '/Groups', { token, body: { displayName: 'By token', members: [{ value: id }] } })
    expectAnswer(group, 201)
    expectAnswer(await scim('DELETE', `/Groups/${group.body.id}`, { token }), 204)
    expectAnswer(await scim('DELETE', `/Users/${id}`, { token }), 204)
    expectAnswer(await scim('GET', '/Schemas', { token }), 200)
    const { events } = (await call('listUserEvents', { path: { user_id: id } })).body
    expect(events.length).toBeGreaterThan(3)
    for (const { actor } of events) expect(actor).toMatchObject({ id: tokenId('directory'), kind: 'SERVICE_TOKEN' })
  })

  it.each<[string, () => Promise<Any>]>([
    [
      'make an administrator',
      () => scim('POST', '/Users', { token, body: { userName: 'x', roles: [{ value: 'ADMIN' }] } }),
    ],
    ['give the role', () => patch('plain', replace('roles', [{ value: 'ADMIN' }]))],
    ['take the role', () => patch('boss', replace('roles', [{ value: 'USER' }]))],
    ['rename one', () => patch('boss', replace('userName', 'mine'))],
    ['take the e-mail of one', () => patch('boss', { op: 'remove', path: 'emails' })],
    ['give one an external id', () => patch('boss', replace('externalId', 'mine'))],
    ['deactivate one', () => patch('boss', replace('active', false))],
    ['replace one', () => scim('PUT', '/Users/boss', { token, body: { userName: 'boss' } })],
    ['delete one', () => scim('DELETE', '/Users/boss', { token })],
    ['bring one back', () => scim('POST', '/Users', { token, body: { userName: 'gone', externalId: 'gone' } })],
  ])('cannot %s', async (_what, attempt) => {
    const before = await call('getUser', { path: { user_id: 'boss' } })
    expectAnswer(await attempt(), 403)
    expect((await call('getUser', { path: { user_id: 'boss' } })).body).toEqual(before.body)
  })

  it('changes the rest of an administrator, and with ADMINISTRATORS everything', async () => {
    expectAnswer(await patch('boss', replace('title', 'Chief')), 200)
    expectAnswer(await patch('boss', replace('userName', 'chief'), administrators), 200)
    expectAnswer(await patch('boss', replace('externalId', 'E-chief'), administrators), 200)
    expectAnswer(await scim('DELETE', '/Users/boss', { token: administrators }), 204)
    const body = { userName: 'chief', externalId: 'E-chief' }
    const back = await scim('POST', '/Users', { token: administrators, body })
    expect(back.body).toMatchObject({ id: 'boss', roles: [{ value: 'ADMIN' }] })
  })

  it('never brings an administrator back by userName alone, whatever its scopes', async () => {
    const made = { userName: 'chief-2', roles: [{ value: 'ADMIN' }] }
    for (const externalId of [undefined, 'E-2']) {
      const { id } = (await scim('POST', '/Users', { body: { ...made, externalId } })).body
      expectAnswer(await scim('DELETE', `/Users/${id}`), 204)
      const bodies = externalId
        ? [{ userName: 'chief-2' }]
        : [{ userName: 'chief-2' }, { userName: 'chief-2', externalId: 'x' }]
      for (const as of [{ token }, { token: administrators }, {}])
        for (const body of bodies) {
          const reply = await scim('POST', '/Users', { ...as, body })
          expectAnswer(reply, 409, 'uniqueness')
          expect(reply.body.detail).toMatch(/\d{4}-\d\d-\d\dT/)
        }
      await call('restoreUser', { path: { user_id: id } })
      expectAnswer(await patch(id, replace('userName', `chief-2-${externalId}`), administrators), 200)
    }
  })

  it('reads nothing else, and tokens with other scopes read nothing here', async () => {
    for (const name of ['listUsers', 'listRoles', 'getOrganisationSettings'])
      expect((await call(name, { token })).status).toBe(403)
    expect((await call('listTasks', { token, query: { distribution_kind: 'RECEIVED' } })).status).toBe(403)
    const other = await giveToken(service, ['READ', 'USERS', 'USER_GROUPS', 'ADMINISTRATORS'])
    for (const path of ['/Users', '/Groups', '/Schemas']) expectAnswer(await scim('GET', path, { token: other }), 403)
  })

  it('that is cut, foreign or in the query is a 401', async () => {
    const parts = (await giveToken(service, ['SCIM'])).split('_')
    const mixed = [parts[0], token.split('_')[1], ...parts.slice(2)].join('_')
    for (const wrong of [token.slice(0, -1), `${token}0`, mixed, 'rct_'])
      expectAnswer(await scim('GET', '/Users', { token: wrong }), 401)
    expectAnswer(await scim('GET', '/Users', { token: null, query: { access_token: token } }), 401)
  })
})

it('a store that is throttled is a 503 with Retry-After, in the form of SCIM', async () => {
  const { heal } = strike(service.client, (call) => (call > 1 ? 'throttle' : undefined))
  const reply = await withoutWaits(() => scim('GET', '/Users/plain')).finally(heal)
  expectAnswer(reply, 503)
  expect(reply.headers['retry-after']).toBeTruthy()
})

it('a process that dies after its answer was decided leaves work that is completed', async () => {
  const { id } = (await scim('POST', '/Groups', { body: { displayName: 'Dies' } })).body
  const value = Array.from({ length: 40 }, (_, n) => ({ value: `m-${n}` }))
  let writes = 0
  // The first transaction notes the members; the process dies after the first step of the work.
  const { heal } = strike(service.client, (_, command) => {
    if (command.startsWith('TransactWrite')) writes++
    return writes === 2 ? 'death' : undefined
  })
  await scim('PATCH', `/Groups/${id}`, { body: patchBody({ op: 'add', path: 'members', value }) }).finally(heal)
  const before = service.now()
  service.setNow(new Date(before.getTime() + 60_000))
  const worker = newWorker()
  await worker.schedule()
  await worker.idle()
  await worker.stop()
  service.setNow(before)
  const { members } = (await scim('GET', `/Groups/${id}`)).body
  expect(members.map(({ value }: Any) => value).sort()).toEqual(value.map((one) => one.value).sort())
  expect(await readAllWork(service.store)).toEqual([])
})
