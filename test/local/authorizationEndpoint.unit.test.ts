import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type IdentityProvider, startIdentity } from '../../local/identity/server.ts'

const users: Record<string, { id: string; status: string }> = {
  ada: { id: 'ada-id', status: 'ACTIVE' },
  robin: { id: 'robin-id', status: 'ACTIVE' },
  locked: { id: 'locked-id', status: 'LOCKED' },
}
const redirect = 'http://localhost:4791/console/callback'
const clients = [
  { id: 'console', redirectAddresses: [redirect], signedOutAddresses: ['http://localhost:4791/console'] },
  { id: 'other', redirectAddresses: ['http://localhost:4792/back'], signedOutAddresses: [] },
]
const people = [{ username: 'ada', name: 'Ada <b>"Keller"', about: 'Administrator' }]
let identity: IdentityProvider
/** Milliseconds. */
let now: number

beforeAll(async () => {
  identity = await startIdentity({
    port: 0,
    clients,
    people,
    now: () => now,
    findUser: async (by) =>
      'username' in by ? users[by.username] : Object.values(users).find(({ id }) => id === by.id),
  })
})
afterAll(() => identity.stop())
beforeEach(() => {
  now = 1_800_000_000_000
})

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const asked = {
  ...{ client_id: 'console', redirect_uri: redirect, response_type: 'code', scope: 'openid', state: 's1', nonce: 'n1' },
  ...{ code_challenge: challenge, code_challenge_method: 'S256' },
}
type Parts = Record<string, string | undefined>
const queryOf = (parts: Parts) =>
  new URLSearchParams(Object.entries(parts).filter((part): part is [string, string] => part[1] !== undefined))

