import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { organisationKey } from '../../domain/table/keys.ts'
import type { Contract, Schema } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { createUser, updateUsers } from '../../schemas/users.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import {
  complete,
  fitting,
  junk,
  mutation,
  nastyTexts,
  type Pools,
  spoilt,
  withTexts,
  worstTexts,
} from '../harness/fromSchema.ts'
import { runs } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'

// R2: no request of any shape gets a 5xx, each 4xx is the error object, and what is refused changes nothing.

const MOST_BYTES_OF_A_LAMBDA_ANSWER = 6 * 1024 * 1024
const all = Object.values(contracts)
const heavy: readonly Contract[] = [createUser, updateUsers]
const withBody = all.filter(({ body }) => body)
/** The same time for all together, however many there are; the seeds differ from run to run. */
const RUNS = runs(Math.max(4, Math.ceil(150 / all.length)))

let service: Service
let writes: () => number
let organisation: Any
beforeAll(async () => {
  service = await startService({
    indexes: 'all',
    extras: 30,
    users: [
      ...people.map((person) => ({ ...person, ...(person.id === 'admin' ? { protected: true } : {}) })),
      ...['u-1', 'u-2', 'u-3'].map((id) => ({ id, external_id: `E-${id}` })),
    ],
  })
  writes = countWrites(service)
  organisation = await service.store.get(organisationKey)
})
// What has been switched off could not be tried any further.
afterEach(() => service.store.bulk([{ put: organisation }]))

const ids = ['u-1', 'u-2', 'u-3', 'plain', 'admin', 'admin-2', 'nobody']
const pools: Pools = {
  id: ids,
  user_id: ids,
  group_id: ['sales', 'all-users', 'archived', 'nowhere'],
  user_group_id: ['sales', 'all-users', 'archived', 'nowhere'],
  // Channels come by these names while channels are tried.
  channel_id: ['u-1', 'u-2', 'nowhere'],
  default_role_id: ['channel-member', 'channel-owner', 'coach', 'nothing', null],
  language: ['en-GB', 'de-DE', 'fr-FR'],
  role_id: ['group-member', 'group-owner', 'channel-member', 'nothing'],
  primary_user_group_id: ['sales', 'archived', 'nowhere', null],
  name: ['department', 'joined_on', 'unheard_of'],
  attribute_technical_name: ['department', 'unheard_of'],
  username: ['u-1', 'U-2', 'new'],
  external_id: ['E-u-1', 'E-new'],
  languages: [['en-GB', 'de-DE'], ['en-GB']],
  default_language: ['en-GB', 'de-DE'],
  time_zone: ['Europe/Berlin', 'Nowhere/Land'],
}

/** Every refusal is the one error object; each fault of the input is named. `call` has checked its schema and its code. */
function checkRefusal({ status, body, headers }: Reply): void {
  expect(status, JSON.stringify(body)).toBeLessThan(500)
  expect(JSON.stringify(headers).length, 'headers that a gateway lets through').toBeLessThan(8000)
  expect(JSON.stringify(body ?? '').length).toBeLessThan(MOST_BYTES_OF_A_LAMBDA_ANSWER)
  for (const [name, value] of Object.entries(headers)) expect(value, name).toMatch(/^[\x20-\x7e]*$/)
  const refused = [body, ...(body?.items ?? []).map((item: Any) => item.error)].filter((one) => one?.error_code)
  for (const { status, property, errors, error_code } of refused) {
    expect(status).toBeLessThan(500)
    if (status !== 400) continue
    expect(property, error_code).toEqual(expect.any(String))
    expect(errors, error_code).toEqual(expect.arrayContaining([expect.objectContaining({ property })]))
  }
}

/** Calls, and holds whatever was refused against the table: nothing may have been written for it. */
async function tried(name: string, request: Request): Promise<Reply> {
  const before = writes()
  const reply = await call(name, request)
  checkRefusal(reply)
  const outcomes: number[] = reply.status === 200 ? (reply.body?.items?.map((item: Any) => item.status) ?? []) : []
  if (reply.status >= 400 || (outcomes.length > 0 && outcomes.every((status) => status >= 400)))
    expect(writes(), `${name} refused and wrote`).toBe(before)
  return reply
}

const queryText = (query: object): string =>
  Object.entries(query)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&')

/** The same with unique names, unless names are what is tried: a conflict would hide other faults. */
const unlike = (base: Any, body: Any, n: number): Any =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) =>
      ['id', 'username', 'external_id'].includes(name) && value === base[name] ? [name, `made-${n}`] : [name, value],
    ),
  )

