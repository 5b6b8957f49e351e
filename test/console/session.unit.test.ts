import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ConsoleConfig } from '../../console/session/config.ts'
import { ownPath, type Session } from '../../console/session/session.ts'
import { type IdentityProvider, startIdentity } from '../../local/identity/server.ts'
import { BASE, consoleClient, ORIGIN, openTab, personAtIssuer, type Tab } from './tab.ts'

const users: Record<string, { id: string; status: string }> = {
  ada: { id: 'ada-id', status: 'ACTIVE' },
  robin: { id: 'robin-id', status: 'ACTIVE' },
}
let identity: IdentityProvider
let config: ConsoleConfig

beforeAll(async () => {
  identity = await startIdentity({
    port: 0,
    clients: [consoleClient],
    findUser: async (by) =>
      'username' in by ? users[by.username] : Object.values(users).find(({ id }) => id === by.id),
  })
  config = { issuer: identity.issuer, client_id: consoleClient.id, scopes: 'openid', audience: null, version: '1' }
})
afterAll(() => identity.stop())
beforeEach(() => {
  for (const user of Object.values(users)) user.status = 'ACTIVE'
})
afterEach(() => {
  vi.useRealTimers()
})

const subjectOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub

/** Signs somebody in, in a tab at a path of the console. */
async function signedIn(tab: Tab, path: string = BASE, username = 'ada', person = personAtIssuer()): Promise<Session> {
  const session = await tab.load(path)
  await session.signIn()
  const { location } = await person.signIn(tab.address(), username)
  return tab.load(location)
}

/** Lets the tokens expire without waiting: only the browser's clock goes on. */
const hourLater = (): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
}

describe('signing in', () => {
  test('leads to the issuer, back to the page that was left, and to a token of the person', async () => {
    const tab = openTab(config)
    const first = await tab.load('/console/people?q=m%C3%BCll&page=2')
    expect([first.state(), first.problem()]).toEqual(['SIGNED_OUT', undefined])
    await expect(first.token()).rejects.toMatchObject({ reason: 'SIGNED_OUT' })
    await first.signIn()
    expect(tab.address()).toMatch(`${identity.issuer}/authorize?`)
    const { location } = await personAtIssuer().signIn(tab.address(), 'ada')
    const session = await tab.load(location)
    expect([session.state(), session.problem()]).toEqual(['SIGNED_IN', undefined])
    expect(subjectOf(await session.token())).toBe('ada-id')
    expect(tab.address()).toBe(`${ORIGIN}/console/people?q=m%C3%BCll&page=2`)
  })

  test('leaves no token, code or verifier in storage and address', async () => {
    const tab = openTab(config)
    const session = await signedIn(tab)
    const { access_token } = await session.tokenSource()
    expect([...tab.stored]).toEqual([])
    expect(tab.address()).toBe(`${ORIGIN}${BASE}`)
    expect(tab.seen.join(' ')).not.toContain(access_token)
    expect(tab.seen.filter((address) => address.startsWith(ORIGIN)).join(' ')).not.toMatch(/code|state/)
  })

  test('that the issuer refuses says so, without a text from the address', async () => {
    const tab = openTab(config)
    await (await tab.load(BASE)).signIn()
    const state = new URL(tab.address()).searchParams.get('state')
    const says = new URLSearchParams({
      state: state ?? '',
      iss: identity.issuer,
      error: 'access_denied',
      error_description: '<b>call us',
    })
    const session = await tab.load(`${BASE}/callback?${says}`)
    expect([session.state(), session.problem()]).toEqual(['SIGNED_OUT', 'DENIED'])
    expect(tab.address()).toBe(`${ORIGIN}${BASE}`)
  })

  test.each<[string, (answer: URLSearchParams, other: Tab) => unknown, string]>([
    ['another state', (answer) => answer.set('state', 'mine'), 'UNKNOWN_SIGN_IN'],
    ['no state', (answer) => answer.delete('state'), 'UNKNOWN_SIGN_IN'],
    ['another issuer', (answer) => answer.set('iss', 'https://other.example'), 'REFUSED'],
    ['no issuer', (answer) => answer.delete('iss'), 'REFUSED'],
    ['a made-up code', (answer) => answer.set('code', 'made-up'), 'REFUSED'],
    ['two codes', (answer) => answer.append('code', 'made-up'), 'REFUSED'],
    ['an implicit token', (answer) => answer.set('id_token', 'x'), 'REFUSED'],
  ])('with %s in the answer is refused', async (_what, change, problem) => {
    const tab = openTab(config)
    await (await tab.load(BASE)).signIn()
    const { location } = await personAtIssuer().signIn(tab.address(), 'ada')
    const answer = new URL(location)
    change(answer.searchParams, tab)
    const session = await tab.load(answer.href)
    expect([session.state(), session.problem()]).toEqual(['SIGNED_OUT', problem])
    expect([...tab.stored]).toEqual([])
    await expect(session.token()).rejects.toMatchObject({ reason: 'SIGNED_OUT' })
  })

  test('that another tab has begun is refused: nobody is signed in by a link', async () => {
    const attacker = openTab(config)
    await (await attacker.load(BASE)).signIn()
    const { location } = await personAtIssuer().signIn(attacker.address(), 'robin')
    const session = await openTab(config).load(location)
    expect([session.state(), session.problem()]).toEqual(['SIGNED_OUT', 'UNKNOWN_SIGN_IN'])
  })

  test('counts once: the address of the answer loaded again signs nobody in', async () => {
    const tab = openTab(config)
    await (await tab.load(BASE)).signIn()
    const { location } = await personAtIssuer().signIn(tab.address(), 'ada')
    expect((await tab.load(location)).state()).toBe('SIGNED_IN')
    expect((await tab.load(location)).problem()).toBe('UNKNOWN_SIGN_IN')
  })

  test('without an issuer says that it does not answer', async () => {
    const tab = openTab({ ...config, issuer: 'http://localhost:1' })
    const session = await tab.load(BASE)
    await expect(session.signIn()).rejects.toMatchObject({ reason: 'ISSUER_UNREACHABLE' })
    expect(tab.address()).toBe(`${ORIGIN}${BASE}`)
  })
})

