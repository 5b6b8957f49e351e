import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newConsole } from '../../handlers/console/console.ts'
import { openFiles } from '../../handlers/middleware/consoleFiles.ts'
import { buildConsole } from '../../local/build/console.ts'
import type { Any } from '../harness/call.ts'

const env = {
  TOKEN_ISSUER: 'https://issuer.test/pool-1',
  TOKEN_AUDIENCE: 'rollcall console',
  CONSOLE_CLIENT_ID: 'console',
  CONSOLE_SCOPES: 'openid offline_access',
  CONSOLE_AUDIENCE: '',
  CONSOLE_ORIGINS: 'https://auth.test https://login.test',
  API_ADDRESS: 'https://api.test',
  ACTOR_LOG_KEY: 'secret-of-the-log',
  AWS_SECRET_ACCESS_KEY: 'secret-of-aws',
}
const folder = mkdtempSync(join(tmpdir(), 'console-'))
const [dist, before] = [join(folder, 'dist'), join(folder, 'before')]
/** The names that the page has for its script, its style and its picture. */
let names: string[] = []

beforeAll(async () => {
  await buildConsole({ isLocal: true, outdir: dist })
  mkdirSync(before)
  writeFileSync(join(before, 'old-ABCDEFGH.js'), 'old()')
  writeFileSync(join(before, 'index.html'), 'old page')
  names = [...ask('').text.matchAll(/"\/console\/([^"]+)"/g)].map(([, name = '']) => name)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Asked = { method?: string; headers?: Record<string, string>; env?: object; query?: string }

/** Asks for a path below /console. */
function ask(proxy: string, { method = 'GET', headers = {}, env: also = {}, query = '' }: Asked = {}) {
  const event = {
    headers,
    rawQueryString: query,
    requestContext: { http: { method } },
    ...(proxy === '' ? {} : { pathParameters: { proxy } }),
  }
  const handle = newConsole({ ...env, ...also } as Any, () => openFiles([dist, before]))
  const answer = handle(event as Any, 'r-1') as Any
  const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8')
  return { ...answer, content: body, text: body.toString() }
}

const kept = 'public, max-age=31536000, immutable'
const page = { status: 200, type: 'text/html; charset=utf-8', cached: 'no-cache' }
const missing = { status: 404, type: 'application/problem+json', cached: 'no-store' }

describe('paths', () => {
  test.each<[string, { status: number; type: string; cached: string }]>([
    ['', page],
    ['people', page],
    ['people/some.name', page],
    ['callback', page],
    ['index.html', page],
    ['a/b/c', page],
    ['config.json', { status: 200, type: 'application/json', cached: 'no-cache' }],
    ['old-ABCDEFGH.js', { status: 200, type: 'text/javascript; charset=utf-8', cached: kept }],
    ['main.js', missing],
    ['unknown-ABCDEFGH.js', missing],
    ['unknown.css', missing],
    ['unknown.svg', missing],
    ['unknown.json', missing],
    ['people/config.json', missing],
    ['a/old-ABCDEFGH.js', missing],
    ['../../package.json', missing],
    ['..\\..\\package.json', missing],
    ['%2e%2e/package.json', missing],
    ['/etc/passwd', page],
    ['../../serverless.yml', page],
    ['old-ABCDEFGH.js\0.json', missing],
    ['__proto__', page],
    ['constructor', page],
    ['toString.js', missing],
  ])('%j', (path, { status, type, cached }) => {
    for (const method of ['GET', 'HEAD']) {
      const { statusCode, headers, text } = ask(path, { method })
      expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([status, type, cached])
      expect(headers['x-request-id']).toBe('r-1')
      if (method === 'HEAD' && status === 200) expect(text).toBe('')
      if (type === page.type && method === 'GET') expect(text).toBe(ask('').text)
    }
  })

  test('of what the page names are files that can be kept for ever', () => {
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      expect(name).toMatch(/-[A-Z0-9]{8}\.(js|css|svg)$/)
      expect(ask(name)).toMatchObject({ statusCode: 200, headers: { 'cache-control': kept } })
    }
  })

  test('whatever they are, answer one of the built files, the page or a 404, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webPath(), fc.constantFrom(...names)), (path) => {
        const { statusCode, headers, text } = ask(path)
        expect([200, 404]).toContain(statusCode)
        if (headers['content-type'] === page.type) expect(text).toBe(ask('').text)
        for (const value of Object.values(headers)) expect(value).not.toMatch(/[\r\n]/)
      }),
    )
  })

  test('of a stage without a console are not there', () => {
    for (const lacks of ['CONSOLE_CLIENT_ID', 'TOKEN_ISSUER'])
      for (const path of ['', 'config.json', ...names])
        expect(ask(path, { env: { [lacks]: '' } })).toMatchObject({
          statusCode: 404,
          headers: { 'cache-control': 'no-store' },
        })
  })
})

