import { afterEach, describe, expect, test, vi } from 'vitest'
import { handler } from '../../handlers/gateway/unknownRoute.ts'
import { problem } from '../../schemas/atoms.ts'
import type { Any } from '../harness/call.ts'

const log = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
const users = '/api/admin/users/v4/users'
const apiId = 'a1b2c3'
const ownDomain = `${apiId}.execute-api.eu-central-1.amazonaws.com`
const ask = async (method: string, rawPath: string, headers = {}, domainName = ownDomain): Promise<Any> => {
  const requestContext = { http: { method, path: rawPath }, apiId, domainName }
  const answer = await handler({ rawPath, headers, requestContext } as Any, { awsRequestId: 'a-1' })
  return { ...answer, body: JSON.parse(String(answer.body ?? 'null')) }
}

test.each([
  ['PUT', users, 'GET, POST'],
  ['HEAD', users, 'GET, POST'],
  ['PUT', `${users}/some-id`, 'GET, PATCH, DELETE'],
  ['POST', `${users}/batch`, 'PATCH, DELETE'],
  ['GET', `${users}/some-id/lock`, 'POST'],
  ['DELETE', `${users}/restore/batch`, 'POST'],
])('%s %s: the path takes other methods', async (method, path, allow) => {
  const answer = await ask(method, path)
  expect(answer.statusCode).toBe(405)
  expect(answer.headers).toMatchObject({ allow, 'content-type': 'application/problem+json', 'x-request-id': 'a-1' })
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  expect(answer.body).toMatchObject({ status: 405, error_code: 'METHOD_NOT_ALLOWED', request_id: 'a-1' })
  expect(Object.keys(problem.properties)).toEqual(expect.arrayContaining(Object.keys(answer.body)))
})

test.each(['/', '', `${users}/`, `${users}/some-id/unknown`, `${users}/a/b/lock`, '/api', `/x${users}`, `${users}%2F`])(
  '%s: there is nothing',
  async (path) => {
    const answer = await ask('GET', path)
    expect(answer.statusCode).toBe(404)
    expect(answer.headers.allow).toBeUndefined()
    expect(answer.body).toMatchObject({ type: 'about:blank', status: 404, error_code: 'NOT_FOUND' })
  },
)

test('behind a base path of a domain of one’s own, known paths are known, too', async () => {
  const mapped = async (path: string) => (await ask('PUT', path, {}, 'api.example.org')).headers.allow
  expect(await mapped(`/staff${users}`)).toBe('GET, POST')
  expect(await mapped(`/staff/v1${users}/some-id/lock`)).toBe('POST')
  expect(await mapped(users)).toBe('GET, POST')
  expect(await mapped(`/staff${users}/batch`)).toBe('PATCH, DELETE')
  expect(await mapped('/staff/api')).toBeUndefined()
  expect((await ask('PUT', `/staff${users}`)).statusCode).toBe(404)
})

describe('paths of the console', () => {
  afterEach(() => vi.unstubAllEnvs())

  test.each(['/console', '/console/people', '/console/a/b.js'])(
    '%s takes only GET and HEAD, if there is a console',
    async (path) => {
      expect((await ask('POST', path)).statusCode).toBe(404)
      vi.stubEnv('CONSOLE_CLIENT_ID', 'console')
      const answer = await ask('POST', path)
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
      expect((await ask('POST', `/staff${path}`)).statusCode).toBe(404)
      expect((await ask('POST', `/staff${path}`, {}, 'api.example.org')).statusCode).toBe(405)
      expect((await ask('POST', '/consoles')).statusCode).toBe(404)
    },
  )

  test.each(['GET', 'HEAD'])('%s /console/ leads to /console, wherever that is', async (method) => {
    expect((await ask(method, '/console/')).statusCode).toBe(404)
    vi.stubEnv('CONSOLE_CLIENT_ID', 'console')
    const { statusCode, headers } = await ask(method, '/console/')
    expect([statusCode, new URL(headers.location, 'https://api.test/staff/console/').pathname]).toEqual([
      308,
      '/staff/console',
    ])
    expect(headers['cache-control']).toBe('no-store')
  })
})

test('the id that the caller gave is kept if it is a UUID', async () => {
  const given = 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef'
  expect((await ask('GET', '/', { 'x-request-id': given })).body.request_id).toBe(given)
  expect((await ask('GET', '/', { 'x-request-id': 'mine' })).body.request_id).toBe('a-1')
})

test('the log says what was asked and answered, without the path', async () => {
  log.mockClear()
  await ask('PUT', `${users}/some-id`)
  const line = JSON.parse(String(log.mock.calls[0]?.[0]))
  expect(line).toMatchObject({
    request_id: 'a-1',
    endpoint: 'unknownRoute',
    status: 405,
    error_code: 'METHOD_NOT_ALLOWED',
  })
  expect(JSON.stringify(line)).not.toContain('some-id')
})