/** Requests that fit their contract, as far as a schema can say. */
const good = ({ path, query, body, item }: (typeof all)[number]): fc.Arbitrary<Request> =>
  fc
    .record({
      path: path ? fitting(path, pools) : fc.constant({}),
      query: query ? fitting(query, pools) : fc.constant({}),
      body: item
        ? fc.record({ items: fc.array(fitting(item, pools), { minLength: 1, maxLength: 4 }) })
        : body
          ? fitting(body, pools)
          : fc.constant(undefined),
    })
    .map((request) => ({ ...request, query: queryText(request.query as object) }) as Request)

const rawQuery = fc.oneof(
  fc.constantFrom(
    '%',
    '%zz=%',
    '%ff%fe=1',
    'embed=%ff',
    '[]=1',
    '=',
    '&&&',
    'embed[]',
    '__proto__=1',
    'a'.repeat(3000),
  ),
  fc.constantFrom(...nastyTexts).map((text) => `search_term=${encodeURIComponent(text.toWellFormed()).slice(0, 6000)}`),
  fc.string().map((text) => text.toWellFormed()),
)
/** Names of all query parameters there are, each with what it was not made for. */
const parameters = [...new Set(all.flatMap(({ query }) => Object.keys((query?.properties ?? {}) as object)))]
const misusedParameter = fc
  .tuple(
    fc.constantFrom(...parameters),
    fc.constantFrom('', '[]', '[0]'),
    fc.constantFrom(...nastyTexts, '0', '1e9', '{}'),
  )
  .map(([name, brackets, value]) => `${name}${brackets}=${encodeURIComponent(value.toWellFormed()).slice(0, 6000)}`)

const wrongType = fc.constantFrom('text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'json', '\u0000')
const tags = fc.oneof(
  fc.constantFrom(
    '*',
    '""',
    '"a.b"',
    'W/"a", "b"',
    '"',
    'W/',
    '*, *',
    '"a""b"',
    `"${'a'.repeat(5000)}"`,
    '"a" '.repeat(999),
  ),
  fc.string(),
)
const headers: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    'content-type': fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8', '') },
      { weight: 1, arbitrary: wrongType },
    ),
    'accept-language': fc.oneof(
      fc.constantFrom('de-DE', 'de;q=x, *', '*;q=0', ',,,', '-', 'a'.repeat(5000)),
      fc.string(),
    ),
    'if-match': tags,
    'if-none-match': tags,
    // The same key comes again and again, with other bodies.
    'idempotency-key': fc.oneof(fc.constantFrom('k', '', ' ', 'ü', 'x'.repeat(256)), fc.string()),
  },
  { requiredKeys: [] },
)

/** Requests spoilt in one to three places of path, query, body or headers. */
const bad = (contract: (typeof all)[number]): fc.Arbitrary<Request> =>
  fc
    .record({
      request: good(contract),
      body: fc.array(mutation, { maxLength: 2 }),
      path: fc.option(fc.constantFrom(...nastyTexts, 'batch', 'restore', '.', 'ünï')),
      query: fc.array(fc.oneof(rawQuery, misusedParameter), { maxLength: 2 }),
      headers,
      stray: fc.option(junk),
    })
    .map(({ request, body, path, query, headers, stray }) => ({
      ...request,
      headers,
      body: contract.body ? body.reduce(spoilt, request.body) : (stray ?? undefined),
      query: [request.query, ...query].join('&'),
      path:
        path === null ? request.path : Object.fromEntries(Object.keys(request.path ?? {}).map((name) => [name, path])),
    })) as fc.Arbitrary<Request>

describe('requests of every shape', () => {
  it.each(all.map((contract) => [contract.name, contract] as const))(
    '%s answers what fits its contract',
    (name, contract) =>
      fc.assert(
        fc.asyncProperty(good(contract), async (request) => {
          await tried(name, request)
        }),
        { numRuns: RUNS },
      ),
  )

  it.each(all.map((contract) => [contract.name, contract] as const))('%s refuses what does not', (name, contract) =>
    fc.assert(
      fc.asyncProperty(bad(contract), async (request) => {
        await tried(name, request)
      }),
      { numRuns: RUNS * 2 },
    ),
  )

  const taking = withBody.map((contract) => [contract.name, contract] as const)
  it.each(taking)('%s takes or refuses every text in every place', async (name, { path, body, item }) => {
    const at = path ? (complete(path) as Record<string, string>) : {}
    for (const id of Object.keys(at)) at[id] = String(pools[id]?.[0] ?? at[id])
    const base = complete((item ?? body) as Schema, pools)
    const bodies = withTexts(base, item ? nastyTexts : worstTexts)
    if (item)
      for (let start = 0; start < bodies.length; start += 100)
        await tried(name, { path: at, body: { items: bodies.slice(start, start + 100) } })
    else for (const [n, one] of bodies.entries()) await tried(name, { path: at, body: unlike(base, one, n) })
  })

  it('leave the table whole', () => audit(service))
})

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as never)))
const many = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join()