describe('the way back', () => {
  test.each([
    ['https://evil.example/console', BASE],
    ['//evil.example/console', BASE],
    ['/\\evil.example', BASE],
    ['javascript:alert(1)', BASE],
    ['/consolex', BASE],
    ['/docs', BASE],
    ['/console/../docs', BASE],
    ['/console/callback?code=1', BASE],
    ['/console', BASE],
    ['/console/people?q=1#x', '/console/people?q=1#x'],
  ])('%s leads to %s', (wanted, path) => {
    expect(ownPath(wanted, ORIGIN, BASE)).toBe(path)
  })

  test('is always a path of the console', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webPath()), (wanted) => {
        const { origin, pathname } = new URL(ownPath(wanted, ORIGIN, BASE), ORIGIN)
        expect(origin).toBe(ORIGIN)
        expect(pathname).toMatch(/^\/console(\/|$)/)
      }),
    )
  })
})

describe('a token', () => {
  test('is renewed before it expires, once for all who ask, without the person', async () => {
    const session = await signedIn(openTab(config))
    const before = await session.token()
    expect(await session.token()).toBe(before)
    hourLater()
    const after = await Promise.all([session.token(), session.token(), session.tokenSource()])
    expect(new Set([after[0], after[1], after[2].access_token]).size).toBe(1)
    expect(after[0]).not.toBe(before)
    expect(session.state()).toBe('SIGNED_IN')
  })

  test('that the service has refused is replaced, as the client asks for it', async () => {
    const session = await signedIn(openTab(config))
    const first = await session.tokenSource()
    expect(first.expires_in).toBeGreaterThan(3_500)
    expect((await session.tokenSource()).access_token).not.toBe(first.access_token)
  })

  test('of a user who was locked is not renewed: the session is expired, and who asks waits for the next sign-in', async () => {
    const tab = openTab(config)
    const session = await signedIn(tab)
    const changes = vi.fn()
    session.subscribe(changes)
    Object.assign(users['ada'] ?? {}, { status: 'LOCKED' })
    hourLater()
    const waiting = session.token()
    await vi.waitFor(() => expect(session.state()).toBe('EXPIRED'))
    expect(changes).toHaveBeenCalledTimes(1)
    vi.useRealTimers()
    Object.assign(users['ada'] ?? {}, { status: 'ACTIVE' })
    await signInAgain(session, tab, 'ada')
    expect(subjectOf(await waiting)).toBe('ada-id')
  })

  test('cannot be renewed while the issuer does not answer, and can afterwards', async () => {
    const session = await signedIn(openTab(config))
    hourLater()
    const fetching = vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('fetch failed'))
    await expect(session.token()).rejects.toMatchObject({ reason: 'ISSUER_UNREACHABLE' })
    fetching.mockRestore()
    expect(session.state()).toBe('SIGNED_IN')
    expect(subjectOf(await session.token())).toBe('ada-id')
  })
})

