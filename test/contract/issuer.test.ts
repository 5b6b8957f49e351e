import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { endpoint } from '../../handlers/middleware/endpoint.ts'
import { identity, tokenVerifier } from '../../handlers/middleware/issuerTokens.ts'
import * as getUser from '../../schemas/compiled/getUser.js'
import { call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'

// The verifier as it is in production, against an issuer that answers well, badly or not at all.

type Signer = { kid: string; privateKey: KeyObject; jwk: object }
const signer = (kid: string): Signer => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } }
}
const [first, second] = [signer('first'), signer('second')]

let service: Service
let server: Server
let issuer = ''
let asked: string[] = []
/** What the issuer answers at a path: a path is a redirect, nothing is a 404. */
let answers: Record<string, string | undefined> = {}
const discovery = '/.well-known/openid-configuration'

beforeAll(async () => {
  service = await startService()
  // Its answers are waited for, however busy this machine is.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers[request.url ?? '']
    if (answer?.startsWith('/')) response.writeHead(302, { location: answer }).end()
    else response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
})

const keys = (...signers: Signer[]): string => JSON.stringify({ keys: signers.map(({ jwk }) => jwk) })
const healthy = (...signers: Signer[]) => ({
  [discovery]: JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }),
  '/keys': keys(...signers),
})
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
function token({ kid, privateKey }: Signer, claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const content = `${part({ alg: 'RS256', kid })}.${part({ iss: issuer, aud: 'app', sub: 'admin', exp: now + 60, ...claims })}`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey).toString('base64url')}`
}
const get = (bearer: string) => call('getUser', { path: { user_id: 'admin' }, token: bearer })

/** A function that has just been started: it knows no keys yet. */
function freshFunction(env: Record<string, string> = {}, options = {}): void {
  const verifier = tokenVerifier({ TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: 'app', ...env }, options)
  identity.verifier = () => verifier
}
beforeEach(() => {
  asked = []
  answers = healthy(first)
  freshFunction()
})

describe('keys of an issuer', () => {
  it('come from where its discovery document says, once', async () => {
    expect((await get(token(first))).status).toBe(200)
    expect((await get(token(first))).status).toBe(200)
    expect(asked).toEqual([discovery, '/keys'])
  })

  it('come from TOKEN_JWKS_URI where that is given', async () => {
    freshFunction({ TOKEN_JWKS_URI: `${issuer}/keys` })
    expect((await get(token(first))).status).toBe(200)
    expect(asked).toEqual(['/keys'])
  })

  it('may have moved', async () => {
    answers = { ...healthy(first), '/keys': '/moved', '/moved': '/again', '/again': keys(first) }
    expect((await get(token(first))).status).toBe(200)
    expect(asked).toEqual([discovery, '/keys', '/moved', '/again'])
  })

  it('are not looked for in circles', async () => {
    answers = { ...healthy(first), '/keys': '/keys' }
    expect((await get(token(first))).status).toBe(503)
    expect(asked).toHaveLength(7)
  })

  it('are asked for anew when a token names a new one', async () => {
    expect((await get(token(first))).status).toBe(200)
    answers = healthy(first, second)
    expect((await get(token(second))).status).toBe(200)
    expect((await get(token(first))).status).toBe(200)
  })

  it('do not fit a token that names none of them, and known tokens still pass', async () => {
    expect((await get(token(second))).body.error_code).toBe('UNAUTHENTICATED')
    expect((await get(token(first))).status).toBe(200)
  })

  describe('are asked for once a second at most,', () => {
    afterEach(() => vi.useRealTimers())
    const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
    const lookups = () => asked.filter((path) => path === '/keys').length
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      expect((await get(token(first))).status).toBe(200)
      expect((await get(token(signer('forged')))).status).toBe(401)
      expect(lookups()).toBe(2)
    })

    it('whatever keys forged tokens name', async () => {
      const forged = [signer('forged'), ...[1, 2, 3].map((n) => signer(`forged-${n}`))]
      for (const one of [...forged, ...forged]) expect((await get(token(one))).status).toBe(401)
      expect(lookups()).toBe(2)
      later(1000)
      await Promise.all(forged.map((one) => get(token(one))))
      expect(lookups()).toBe(3)
      expect((await get(token(first))).status).toBe(200)
    })

    it('and a key that the issuer signs with before it has published it opens nothing for a second', async () => {
      answers = healthy(first, second)
      expect([(await get(token(second))).status, lookups()]).toEqual([401, 2])
      later(1000)
      expect([(await get(token(second))).status, lookups()]).toEqual([200, 3])
    })

    it('and a key that was looked for and not found stays unknown until they are', async () => {
      expect((await get(token(signer('forged')))).body.error_code).toBe('UNAUTHENTICATED')
      answers = healthy(first, { ...second, kid: 'forged', jwk: { ...second.jwk, kid: 'forged' } })
      later(999)
      expect((await get(token({ ...second, kid: 'forged' }))).status).toBe(401)
      later(1)
      expect([(await get(token({ ...second, kid: 'forged' }))).status, lookups()]).toEqual([200, 3])
    })
  })

  it.each<[string, string, string, () => Record<string, string | undefined>]>([
    ['there is no discovery document', 'discovery', 'Status404', () => ({ ...healthy(first), [discovery]: undefined })],
    ['the discovery document is no JSON', 'discovery', 'NoJson', () => ({ ...healthy(first), [discovery]: '<html>' })],
    [
      'the discovery document names no keys',
      'discovery',
      'NoKeysUri',
      () => ({ ...healthy(first), [discovery]: '{}' }),
    ],
    ['the keys are not there', 'keys', 'Status404', () => ({ ...healthy(first), '/keys': undefined })],
    ['the keys are no JSON', 'keys', 'NoJson', () => ({ ...healthy(first), '/keys': '<html>maintenance</html>' })],
    ['the keys are no list', 'keys', 'NoKeys', () => ({ ...healthy(first), '/keys': '{"keys":{}}' })],
    [
      'the keys lie elsewhere, without https',
      'keys',
      'NoHttps',
      () => ({ ...healthy(first), [discovery]: '{"jwks_uri":"http://keys.example/"}' }),
    ],
  ])(
    'cannot be had (%s): 503 with Retry-After, the log says why, and good tokens pass a second later',
    async (_name, request, cause, broken) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      onTestFinished(() => {
        vi.useRealTimers()
      })
      answers = broken()
      service.logged()
      for (let time = 0; time < 2; time++) {
        const { status, body, headers } = await get(token(first))
        expect([status, body.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
        expect(headers['www-authenticate']).toBeUndefined()
        expect(JSON.stringify(body)).not.toMatch(/keys|json|http/i)
      }
      expect(asked.filter((path) => path === discovery)).toHaveLength(1)
      const why = { level: 'error', status: 503, dependency: 'token issuer', cause }
      const attempts = asked.length
      expect(service.logged()).toMatchObject([
        { ...why, request, attempts, waited_ms: expect.any(Number) },
        { ...why, attempts: 0 },
      ])
      answers = healthy(first)
      vi.setSystemTime(Date.now() + 1000)
      expect((await get(token(first))).status).toBe(200)
    },
  )

  describe('are asked for by no token that anybody can make up:', () => {
    const made: [string, object][] = [
      ['of another issuer', { iss: 'https://stranger.test' }],
      ['for another audience', { aud: 'other' }],
      ['for nobody', { aud: undefined }],
      ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }],
      ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3600 }],
    ]
    it.each(made)('one %s is refused, though the issuer is down', async (_what, claims) => {
      answers = {}
      for (let n = 0; n < 20; n++) {
        const { status, body } = await get(token({ ...first, kid: `made-up-${n}` }, claims))
        expect([status, body.error_code]).toEqual([401, 'UNAUTHENTICATED'])
      }
      expect(asked).toEqual([])
    })

    it('one for us, of a key that nobody has, costs a request a second, and a 401', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      onTestFinished(() => void vi.useRealTimers())
      expect((await get(token(first))).status).toBe(200)
      for (let second = 1; second <= 3; second++) {
        for (let n = 0; n < 20; n++) expect((await get(token({ ...first, kid: `made-up-${n}` }))).status).toBe(401)
        // The first one is of the good token.
        expect(asked.filter((path) => path === '/keys')).toHaveLength(1 + second)
        vi.setSystemTime(Date.now() + 1000)
      }
    })

    it('one that waits for the issuer is counted, and in no alarm that rolls an update back', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      onTestFinished(() => void vi.useRealTimers())
      expect((await get(token(first))).status).toBe(200)
      const clock = vi.spyOn(performance, 'now')
      onTestFinished(() => clock.mockRestore())
      let now = 0
      clock.mockImplementation(() => (now += 1100))
      const measured = async (kid: string) => {
        service.measured()
        const { status } = await get(token({ ...first, kid }))
        const [{ KeysUnavailable, SlowStrangers } = {}, ...more] = service.measured()
        expect(more).toEqual([])
        return { status, KeysUnavailable, SlowStrangers }
      }
      expect(await measured('made-up')).toEqual({ status: 401, SlowStrangers: 1 })
      vi.setSystemTime(Date.now() + 1000)
      answers = {}
      expect(await measured('made-up')).toEqual({ status: 503, KeysUnavailable: 1, SlowStrangers: 1 })
      // A slow call of a user counts in the alarm.
      expect(await measured('first')).toEqual({ status: 200 })
    })

    it('a 503 for want of keys is counted separately', async () => {
      answers = {}
      service.measured()
      expect((await get(token(first))).status).toBe(503)
      expect(service.measured()).toMatchObject([{ ServerErrors: 1, KeysUnavailable: 1 }])
    })
  })

  describe('may be fetched ahead:', () => {
    const early = (env: Record<string, string> = {}) => freshFunction(env, { fetchesEarly: true })
    const until = (requests: number) => expect.poll(() => asked).toHaveLength(requests)
    afterEach(() => {
      vi.useRealTimers()
      for (const name of ['TOKEN_ISSUER', 'TOKEN_AUDIENCE']) delete process.env[name]
    })

    it('that begins while a function loads that has an issuer', () => {
      const made = vi.fn(identity.verifier)
      identity.verifier = made
      const load = () => endpoint(getUser as never)(async () => ({ status: 200, body: {} }))
      load()
      expect(made).not.toHaveBeenCalled()
      Object.assign(process.env, { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: 'app' })
      load()
      expect(made).toHaveBeenCalledOnce()
    })

    it('then the first call finds them', async () => {
      early()
      await until(2)
      answers = {}
      expect((await get(token(first))).status).toBe(200)
      expect(asked).toEqual([discovery, '/keys'])
    })

    it('a call that comes meanwhile waits for them, and one without a token does not', async () => {
      early()
      expect((await get('garbage')).status).toBe(401)
      expect((await get(token(first))).status).toBe(200)
      expect(asked).toEqual([discovery, '/keys'])
    })

    it('a failure is ignored, and the first call tries again', async () => {
      answers = {}
      early()
      await until(1)
      answers = healthy(first)
      expect((await get(token(first))).status).toBe(200)
      expect(asked).toEqual([discovery, discovery, '/keys'])
    })

    it('an issuer that stays down is reported by the call', async () => {
      answers = {}
      early()
      service.logged()
      expect((await get(token(first))).status).toBe(503)
      expect(service.logged()).toMatchObject([{ dependency: 'token issuer', request: 'discovery', cause: 'Status404' }])
    })

    it('after a minute they are fetched anew, as the issuer may have others', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      early()
      await until(2)
      answers = healthy(second)
      vi.setSystemTime(Date.now() + 60_000)
      expect((await get(token(second))).status).toBe(200)
      expect(asked).toEqual([discovery, '/keys', discovery, '/keys'])
    })

    it('keys of a later token are asked for as ever', async () => {
      early()
      expect((await get(token(first))).status).toBe(200)
      answers = healthy(first, second)
      expect((await get(token(second))).status).toBe(200)
    })
  })

  describe('that it withdraws or changes', () => {
    const MINUTES = 60_000
    const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
    /** A token that outlives the test's clock. */
    const lasting = (one: Signer) => token(one, { exp: Math.floor(Date.now() / 1000) + 10 * 3600 })
    const lookups = () => asked.filter((path) => path === '/keys').length
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['Date'] })
      answers = healthy(first, second)
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    it('open nothing after 15 minutes, tokens that were good before included', async () => {
      const [one, other] = [lasting(first), lasting(second)]
      for (let time = 0; time < 3; time++) for (const each of [one, other]) expect((await get(each)).status).toBe(200)
      answers = healthy(second)
      later(15 * MINUTES - 1)
      expect([(await get(one)).status, lookups()]).toEqual([200, 1])
      later(1)
      expect((await get(one)).body.error_code).toBe('UNAUTHENTICATED')
      expect((await get(other)).status).toBe(200)
    })

    it('open nothing once another token has made the function fetch them', async () => {
      answers = healthy(first)
      const one = lasting(first)
      for (let time = 0; time < 3; time++) expect((await get(one)).status).toBe(200)
      answers = healthy(second)
      expect((await get(lasting(second))).status).toBe(200)
      later(1000)
      expect((await get(one)).body.error_code).toBe('UNAUTHENTICATED')
    })

    it('count under the same name, too', async () => {
      const [one, other] = [lasting(first), lasting({ ...second, kid: 'first' })]
      for (let time = 0; time < 3; time++) expect((await get(one)).status).toBe(200)
      answers = healthy({ ...second, jwk: { ...second.jwk, kid: 'first' } })
      later(15 * MINUTES)
      expect([(await get(one)).status, (await get(other)).status]).toEqual([401, 200])
    })

    it('are asked for once in 15 minutes, by calls at once too', async () => {
      const one = lasting(first)
      for (let time = 1; time <= 4; time++) {
        await Promise.all([get(one), get(one), get(one)])
        expect(lookups()).toBe(time)
        later(15 * MINUTES)
      }
    })

    it('that were fetched ahead have the age of that fetch', async () => {
      freshFunction({}, { fetchesEarly: true })
      await expect.poll(lookups).toBe(1)
      later(MINUTES - 1000)
      const one = lasting(first)
      expect((await get(one)).status).toBe(200)
      later(14 * MINUTES - 1000)
      expect([(await get(one)).status, lookups()]).toEqual([200, 1])
      later(2000)
      expect([(await get(one)).status, lookups()]).toEqual([200, 2])
    })

    it('serve one hour more while it is silent, and it is asked once a minute', async () => {
      const one = lasting(first)
      expect((await get(one)).status).toBe(200)
      answers = {}
      later(15 * MINUTES)
      asked = []
      service.logged()
      for (let time = 0; time < 3; time++) expect((await get(one)).status).toBe(200)
      expect(asked).toEqual([discovery])
      const why = { dependency: 'token issuer', cause: 'Status404' }
      expect(service.logged().filter(({ level }) => level === 'warn')).toMatchObject([{ kept: 'keys', ...why }])
      later(MINUTES)
      for (let time = 0; time < 3; time++) expect((await get(one)).status).toBe(200)
      expect(asked).toEqual([discovery, discovery])
      later(59 * MINUTES - 1)
      expect((await get(one)).status).toBe(200)
      later(1)
      expect((await get(one)).status).toBe(503)
      answers = healthy(first)
      later(1000)
      expect((await get(one)).status).toBe(200)
    })

    it('count at once when it answers again', async () => {
      const one = lasting(first)
      expect((await get(one)).status).toBe(200)
      answers = {}
      later(15 * MINUTES)
      expect((await get(one)).status).toBe(200)
      answers = healthy(second)
      later(MINUTES)
      expect((await get(one)).status).toBe(401)
    })
  })

  it('are not asked for by what is no token at all', async () => {
    expect((await get('garbage')).status).toBe(401)
    expect(asked).toEqual([])
  })
})

describe('several audiences', () => {
  it('open the service one by one, and no other does', async () => {
    answers = healthy(first)
    freshFunction({ TOKEN_AUDIENCE: 'app console' })
    const audiences = ['app', 'console', ['other', 'console'], 'other', ['other'], 'app console', '', undefined]
    const found = await Promise.all(audiences.map((aud) => get(token(first, { aud }))))
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401, 401, 401])
  })
})

describe('a Cognito pool', () => {
  const pool = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_aB3'
  const claims = { iss: pool, aud: undefined, client_id: 'app', token_use: 'access' }
  beforeEach(() => freshFunction({ TOKEN_ISSUER: pool, TOKEN_JWKS_URI: `${issuer}/keys` }))

  it('gives access tokens, which have the audience in client_id', async () => {
    expect((await get(token(first, claims))).status).toBe(200)
  })

  it('gives them to each of several clients', async () => {
    freshFunction({ TOKEN_ISSUER: pool, TOKEN_JWKS_URI: `${issuer}/keys`, TOKEN_AUDIENCE: 'app console' })
    const as = (client_id: string) => get(token(first, { ...claims, client_id }))
    const found = await Promise.all(['app', 'console', 'other', 'app console', ''].map(as))
    expect(found.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401])
  })

  it.each<[string, object]>([
    ['an id token', { aud: 'app', client_id: undefined, token_use: 'id' }],
    ['an id token with client_id', { aud: 'app', token_use: 'id' }],
    ['a token that does not say its use', { token_use: undefined }],
    ['an access token of another client', { client_id: 'other' }],
    ['an access token of another client, with our audience', { aud: 'app', client_id: 'other' }],
    ['an access token of another pool', { iss: `${pool}x` }],
    ['an access token by the global name of the pool', { iss: pool.replace('//', '//issuer-') }],
    ['an expired access token', { exp: Math.floor(Date.now() / 1000) - 60 }],
  ])('%s opens nothing, with or without the keys', async (_what, wrong) => {
    const refused = () => get(token(first, { ...claims, ...wrong }))
    expect((await refused()).body.error_code).toBe('UNAUTHENTICATED')
    expect((await get(token(first, claims))).status).toBe(200)
    expect((await refused()).body.error_code).toBe('UNAUTHENTICATED')
    expect(asked).toEqual(['/keys'])
  })

  it('has signed none of the tokens that another key has signed', async () => {
    expect((await get(token({ ...second, kid: 'first' }, claims))).body.error_code).toBe('UNAUTHENTICATED')
  })
})

describe('a function without TOKEN_ISSUER or TOKEN_AUDIENCE', () => {
  it.each([
    ['TOKEN_ISSUER', { TOKEN_ISSUER: '' }],
    ['TOKEN_AUDIENCE', { TOKEN_AUDIENCE: '' }],
    ['TOKEN_AUDIENCE', { TOKEN_AUDIENCE: ' ' }],
  ])('(no %s) is our fault, not the token’s: 500, and the log says what is missing', async (missing, env) => {
    identity.verifier = () => tokenVerifier({ TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: 'app', ...env })
    service.logged()
    const { status, body, headers } = await get(token(first))
    expect([status, body.error_code, headers['www-authenticate']]).toEqual([500, 'INTERNAL_ERROR', undefined])
    expect(JSON.stringify(body)).not.toContain('TOKEN')
    const [line] = service.logged()
    expect(line).toMatchObject({ level: 'error', status: 500, fault: 'NotConfigured' })
    expect(String(line?.missing)).toContain(missing)
    expect((await get('garbage')).status, 'whatever the token').toBe(500)
  })
})

describe('the claim that names the user', () => {
  it('can be another than sub', async () => {
    process.env.TOKEN_USER_CLAIM = 'employee'
    try {
      expect((await get(token(first, { sub: 'x', employee: 'admin' }))).status).toBe(200)
      expect((await get(token(first))).body.error_code).toBe('UNAUTHENTICATED')
      expect((await get(token(first, { employee: ['admin'] }))).body.error_code).toBe('UNAUTHENTICATED')
    } finally {
      delete process.env.TOKEN_USER_CLAIM
    }
  })
})