describe('bodies that are none', () => {
  const none: [string, Request, string][] = [
    ['nothing', { headers: { 'content-type': 'application/json' } }, 'VALIDATION_ERROR'],
    ['an empty text', { rawBody: '' }, 'VALIDATION_ERROR'],
    ['white space', { rawBody: ' \n' }, 'VALIDATION_ERROR'],
    ['half an object', { rawBody: '{"first_name":' }, 'VALIDATION_ERROR'],
    ['two objects', { rawBody: '{}{}' }, 'VALIDATION_ERROR'],
    ['comments', { rawBody: '{/* */}' }, 'VALIDATION_ERROR'],
    ['NaN', { rawBody: '{"first_name":NaN}' }, 'VALIDATION_ERROR'],
    ['single quotes', { rawBody: "{'first_name':'x'}" }, 'VALIDATION_ERROR'],
    ['null', { rawBody: 'null' }, 'VALIDATION_ERROR'],
    ['a list', { rawBody: '[]' }, 'VALIDATION_ERROR'],
    ['a text', { rawBody: '"{}"' }, 'VALIDATION_ERROR'],
    ['a number', { rawBody: '1e999' }, 'VALIDATION_ERROR'],
    ['deep nesting', { rawBody: `${'['.repeat(200_000)}${']'.repeat(200_000)}` }, 'VALIDATION_ERROR'],
    ['deep nesting, open', { rawBody: '{"a":'.repeat(150_000) }, 'VALIDATION_ERROR'],
    ['bytes that are no UTF-8', { bytes: bytes('{"first_name":"', [0xff, 0xfe, 0x80], '"}') }, 'VALIDATION_ERROR'],
    ['UTF-16', { bytes: Buffer.from('{"first_name":"x"}', 'utf16le') }, 'VALIDATION_ERROR'],
    ['an overlong encoding', { bytes: bytes('{"first_name":"', [0xc0, 0x80], '"}') }, 'VALIDATION_ERROR'],
    ['one byte over 1 MiB', { rawBody: `{"a":"${'x'.repeat(1024 * 1024 - 7)}"}` }, 'PAYLOAD_TOO_LARGE'],
    ['over 1 MiB in bytes, not in characters', { rawBody: `{"a":"${'é'.repeat(600_000)}"}` }, 'PAYLOAD_TOO_LARGE'],
    ['exactly 1 MiB', { rawBody: `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}` }, 'VALIDATION_ERROR'],
    ['thirty thousand unknown fields', { rawBody: `{${many(30_000, (n) => `"a${n}":1`)}}` }, 'VALIDATION_ERROR'],
    ['one unknown field of a megabyte', { rawBody: `{"${'\\u0001'.repeat(170_000)}":1}` }, 'VALIDATION_ERROR'],
    ['a hundred thousand tags', { rawBody: `{"tags":[${many(300_000, () => '{}')}]}` }, 'VALIDATION_ERROR'],
    [
      'a batch of nothing but faults',
      {
        rawBody: `{"items":[${many(100, (n) => `{"id":"${n}","body":{"required_actions":[${many(1000, () => '1')}]}}`)}]}`,
      },
      'VALIDATION_ERROR',
    ],
    ['XML, so it says', { rawBody: '{}', headers: { 'content-type': 'application/xml' } }, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a form',
      { rawBody: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'JSON sequences',
      { rawBody: '{}', headers: { 'content-type': 'application/json-seq' } },
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  ]
  it.each(none.map((one, nth) => [...one, nth] as const))('%s', async (_name, request, code, nth) => {
    const isHeavy = (request.rawBody ?? '').length > 100_000
    // All endpoints read bodies by the same code: each of them meets a quarter of these, in turn.
    const inTurn = withBody.filter((one, n) => !heavy.includes(one) && n % 4 === nth % 4)
    for (const { name, path } of isHeavy ? heavy : [...heavy, ...inTurn]) {
      const ids = Object.fromEntries(Object.keys((path?.properties ?? {}) as object).map((name) => [name, 'u-1']))
      const { status, body } = await tried(name, { ...request, path: ids })
      if (status !== 200) expect([name, body.error_code]).toEqual([name, code])
      else expect(body.items.map(({ status }: Any) => status)).toEqual(body.items.map(() => 400))
    }
  })
})
