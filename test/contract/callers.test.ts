import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { organisationKey } from '../../domain/table/keys.ts'
import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { type Any, call, type Request } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { forgedToken } from '../harness/serviceTokens.ts'
import { audience, issuer, tokenFor } from '../harness/tokens.ts'
import { countWrites } from '../harness/writes.ts'

// R3: every endpoint, whatever is added later, against every kind of caller.

const names = Object.keys(contracts)
const administrators = names.filter((name) => contracts[name]?.access === 'administrator')
const open = names.filter((name) => contracts[name]?.access === 'user')

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService({
    indexes: ['by_created_at', 'by_username_or_change'],
    users: [
      ...people,
      { id: 'locked', role: 'ADMIN', status: 'LOCKED' },
      { id: 'deactivated', role: 'ADMIN', status: 'DEACTIVATED' },
      ...['pending', 'overdue'].map((id) => ({ id, role: 'ADMIN' as const })),
      { id: 'plain-locked', status: 'LOCKED' },
    ],
  })
  const end = async (user_id: string, on: string) => {
    service.setNow(on)
    expect((await call('deleteUser', { path: { user_id } })).status).toBe(200)
  }
  await end('overdue', '2026-11-01T09:00:00.000Z')
  await end('pending', '2026-11-10T09:00:00.000Z')
  // The very instant of the one's deadline; the other has five days left.
  service.setNow('2026-11-15T09:00:00.000Z')
  writes = countWrites(service)
})

/** Wrong in query, body and path at once: a caller without permission must not even learn that. */
const wrong: Request = {
  query: 'page_limit=0&embed=NOTHING&sort=NOTHING&body_format=NOTHING',
  rawBody: '{',
}
const now = Math.floor(Date.now() / 1000)
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const own = publicKey.export({ format: 'jwk' })
const signed = tokenFor('admin')
const [head, claims, signature] = signed.split('.') as [string, string, string]
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

type Caller = { token?: string | null; headers?: Record<string, string>; noCredentials?: true }
const unauthenticated: Record<string, Caller> = {
  'no token (no header)': { token: null, noCredentials: true },
  'no token (empty header)': { token: null, headers: { authorization: '' }, noCredentials: true },
  'another scheme': { token: null, headers: { authorization: 'Basic YWRtaW46YWRtaW4=' } },
  'a bare token without scheme': { token: null, headers: { authorization: signed } },
  'bearer of nothing': { token: null, headers: { authorization: 'Bearer ' } },
  'two spaces': { token: null, headers: { authorization: `Bearer  ${tokenFor('admin')}` } },
  'a tab': { token: null, headers: { authorization: `Bearer\t${tokenFor('admin')}` } },
  'a space at the end': { token: null, headers: { authorization: `Bearer ${tokenFor('admin')} ` } },
  'bearer of two tokens': { token: null, headers: { authorization: `Bearer ${signed} ${signed}` } },
  garbage: { token: 'garbage' },
  'a token of two parts': { token: `${head}.${claims}` },
  'a token whose parts are no JSON': { token: 'bm90.anNvbg.c2ln' },
  'a token whose claims are a list': { token: `${head}.${encoded(['admin'])}.${signature}` },
  'a changed payload': { token: `${head}.${encoded({ iss: issuer, aud: audience, sub: 'admin' })}.${signature}` },
  'no signature': { token: tokenFor('admin', { signWith: 'nobody' }) },
  'alg none': { token: tokenFor('admin', { header: { alg: 'none' }, signWith: 'nobody' }) },
  'alg none with a signature': { token: tokenFor('admin', { header: { alg: 'none' } }) },
  'alg HS256': { token: tokenFor('admin', { header: { alg: 'HS256' } }) },
  'another RSA alg than the key says': { token: tokenFor('admin', { header: { alg: 'RS512' } }) },
  'no alg': { token: tokenFor('admin', { header: { alg: undefined } }) },
  'an unknown key': { token: tokenFor('admin', { header: { kid: 'other' }, signWith: 'foreign' }) },
  'no key id': { token: tokenFor('admin', { header: { kid: undefined } }) },
  'a key that it brings along': {
    token: tokenFor('admin', { header: { jwk: own, kid: undefined }, signWith: 'foreign' }),
  },
  'a foreign key under our key id': { token: tokenFor('admin', { signWith: 'foreign' }) },
  expired: { token: tokenFor('admin', { claims: { exp: now - 5 } }) },
  'never expiring': { token: tokenFor('admin', { claims: { exp: undefined } }) },
  'not yet valid': { token: tokenFor('admin', { claims: { nbf: now + 600 } }) },
  'wrong issuer': { token: tokenFor('admin', { claims: { iss: `${issuer}/other` } }) },
  'no issuer': { token: tokenFor('admin', { claims: { iss: undefined } }) },
  'wrong audience': { token: tokenFor('admin', { claims: { aud: 'another-app' } }) },
  'several wrong audiences': { token: tokenFor('admin', { claims: { aud: ['another-app', 'rollcall-too'] } }) },
  'no audience': { token: tokenFor('admin', { claims: { aud: undefined } }) },
  'no subject': { token: tokenFor('admin', { claims: { sub: undefined } }) },
  'an empty subject': { token: tokenFor('') },
  'a subject that is no text': { token: tokenFor('admin', { claims: { sub: { id: 'admin' } } }) },
  'a service token that does not exist': { token: forgedToken },
  'a truncated service token': { token: forgedToken.slice(0, -1) },
}