const open = async (also: Parts = {}, cookie = '') => {
  const answer = await fetch(`${identity.issuer}/authorize?${queryOf({ ...asked, ...also })}`, {
    redirect: 'manual',
    headers: { cookie },
  })
  return {
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
    to: new URL(answer.headers.get('location') ?? 'none:'),
  }
}
const requestIn = (page: string): string => /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ''
const submit = async (form: Record<string, string>, origin: string | null = identity.issuer) => {
  const headers = origin === null ? {} : { origin }
  const answer = await fetch(`${identity.issuer}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    headers,
  })
  const cookie = answer.headers.get('set-cookie') ?? ''
  return {
    status: answer.status,
    headers: answer.headers,
    cookie,
    text: await answer.text(),
    to: new URL(answer.headers.get('location') ?? 'none:'),
  }
}
const signIn = async (username = 'ada', also: Parts = {}) =>
  submit({ request: requestIn((await open(also)).text), username })
const codeFor = async (username?: string, also?: Parts) =>
  (await signIn(username, also)).to.searchParams.get('code') ?? ''
const ask = async (form: Parts) => {
  const answer = await fetch(identity.tokenEndpoint, { method: 'POST', body: queryOf(form) })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}
const redeem = (code: string, also: Parts = {}) =>
  ask({
    grant_type: 'authorization_code',
    code,
    client_id: 'console',
    redirect_uri: redirect,
    code_verifier: verifier,
    ...also,
  })
const claimsOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const refused = { status: 400, body: { error: 'invalid_grant' } }

describe('signing in', () => {
  test('leads back with a code, the state and the issuer, and the code to tokens', async () => {
    const { status, to, cookie } = await signIn()
    expect([status, to.origin + to.pathname]).toEqual([303, redirect])
    expect(Object.fromEntries(to.searchParams)).toEqual({ code: expect.any(String), state: 's1', iss: identity.issuer })
    expect(cookie).toMatch(/^rollcall-sign-in-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    const { body } = await redeem(to.searchParams.get('code') ?? '')
    expect(claimsOf(body['access_token'])).toMatchObject({ sub: 'ada-id', aud: 'rollcall' })
    expect(claimsOf(body['id_token'])).toMatchObject({
      sub: 'ada-id',
      aud: 'console',
      nonce: 'n1',
      iss: identity.issuer,
    })
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid',
      refresh_token: expect.any(String),
    })
  })

  test('shows a page with the people, without a script, that nothing may frame', async () => {
    const { status, text, headers } = await open({ login_hint: '"><script>' })
    expect(status).toBe(200)
    expect(text).toContain(
      '<button name="username" value="ada">Ada &lt;b&gt;&quot;Keller&quot; <small>Administrator</small>',
    )
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;"')
    expect(text).not.toMatch(/<script|<style|style=|\son\w+=/)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self' http://localhost:4791; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect((await fetch(`${identity.issuer}/sign-in.css`)).headers.get('content-type')).toMatch('text/css')
  })

  test.each(['locked', 'nobody', '', '<img src=x>'])(
    'as %j shows the page again and says why, without a code',
    async (username) => {
      const { status, text, cookie } = await signIn(username)
      expect([status, cookie]).toEqual([400, ''])
      expect(text).toContain('role="alert"')
      expect(text).not.toContain('<img')
      expect((await submit({ request: requestIn(text), username: 'ada' })).status).toBe(303)
    },
  )

  test('as somebody who is locked says so in a sentence', async () =>
    expect((await signIn('locked')).text).toContain('locked cannot sign in: the account is locked.'))

  test.each([['http://localhost:4791'], ['https://evil.example'], ['null'], [null]])(
    'by a form of a page of %s is refused',
    async (origin) => {
      const request = requestIn((await open()).text)
      expect((await submit({ request, username: 'ada' }, origin)).status).toBe(403)
    },
  )

  test('with a page that is too old, or made up, leads nowhere', async () => {
    const request = requestIn((await open()).text)
    now += 31 * 60_000
    expect((await submit({ request, username: 'ada' })).status).toBe(400)
    expect((await submit({ request: 'made-up', username: 'ada' })).status).toBe(400)
  })
})

describe('requests', () => {
  test.each<[string, Parts]>([
    ['an unknown client', { client_id: 'nobody' }],
    ['no client', { client_id: undefined }],
    ['no address', { redirect_uri: undefined }],
    ['another path', { redirect_uri: 'http://localhost:4791/console/callbacks' }],
    ['a query', { redirect_uri: `${redirect}?x=1` }],
    ['a fragment', { redirect_uri: `${redirect}#x` }],
    ['another port', { redirect_uri: 'http://localhost:4799/console/callback' }],
    ['another name of this machine', { redirect_uri: 'http://127.0.0.1:4791/console/callback' }],
    ['another case', { redirect_uri: redirect.toUpperCase() }],
    ['the address of another client', { redirect_uri: 'http://localhost:4792/back' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ])('with %s are answered here, and lead nobody away', async (_what, also) => {
    const { status, headers, text } = await open(also)
    expect([status, headers.get('location')]).toEqual([400, null])
    expect(text).not.toContain('<form')
  })

  test.each<[string, Parts, string]>([
    ['a token instead of a code', { response_type: 'token' }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method, which would be plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that is no hash', { code_challenge: 'short' }, 'invalid_request'],
    ['the answer in a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no openid', { scope: 'profile' }, 'invalid_scope'],
    ['a request object', { request: 'x' }, 'request_not_supported'],
    ['no page, where nobody is signed in', { prompt: 'none' }, 'login_required'],
  ])('for %s go back with an error and the state', async (_what, also, error) => {
    const { status, to } = await open(also)
    expect([status, to.origin + to.pathname]).toEqual([303, redirect])
    expect(Object.fromEntries(to.searchParams)).toMatchObject({ error, state: 's1', iss: identity.issuer })
    expect(to.searchParams.has('code')).toBe(false)
  })
})

describe('a session', () => {
  const cookieOf = async () => (await signIn()).cookie.split(';')[0] ?? ''

  test('gives a code without a page, unless the client wants the page', async () => {
    const cookie = await cookieOf()
    for (const prompt of [undefined, 'none']) {
      const { to } = await open({ prompt }, cookie)
      expect(claimsOf((await redeem(to.searchParams.get('code') ?? '')).body['access_token']).sub).toBe('ada-id')
    }
    for (const prompt of ['login', 'select_account', 'consent'])
      expect((await open({ prompt }, cookie)).text).toContain('<form')
    expect((await open({}, `${cookie}x`)).text).toContain('<form')
  })

  test('of a user who was locked gives no code', async () => {
    const cookie = await cookieOf()
    Object.assign(users['ada'] ?? {}, { status: 'LOCKED' })
    const [shown, silent] = [await open({}, cookie), await open({ prompt: 'none' }, cookie)]
    Object.assign(users['ada'] ?? {}, { status: 'ACTIVE' })
    expect(shown.text).toContain('<form')
    expect(silent.to.searchParams.get('error')).toBe('login_required')
  })

  test('ends with its refresh tokens, and leads only to an address of the client', async () => {
    const { cookie, to } = await signIn()
    const { body } = await redeem(to.searchParams.get('code') ?? '')
    const end = async (query: Parts) => {
      const headers = { cookie: cookie.split(';')[0] ?? '' }
      const answer = await fetch(`${identity.issuer}/end-session?${queryOf(query)}`, { redirect: 'manual', headers })
      return [answer.status, answer.headers.get('location'), /Max-Age=0/.test(answer.headers.get('set-cookie') ?? '')]
    }
    const known = { client_id: 'console', post_logout_redirect_uri: 'http://localhost:4791/console', state: 'x' }
    expect(await end({ ...known, post_logout_redirect_uri: 'https://evil.example' })).toEqual([200, null, true])
    expect(await end({ ...known, client_id: 'other' })).toEqual([200, null, true])
    expect(await end(known)).toEqual([303, 'http://localhost:4791/console?state=x', true])
    expect((await open({}, cookie.split(';')[0])).text).toContain('<form')
    expect(
      await ask({ grant_type: 'refresh_token', client_id: 'console', refresh_token: body['refresh_token'] }),
    ).toMatchObject(refused)
  })
})

describe('a code', () => {
  test('counts once', async () => {
    const code = await codeFor()
    expect((await redeem(code)).status).toBe(200)
    expect(await redeem(code)).toMatchObject(refused)
  })

  test('counts for 60 seconds', async () => {
    const [early, late] = [await codeFor(), await codeFor()]
    now += 60_000
    expect((await redeem(early)).status).toBe(200)
    now += 1
    expect(await redeem(late)).toMatchObject(refused)
  })

  test.each<[string, Parts]>([
    ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['the challenge as the verifier', { code_verifier: challenge }],
    ['another address', { redirect_uri: 'http://localhost:4792/back' }],
    ['another client', { client_id: 'other' }],
  ])('with %s is refused, and used up by the attempt', async (_what, also) => {
    const code = await codeFor()
    expect(await redeem(code, also)).toMatchObject(refused)
    expect(await redeem(code)).toMatchObject(refused)
  })

  test.each(['code', 'client_id', 'redirect_uri', 'code_verifier'])(
    'without %s is a malformed request',
    async (name) => {
      const code = await codeFor()
      expect(await redeem(code, { [name]: undefined })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    },
  )

  test('of a user who was locked meanwhile gives no tokens', async () => {
    const code = await codeFor('robin')
    Object.assign(users['robin'] ?? {}, { status: 'LOCKED' })
    const answer = await redeem(code)
    Object.assign(users['robin'] ?? {}, { status: 'ACTIVE' })
    expect(answer).toMatchObject(refused)
  })
})

test('a refresh token counts once, for its client, and brings an ID token of the same sign-in', async () => {
  const { body } = await redeem(await codeFor())
  const refresh = (also: Parts = {}) =>
    ask({ grant_type: 'refresh_token', client_id: 'console', refresh_token: body['refresh_token'], ...also })
  expect(await refresh({ client_id: 'other' })).toMatchObject(refused)
  expect(await refresh({ client_id: undefined })).toMatchObject(refused)
  const next = await refresh()
  expect(claimsOf(next.body['id_token'])).toMatchObject({ sub: 'ada-id', aud: 'console', nonce: 'n1' })
  expect(await refresh()).toMatchObject(refused)
})

test('pages of this machine may ask for tokens, and read no page of the issuer', async () => {
  const headers = { origin: 'http://localhost:4791' }
  const tokens = await fetch(identity.tokenEndpoint, { method: 'POST', headers, body: new URLSearchParams() })
  expect(tokens.headers.get('access-control-allow-origin')).toBe('http://localhost:4791')
  const page = await fetch(`${identity.issuer}/authorize?${queryOf(asked)}`, { headers })
  expect(page.headers.has('access-control-allow-origin')).toBe(false)
})