describe('headers', () => {
  test.each(['', 'people', 'config.json', 'old-ABCDEFGH.js', 'unknown.js'])(
    '%j lets nothing in that is not ours',
    (path) => {
      const { headers } = ask(path)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      const policy = Object.fromEntries(
        headers['content-security-policy'].split('; ').map((part: string) => part.split(/ (.*)/s).slice(0, 2)),
      )
      expect(policy).toEqual({
        'default-src': "'self'",
        'connect-src': "'self' https://issuer.test https://auth.test https://login.test",
        'base-uri': "'none'",
        'form-action': "'self'",
        'object-src': "'none'",
        'frame-ancestors': "'none'",
      })
      expect(headers['content-security-policy']).not.toMatch(/unsafe|eval|\*|data:|blob:/)
    },
  )

  test('the page has no script and no style of its own', () => {
    const { text } = ask('')
    expect(text).not.toMatch(/<style|style=|\son\w+=|javascript:/i)
    expect(
      [...text.matchAll(/<script([^>]*)>([^<]*)</g)].map(([, attributes, content]) => [
        /src="\/console\//.test(attributes ?? ''),
        content,
      ]),
    ).toEqual([[true, '']])
  })
})

describe('settings', () => {
  test('are what signing in needs, and nothing secret', () => {
    const settings = JSON.parse(ask('config.json').text)
    expect(settings).toEqual({
      issuer: 'https://issuer.test/pool-1',
      client_id: 'console',
      scopes: 'openid offline_access',
      audience: null,
      version: expect.stringMatching(/^\d+\.\d+\.\d+\+[\w-]{8}$/),
    })
    expect(JSON.stringify(ask('config.json'))).not.toContain('secret')
    expect(JSON.parse(ask('config.json', { env: { CONSOLE_AUDIENCE: 'api', CONSOLE_SCOPES: '' } }).text)).toMatchObject(
      {
        audience: 'api',
        scopes: 'openid',
      },
    )
  })
})

describe('a caller who has it already', () => {
  test.each(['', 'config.json', 'old-ABCDEFGH.js'])('of %j gets 304, with what a cache needs', (path) => {
    const { headers } = ask(path)
    const { etag } = headers
    for (const method of ['GET', 'HEAD'])
      for (const named of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const answer = ask(path, { method, headers: { 'if-none-match': named } })
        expect([answer.statusCode, answer.text]).toEqual([304, ''])
        expect(answer.headers).toMatchObject({
          etag,
          vary: 'accept-encoding',
          'cache-control': headers['cache-control'],
        })
      }
    for (const named of ['"other"', 'nonsense', ''])
      expect(ask(path, { headers: { 'if-none-match': named } }).statusCode).toBe(200)
  })

  test('gets the page again once its settings have changed', () => {
    const { etag } = ask('config.json').headers
    const changed = ask('config.json', { headers: { 'if-none-match': etag }, env: { CONSOLE_CLIENT_ID: 'other' } })
    expect(changed.statusCode).toBe(200)
  })
})

describe('compression', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['identity', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['nonsense;;', undefined],
    [undefined, undefined],
  ])('accept-encoding %j: %s', (accepted, encoding) => {
    const name = names.find((one) => one.endsWith('.js')) ?? ''
    const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-encoding': accepted }
    const answer = ask(name, { headers })
    expect(answer.headers).toMatchObject({ vary: 'accept-encoding' })
    expect(answer.headers['content-encoding']).toBe(encoding)
    const plain =
      encoding === 'br' ? brotliDecompressSync(answer.content) : encoding ? gunzipSync(answer.content) : answer.content
    expect(plain.toString()).toBe(ask(name).text)
    if (encoding) expect(answer.content.length).toBeLessThan(plain.length)
  })
})

test('behind a base path of the service’s own domain, the page names its files there', () => {
  const { text } = ask('', { env: { API_ADDRESS: 'https://api.test/staff' } })
  expect(text).toContain('src="/staff/console/main-')
  expect(text).not.toContain('"/console/')
})
