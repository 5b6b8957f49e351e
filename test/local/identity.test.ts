import { get } from 'node:http'
import { JwtVerifier } from 'aws-jwt-verify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type IdentityProvider, startIdentity } from '../../local/identity/server.ts'

type User = { id: string; status: string }

const users: Record<string, User> = {
  ada: { id: 'ada-id', status: 'ACTIVE' },
  locked: { id: 'locked-id', status: 'LOCKED' },
  deactivated: { id: 'deactivated-id', status: 'DEACTIVATED' },
  leaving: { id: 'leaving-id', status: 'PENDING_DELETION' },
}
const serviceAccount = { id: 'service-account-admin', status: 'ACTIVE' }

let identity: IdentityProvider

beforeAll(async () => {
  identity = await startIdentity({
    port: 0,
    findUser: async (by) => {
      if ('username' in by) return users[by.username]
      return [...Object.values(users), serviceAccount].find(({ id }) => id === by.id)
    },
  })
})
afterAll(() => identity.stop())

const ask = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(identity.tokenEndpoint, { method: 'POST', body: new URLSearchParams(form), headers })
  const body = (await response.json()) as Record<string, string>
  return { status: response.status, body, headers: response.headers }
}
const password = (username: string, secret = 'password') => ask({ grant_type: 'password', username, password: secret })
const refresh = (token: string) => ask({ grant_type: 'refresh_token', refresh_token: token })

const verify = async (token: string) => {
  const jwks = await (await fetch(`${identity.issuer}/jwks`)).json()
  const verifier = JwtVerifier.create({
    issuer: identity.issuer,
    audience: 'rollcall',
    jwksUri: 'https://none.invalid',
  })
  verifier.cacheJwks(jwks as Parameters<typeof verifier.cacheJwks>[0])
  return verifier.verify(token)
}

describe('discovery', () => {
  test('names the issuer, the token endpoint and the keys', async () => {
    const found = await (await fetch(`${identity.issuer}/.well-known/openid-configuration`)).json()
    expect(found).toMatchObject({
      issuer: identity.issuer,
      token_endpoint: identity.tokenEndpoint,
      jwks_uri: `${identity.issuer}/jwks`,
      grant_types_supported: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      authorization_endpoint: `${identity.issuer}/authorize`,
      end_session_endpoint: `${identity.issuer}/end-session`,
    })
  })

  test('the keys are public ones', async () => {
    const { keys } = (await (await fetch(`${identity.issuer}/jwks`)).json()) as { keys: object[] }
    expect(keys).toHaveLength(1)
    expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256' })
    expect(keys[0]).not.toHaveProperty('d')
  })
})

describe('tokens', () => {
  test('client credentials give the service account a verifiable token for an hour', async () => {
    const { status, body } = await ask({
      grant_type: 'client_credentials',
      client_id: serviceAccount.id,
      client_secret: 'x',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
    expect(body).not.toHaveProperty('refresh_token')
    const claims = await verify(body.access_token ?? '')
    expect(claims).toMatchObject({ sub: serviceAccount.id, aud: 'rollcall', iss: identity.issuer })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3600)
  })

  test('the client may name itself in an authorization header', async () => {
    const header = `Basic ${Buffer.from(`${serviceAccount.id}:secret`).toString('base64')}`
    const { status } = await ask({ grant_type: 'client_credentials' }, { authorization: header })
    expect(status).toBe(200)
  })

  test("a password gives a token with the user's id", async () => {
    const { status, body } = await password('ada')
    expect(status).toBe(200)
    expect(await verify(body.access_token ?? '')).toMatchObject({ sub: 'ada-id', aud: 'rollcall' })
  })

  test('a refresh token gives the same user a new pair, once', async () => {
    const first = await password('ada')
    const second = await refresh(first.body.refresh_token ?? '')
    expect(second.status).toBe(200)
    expect(await verify(second.body.access_token ?? '')).toMatchObject({ sub: 'ada-id' })
    expect((await refresh(first.body.refresh_token ?? '')).body.error).toBe('invalid_grant')
  })
})

describe('refusals', () => {
  test.each(['locked', 'deactivated', 'leaving'])('a user who is %s gets no token', async (username) => {
    const { status, body } = await password(username)
    expect(status).toBe(400)
    expect(body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) })
  })

  test('an unknown username and a wrong password look the same', async () => {
    const unknown = await password('nobody')
    const wrong = await password('ada', 'wrong')
    expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(wrong.body).toEqual(unknown.body)
  })

  test('a user locked since cannot refresh, and can again when unlocked', async () => {
    const { body } = await password('ada')
    const ada = users.ada as User
    ada.status = 'LOCKED'
    expect(await refresh(body.refresh_token ?? '')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    ada.status = 'ACTIVE'
    expect((await refresh(body.refresh_token ?? '')).status).toBe(200)
  })

  test('a service account that is not active gets none', async () => {
    serviceAccount.status = 'LOCKED'
    const refused = await ask({ grant_type: 'client_credentials', client_id: serviceAccount.id, client_secret: 'x' })
    serviceAccount.status = 'ACTIVE'
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('any other client is invalid', async () => {
    const { status, body, headers } = await ask({
      grant_type: 'client_credentials',
      client_id: 'ada',
      client_secret: 'x',
    })
    expect(status).toBe(401)
    expect(body.error).toBe('invalid_client')
    expect(headers.get('www-authenticate')).toMatch(/^Basic/)
  })

  test.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'password', username: 'ada' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'x' }, 'invalid_request'],
    [{ grant_type: 'toString' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token' }, 'invalid_grant'],
  ])('%j is refused as %s', async (form, error) => {
    expect(await ask(form as Record<string, string>)).toMatchObject({ status: 400, body: { error } })
  })

  test('a body that is no form is refused', async () => {
    const response = await fetch(identity.tokenEndpoint, { method: 'POST', body: '{}' })
    expect(response.status).toBe(400)
  })

  test('a taken port is named with its variable', async () => {
    const port = Number(new URL(identity.issuer).port)
    await expect(startIdentity({ port, findUser: async () => undefined })).rejects.toThrow(
      `Port ${port} is taken. Set IDENTITY_PORT to another one.`,
    )
  })
})

test('a name that leads here, but is not of this machine, gets nothing: a page of that name could read it', async () => {
  const { port } = new URL(identity.issuer)
  const status = await new Promise((resolve, reject) => {
    const options = {
      port,
      host: 'localhost',
      path: '/.well-known/openid-configuration',
      headers: { host: `evil.example:${port}` },
    }
    get(options, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
  })
  expect(status).toBe(421)
})