/** Signs in again in the window, as somebody. */
async function signInAgain(session: Session, tab: Tab, username: string, person = personAtIssuer()): Promise<Tab> {
  const done = session.signInAgain()
  const popup = tab.windows.at(-1) as Tab
  await vi.waitFor(() => expect(popup.seen.length).toBeGreaterThan(0))
  const { location } = await person.signIn(popup.seen[0] ?? '', username)
  await popup.load(location)
  await done
  return popup
}

describe('signing in again in a window', () => {
  let tab: Tab
  let session: Session
  beforeEach(async () => {
    tab = openTab(config)
    session = await signedIn(tab, '/console/people?id=7')
  })

  test('closes the window, and leaves the page and its storage as they are', async () => {
    const [before, seen] = [await session.token(), tab.seen.length]
    const popup = await signInAgain(session, tab, 'ada')
    expect(popup.isClosed()).toBe(true)
    expect(popup.address()).toBe(`${ORIGIN}${BASE}`)
    expect([...popup.stored, ...tab.stored]).toEqual([])
    expect(tab.seen.length).toBe(seen)
    expect(await session.token()).not.toBe(before)
  })

  test('as somebody else changes nothing: unsaved work is not sent in their name', async () => {
    const before = await session.token()
    await expect(signInAgain(session, tab, 'robin')).rejects.toMatchObject({ reason: 'OTHER_PERSON' })
    expect(await session.token()).toBe(before)
  })

  test('that the browser blocks says so', async () => {
    const blocking = openTab(config, { blocksWindows: true })
    const blocked = await signedIn(blocking)
    await expect(blocked.signInAgain()).rejects.toMatchObject({ reason: 'WINDOW_BLOCKED' })
  })

  test('that the person closes ends the attempt, and they can try again', async () => {
    const closed = session.signInAgain()
    closed.catch(() => undefined)
    await vi.waitFor(() => expect(tab.windows[0]?.seen.length).toBe(1))
    tab.windows[0]?.close()
    await expect(closed).rejects.toMatchObject({ reason: 'WINDOW_CLOSED' })
    const before = await session.token()
    await signInAgain(session, tab, 'ada')
    expect(await session.token()).not.toBe(before)
  })

  test('that only seems closed, as with an issuer that isolates its page, still signs in', async () => {
    const before = await session.token()
    const done = session.signInAgain()
    done.catch(() => undefined)
    const popup = tab.windows[0] as Tab
    await vi.waitFor(() => expect(popup.seen.length).toBe(1))
    popup.close()
    await expect(done).rejects.toMatchObject({ reason: 'WINDOW_CLOSED' })
    const { location } = await personAtIssuer().signIn(popup.seen[0] ?? '', 'ada')
    await popup.load(location)
    await vi.waitFor(async () => expect(await session.token()).not.toBe(before))
  })

  test('twice ends the first attempt', async () => {
    const first = session.signInAgain()
    first.catch(() => undefined)
    await vi.waitFor(() => expect(tab.windows[0]?.seen.length).toBe(1))
    await signInAgain(session, tab, 'ada')
    await expect(first).rejects.toMatchObject({ reason: 'REPLACED' })
  })

  test('shows the page to who comes without having begun it', async () => {
    const other = await openTab(config).load(`${BASE}/callback?state=window.x&code=y`)
    expect([other.state(), other.problem()]).toEqual(['SIGNED_OUT', 'UNKNOWN_SIGN_IN'])
  })
})