const inactive: Record<string, string> = {
  'somebody unknown': 'nobody',
  'somebody with an endless name': 'x'.repeat(4000),
  'somebody with a broken name': '\ud800#\u0000',
  'a LOCKED administrator': 'locked',
  'a LOCKED user': 'plain-locked',
  'a DEACTIVATED administrator': 'deactivated',
  'an administrator PENDING_DELETION': 'pending',
  'an administrator at the deadline': 'overdue',
}

/** Calls all given endpoints; every one must answer the code, and nothing may be written. */
async function allAnswer(endpoints: readonly string[], request: Request, code: ErrorCode, headers: object = {}) {
  const before = writes()
  const path = (name: string) =>
    pathOf(contracts[name] as Contract, request.rawBody === harmless.rawBody ? 'not-there' : '!')
  const answers = await Promise.all(
    endpoints.map(async (name) => ({ name, ...(await call(name, { path: path(name), ...request })) })),
  )
  const seen = answers.map(({ name, body, headers }) => ({ name, error_code: body?.error_code, headers }))
  expect(seen).toEqual(endpoints.map((name) => ({ name, error_code: code, headers: expect.objectContaining(headers) })))
  expect(writes()).toBe(before)
  return answers
}

/** Nothing wrong with it, as far as that can be said of all endpoints; unlike `wrong` it reaches every check. */
const harmless: Request = { query: '', rawBody: '{}' }
/** Whether a request to it can be wrong at all. */
const takes = ({ path, query, body }: Contract): boolean => Boolean(path || query || body)
const pathOf = ({ path }: Contract, value = 'not-there'): Record<string, string> =>
  Object.fromEntries(Object.keys((path?.properties ?? {}) as object).map((name) => [name, value]))

/** The first of these callers sends both requests, the others one of them in turn. */
const requestsOf = (nth: number): Request[] => (nth === 0 ? [wrong, harmless] : [nth % 2 ? wrong : harmless])
const numbered = <T>(cases: Record<string, T>) =>
  Object.entries(cases).map(([name, one], nth): [string, T, number] => [name, one, nth])

describe('a caller without a usable token', () => {
  it.each(numbered(unauthenticated))(
    '%s: 401 UNAUTHENTICATED everywhere',
    async (_name, { noCredentials, ...by }, nth) => {
      const challenge = noCredentials
        ? /^Bearer realm="[^"]+"$/
        : /^Bearer error="invalid_token", error_description="[\x20-\x21\x23-\x5b\x5d-\x7e]+"$/
      for (const request of requestsOf(nth))
        await allAnswer(names, { ...request, ...by }, 'UNAUTHENTICATED', {
          'www-authenticate': expect.stringMatching(challenge),
        })
    },
  )
})

