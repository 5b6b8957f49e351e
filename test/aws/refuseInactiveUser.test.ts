import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { handler as refuseInactiveUser } from '../../handlers/identity/refuseInactiveUser.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { type Any, call } from '../harness/call.ts'
import { type StoreFault, strike, withoutWaits } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { inSilence } from '../harness/silence.ts'

let service: Service

beforeAll(async () => {
  service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...['locked', 'off', 'leaving', 'left'].map((id) => ({ id, username: `${id}@example.org` }))],
  })
  await call('lockUser', { path: { user_id: 'locked' } })
  await call('deactivateUser', { path: { user_id: 'off' } })
  await call('deleteUser', { path: { user_id: 'leaving' } })
})

afterEach(() => {
  process.env.TOKEN_USER_CLAIM = ''
  process.env.USER_POOL_ATTRIBUTE = ''
})

const handler = (event: Any, timeLeft = 60_000) =>
  refuseInactiveUser(event, { getRemainingTimeInMillis: () => timeLeft } as Any)
const beforeLogin = (userName: string, userAttributes: Record<string, string> = {}): Any => ({
  version: '1',
  triggerSource: 'PreAuthentication_Authentication',
  userName,
  request: { userAttributes },
  response: {},
})
const beforeToken = (userName: string, version: string, source = 'Authentication'): Any => ({
  ...beforeLogin(userName),
  version,
  triggerSource: `TokenGeneration_${source}`,
})

test('an active user may log in, however their username is written', async () => {
  const event = beforeLogin('PLAIN')
  expect(await handler(event)).toEqual(event)
})

test.each(['locked', 'off', 'leaving'])('%s: neither a login nor a token, nor a renewed one', async (id) => {
  const username = `${id}@example.org`
  await expect(handler(beforeLogin(username))).rejects.toThrow('The user is not active')
  await expect(handler(beforeToken(username, '2'))).rejects.toThrow('The user is not active')
  await expect(handler(beforeToken(username, '2', 'RefreshTokens'))).rejects.toThrow('The user is not active')
})

test.each(['nobody', '', 'x'.repeat(3000)])('a stranger is refused like somebody who is locked', async (username) => {
  await expect(handler(beforeLogin(username))).rejects.toThrow('The user is not active')
})

test('a refusal holds at once, and ends with the lock', async () => {
  const path = { user_id: 'left' }
  await handler(beforeLogin('left@example.org'))
  await call('lockUser', { path })
  await expect(handler(beforeLogin('left@example.org'))).rejects.toThrow()
  await call('unlockUser', { path })
  await handler(beforeLogin('left@example.org'))
})

test('from the deadline on a user is refused, purged or not', async () => {
  const now = service.now()
  service.setNow('2027-01-01T00:00:00.000Z')
  await expect(handler(beforeLogin('leaving@example.org'))).rejects.toThrow('The user is not active')
  service.setNow(now)
})

test('the username can be in an attribute of the pool', async () => {
  process.env.USER_POOL_ATTRIBUTE = 'preferred_username'
  await handler(beforeLogin('5f2c', { preferred_username: 'plain' }))
  await expect(handler(beforeLogin('plain', {}))).rejects.toThrow('The user is not active')
})

test('tokens carry the directory’s id in the claim that the service reads', async () => {
  process.env.TOKEN_USER_CLAIM = 'user_id'
  const claims = { claimsToAddOrOverride: { user_id: 'plain' } }
  const both = { claimsAndScopeOverrideDetails: { idTokenGeneration: claims, accessTokenGeneration: claims } }
  expect((await handler(beforeToken('Plain', '2'))).response).toEqual(both)
  expect((await handler(beforeToken('Plain', '3'))).response).toEqual(both)
  expect((await handler(beforeToken('Plain', '1'))).response).toEqual({ claimsOverrideDetails: claims })
})

test('a machine client passes with the token that it would get anyway, and the log says so', async () => {
  process.env.TOKEN_USER_CLAIM = 'user_id'
  service.logged()
  for (const name of ['5example23client', 'locked@example.org']) {
    const event = { ...beforeToken(name, '3', 'ClientCredentials'), request: { scopes: ['calendar/read'] } }
    expect(await handler(event)).toEqual(event)
  }
  const line = { trigger: 'TokenGeneration_ClientCredentials', machine: true, refused: false }
  expect(service.logged()).toEqual([expect.objectContaining(line), expect.objectContaining(line)])
})

test('the pool’s own sub stays what it is', async () => {
  const event = beforeToken('plain', '2')
  expect(await handler(event)).toEqual(event)
})

test('when the directory cannot be reached, no user gets in, and no reason is given', async () => {
  const { client } = environment
  onTestFinished(() => void Object.assign(environment, { client }))
  environment.client = () => {
    throw new Error('secret')
  }
  await expect(handler(beforeLogin('plain'))).rejects.toThrow('The directory cannot be reached at the moment')
})

test.each<[StoreFault | 'silence', object]>([
  ['throttle', { fault: 'StoreBusy', cause: 'ProvisionedThroughputExceededException' }],
  ['unreachable', { fault: 'StoreUnreachable', cause: 'ECONNREFUSED' }],
  ['silence', { fault: 'StoreUnreachable', cause: 'OutOfTime' }],
])('a database that meets it with %s: refused in time, and the log says why in one line', async (fault, why) => {
  service.logged()
  service.measured()
  const asked = (time: number) =>
    expect(handler(beforeLogin('plain'), time)).rejects.toThrow('The directory cannot be reached at the moment')
  if (fault === 'silence') await inSilence(() => asked(800))
  else {
    const { heal } = strike(service.client, () => fault)
    await withoutWaits(() => asked(5_000)).finally(heal)
  }
  const lines = service.logged()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 'error', endpoint: 'refuseInactiveUser', ...why })
  expect(JSON.stringify(lines)).not.toContain('plain')
  expect(service.measured()).toEqual([expect.objectContaining({ LoginsFailed: 1 })])
})

test('the log says what was asked and decided, but names no user', async () => {
  service.logged()
  await handler(beforeLogin('plain'))
  await handler(beforeLogin('locked@example.org')).catch(() => {})
  for (const measures of service.measured()) expect(measures).not.toHaveProperty('LoginsFailed')
  const [yes, no] = service.logged()
  expect(yes).toMatchObject({ trigger: 'PreAuthentication_Authentication', refused: false })
  expect(no).toMatchObject({ refused: true })
  expect(JSON.stringify([yes, no])).not.toMatch(/plain|locked/)
})