describe('signing out', () => {
  test('forgets the token, ends the session of the issuer, and leads back', async () => {
    const tab = openTab(config)
    const person = personAtIssuer()
    const session = await signedIn(tab, BASE, 'ada', person)
    await session.signOut()
    await expect(session.token()).rejects.toMatchObject({ reason: 'SIGNED_OUT' })
    const to = tab.address()
    expect(to).toMatch(`${identity.issuer}/end-session?`)
    expect(to).not.toMatch(/token|eyJ/)
    expect((await person.ask(to)).location).toBe(`${ORIGIN}${BASE}`)
    // The issuer asks again who it is.
    const next = await tab.load(BASE)
    await next.signIn()
    expect((await person.ask(tab.address())).text).toContain('<form')
  })

  test('ends the wait for a sign-in', async () => {
    const session = await signedIn(openTab(config))
    Object.assign(users['ada'] ?? {}, { status: 'LOCKED' })
    hourLater()
    const waiting = session.token()
    waiting.catch(() => undefined)
    await vi.waitFor(() => expect(session.state()).toBe('EXPIRED'))
    await session.signOut()
    await expect(waiting).rejects.toMatchObject({ reason: 'SIGNED_OUT' })
  })
})

describe('an issuer that is not ours in detail', () => {
  let server: Server
  let asked: URLSearchParams[]
  /** What the issuer answers to a request for tokens. */
  let tokens: () => object
  let document: object

  beforeEach(async () => {
    asked = []
    document = {}
    server = createServer(async (request, response) => {
      response.setHeader('content-type', 'application/json')
      const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
      if (request.method === 'POST') asked.push(new URLSearchParams(await text(request)))
      const found = { issuer, authorization_endpoint: `${issuer}/in`, token_endpoint: `${issuer}/token`, ...document }
      response.end(JSON.stringify(request.method === 'POST' ? tokens() : found))
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  })
  afterEach(() => {
    server.close().closeAllConnections()
  })

  const configFor = (also: Partial<ConsoleConfig> = {}): ConsoleConfig => ({
    ...config,
    issuer: `http://localhost:${(server.address() as AddressInfo).port}`,
    ...also,
  })
  const idToken = (claims: object): string => {
    const now = Math.floor(Date.now() / 1000)
    const { issuer: iss, client_id: aud } = configFor()
    const parts = [{ alg: 'RS256' }, { iss, aud, sub: 'ada', iat: now, exp: now + 60, ...claims }]
    return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), 'c2ln'].join('.')
  }
  const signInWith = async (claims: (nonce: string) => object | undefined, also: object = {}) => {
    const tab = openTab(configFor())
    await (await tab.load(BASE)).signIn()
    const query = new URL(tab.address()).searchParams
    const said = claims(query.get('nonce') ?? '')
    tokens = () => ({ access_token: 'a1', token_type: 'Bearer', ...(said ? { id_token: idToken(said) } : {}), ...also })
    return { tab, session: await tab.load(`${BASE}/callback?code=c1&state=${query.get('state')}`) }
  }

  test('gets the parameters of a public client, and those of the stage', async () => {
    const tab = openTab(configFor({ scopes: 'openid offline_access', audience: 'rollcall' }))
    await (await tab.load(BASE)).signIn()
    const { nonce, state, code_challenge, ...query } = Object.fromEntries(new URL(tab.address()).searchParams)
    expect(query).toEqual({
      client_id: 'rollcall-console',
      response_type: 'code',
      redirect_uri: `${ORIGIN}/console/callback`,
      scope: 'openid offline_access',
      code_challenge_method: 'S256',
      audience: 'rollcall',
    })
    for (const one of [nonce, state, code_challenge]) expect(one).toMatch(/^[\w-]{43}$/)
  })

  test.each<[string, (nonce: string) => object | undefined]>([
    ['no ID token', () => undefined],
    ['an ID token of another sign-in', () => ({ nonce: 'other' })],
    ['an ID token without a nonce', () => ({})],
    ['an ID token for another client', (nonce) => ({ nonce, aud: 'other' })],
    ['an ID token of another issuer', (nonce) => ({ nonce, iss: 'https://other.example' })],
    ['an ID token that has expired', (nonce) => ({ nonce, exp: 1 })],
  ])('that answers with %s signs nobody in', async (_what, claims) => {
    const { session } = await signInWith(claims)
    expect([session.state(), session.problem()]).toEqual(['SIGNED_OUT', 'REFUSED'])
  })

  test('of which the clock of the device is some minutes off', async () => {
    const now = Math.floor(Date.now() / 1000)
    for (const off of [-240, 240]) {
      const times = { iat: now + off, nbf: now + off, exp: now + off + 60 }
      expect((await signInWith((nonce) => ({ nonce, ...times }))).session.state()).toBe('SIGNED_IN')
    }
  })

  test('without refresh tokens: the session expires with its token', async () => {
    const { session } = await signInWith((nonce) => ({ nonce }), { expires_in: 60 })
    expect(await session.token()).toBe('a1')
    hourLater()
    session.token().catch(() => undefined)
    await vi.waitFor(() => expect(session.state()).toBe('EXPIRED'))
  })

  test('whose refresh tokens stay the same', async () => {
    const { session } = await signInWith((nonce) => ({ nonce }), { expires_in: 60, refresh_token: 'r1' })
    tokens = () => ({ access_token: `a${asked.length}`, token_type: 'Bearer', expires_in: 60 })
    for (const access of ['a2', 'a3']) {
      hourLater()
      expect(await session.token()).toBe(access)
      expect(asked.at(-1)?.get('refresh_token')).toBe('r1')
      expect(asked.at(-1)?.has('client_secret')).toBe(false)
    }
  })

  test('that gives the refused token again is asked once for each refusal', async () => {
    const { session } = await signInWith((nonce) => ({ nonce }), { refresh_token: 'r1' })
    await session.tokenSource()
    expect(await session.tokenSource()).toEqual({ access_token: 'a1' })
    expect(asked.length).toBe(2)
  })

  test('that renews the token of somebody else ends the session', async () => {
    const { session } = await signInWith((nonce) => ({ nonce }), { expires_in: 60, refresh_token: 'r1' })
    tokens = () => ({ access_token: 'a2', token_type: 'Bearer', id_token: idToken({ sub: 'robin' }) })
    hourLater()
    session.token().catch(() => undefined)
    await vi.waitFor(() => expect(session.state()).toBe('EXPIRED'))
  })

  test('without an end of sessions: signing out leads to the page', async () => {
    const { tab, session } = await signInWith((nonce) => ({ nonce }))
    await session.signOut()
    expect(tab.address()).toBe(`${ORIGIN}${BASE}`)
  })

  test.each([
    ['another issuer', { issuer: 'https://other.example' }],
    ['no place to sign in', { authorization_endpoint: undefined }],
    ['a script as the place to sign in', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a place to sign in without TLS', { authorization_endpoint: 'http://issuer.example/in' }],
  ])('whose discovery names %s leads nobody anywhere', async (_what, found) => {
    document = found
    const tab = openTab(configFor())
    const session = await tab.load(BASE)
    await expect(session.signIn()).rejects.toMatchObject({ reason: 'REFUSED' })
    expect(tab.address()).toBe(`${ORIGIN}${BASE}`)
  })
})