describe('a caller who is not active', () => {
  it.each(numbered(inactive))('%s: 401 ACTOR_NOT_ACTIVE everywhere', async (_name, sub, nth) => {
    const headers = { 'www-authenticate': expect.stringMatching(/^Bearer error="invalid_token"/) }
    for (const request of requestsOf(nth))
      await allAnswer(names, { ...request, token: tokenFor(sub) }, 'ACTOR_NOT_ACTIVE', headers)
  })
})

describe('an active caller', () => {
  it('who is no administrator gets 403 PERMISSION_MISSING from every administration endpoint', async () => {
    await allAnswer(administrators, { ...wrong, as: 'plain' }, 'PERMISSION_MISSING')
    await allAnswer(administrators, { ...harmless, as: 'plain' }, 'PERMISSION_MISSING')
  })

  it.each([
    ['their own token', tokenFor('admin')],
    ['one of several audiences', tokenFor('admin', { claims: { aud: ['another-app', audience] } })],
    ['a token from just now on', tokenFor('admin', { claims: { nbf: now - 1 } })],
  ])('passes with %s, and then learns what is wrong with the request', async (_name, token) => {
    const answers = await Promise.all(names.map((name) => call(name, { ...wrong, token })))
    const expected = names.map((name) => {
      const contract = contracts[name] as Contract
      // A part of a file is not JSON.
      if (contract.bytes) return 415
      return takes(contract) ? 400 : 200
    })
    expect(answers.map(({ status }) => status)).toEqual(expected)
  })

  it('sends the scheme in any letter case', async () => {
    const { status } = await call('listUsers', { token: null, headers: { authorization: `bearer ${signed}` } })
    expect(status).toBe(200)
  })

  it('who is no administrator reaches what is open to all', async () => {
    for (const name of open) {
      const { body } = await call(name, { ...wrong, as: 'plain' })
      expect(body.error_code, name).not.toBe('PERMISSION_MISSING')
    }
  })
})

describe('the order of checks', () => {
  const featured = names.filter((name) => contracts[name]?.feature)
  it('permission, then feature, then input', async () => {
    const item = (await service.store.get(organisationKey)) as Any
    const off = {
      ...item,
      data: { ...item.data, features: { tasks: false, user_deactivation: false, people_directory: false } },
    }
    await service.store.bulk([{ put: off }])
    for (const name of featured) {
      const contract = contracts[name] as Contract
      await allAnswer([name], { ...wrong, token: null }, 'UNAUTHENTICATED')
      await allAnswer([name], { ...wrong, as: 'locked' }, 'ACTOR_NOT_ACTIVE')
      if (contract.access === 'administrator') await allAnswer([name], { ...wrong, as: 'plain' }, 'PERMISSION_MISSING')
      await allAnswer([name], wrong, contract.feature?.off as ErrorCode)
      await allAnswer([name], { ...harmless, path: pathOf(contract) }, contract.feature?.off as ErrorCode)
    }
    await service.store.bulk([{ put: item }])
  })

  it('input before existence', async () => {
    const before = writes()
    for (const name of names.filter((one) => contracts[one]?.path)) {
      const contract = contracts[name] as Contract
      const { status } = await call(name, { ...wrong, path: pathOf(contract) })
      // Where a path is all that an endpoint takes, nothing else can be wrong.
      const isTaken = contract.query !== undefined || contract.body !== undefined
      const wrongInput = contract.bytes ? 415 : isTaken ? 400 : 404
      expect(status, `${name}, wrong input for what is not there`).toBe(wrongInput)
      const answer = await call(name, { ...harmless, path: pathOf(contract) })
      expect([400, 404, 415], `${name}, what is not there`).toContain(answer.status)
    }
    expect(writes()).toBe(before)
  })
})
