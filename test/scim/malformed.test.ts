import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ENTERPRISE_URN, GROUP_URN, ROLLCALL_URN, USER_URN } from '../../domain/scim/schema.ts'
import { anyCharacter } from '../harness/anyCharacter.ts'
import { runs } from '../harness/runs.ts'
import { startService } from '../harness/service.ts'
import { ADDRESS, expectAnswer, patchBody, scim } from './scim.ts'

// Whatever is sent, it is understood or refused: no request of a client is a fault of the service.

let user: string
let group: string
beforeAll(async () => {
  await startService({ indexes: 'all' })
  user = `/Users/${(await scim('POST', '/Users', { body: { userName: 'fuzzed' } })).body.id}`
  group = `/Groups/${(await scim('POST', '/Groups', { body: { displayName: 'Fuzzed' } })).body.id}`
})

/** Objects whose conversion to a text fails, and other values that are easily taken for something else. */
const traps: unknown[] = [
  { toString: 1 },
  { valueOf: 1, toString: null },
  { value: { toString: 1 } },
  [{ value: { toString: 1 } }],
]
const odd: unknown[] = [
  ...traps,
  { toJSON: 1 },
  { constructor: 1 },
  { __proto__: null },
  'True',
  [null],
  [[]],
  [[[1]]],
  1e308,
  -0,
  '\u0000',
]

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...odd, [{ value: 'admin', type: { toString: 1 } }]),
)
const names = [
  ...[
    'userName',
    'externalId',
    'name',
    'displayName',
    'emails',
    'roles',
    'active',
    'title',
    'phoneNumbers',
    'addresses',
  ],
  ...['groups', 'members', 'schemas', 'id', 'meta', 'ims', 'password', '__proto__', 'toString', 'constructor'],
  ...[ENTERPRISE_URN, ROLLCALL_URN, USER_URN, GROUP_URN],
]
const paths = [
  ...names,
  ...[
    'name.givenName',
    'name.x',
    'emails.value',
    'emails[type eq "work"]',
    'emails[type eq "work"].value',
    'ims[type co "x"]',
  ],
  ...[
    'members[value eq "admin"]',
    'members[type eq "User"]',
    'roles[value eq "USER"].value',
    'x[',
    'emails[',
    '[',
    '.',
    '',
  ],
  ...[`${ENTERPRISE_URN}:manager`, `${ENTERPRISE_URN}:manager.value`, `${ROLLCALL_URN}:tags`, `${ROLLCALL_URN}:note`],
]
const path = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 7, ...traps, ...paths),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
)
const op = fc.oneof(fc.constantFrom<unknown>('add', 'Replace', 'remove', 'x', undefined, null, 1, ...traps))
const resource = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 })
const operation = fc.oneof(
  fc.record({ op, path, value }, { requiredKeys: [] }),
  fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), path: fc.constantFrom(...paths), value }),
  fc.record({ op: fc.constantFrom('add', 'replace'), value: resource }),
  value,
)
const patch = fc.oneof(
  { weight: 5, arbitrary: fc.array(operation, { maxLength: 4 }).map((all) => patchBody(...all)) },
  fc.record({ schemas: value, Operations: fc.oneof(value, fc.array(operation)) }, { requiredKeys: [] }),
)
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(
    '(',
    'a eq',
    'userName eq "\\u0000"',
    'id eq "\ud800"',
    'members[value eq',
    'emails[type eq "work"] or',
    '2',
  ),
)
const parameters = [
  'filter',
  'attributes',
  'excludedAttributes',
  'sortBy',
  'sortOrder',
  'startIndex',
  'count',
  'cursor',
]
const search = fc.dictionary(fc.constantFrom(...parameters, 'schemas'), fc.oneof(value, text), { maxKeys: 4 })
const query = fc.dictionary(fc.constantFrom(...parameters), text, { maxKeys: 3 })
const requests = fc.oneof(
  fc.record({ method: fc.constant('POST'), at: fc.constantFrom('/Users', '/Groups'), body: resource }),
  fc.record({ method: fc.constant('PUT'), at: fc.constantFrom('user', 'group'), body: resource }),
  fc.record({ method: fc.constant('PATCH'), at: fc.constantFrom('user', 'group'), body: patch }),
  fc.record({ method: fc.constant('POST'), at: fc.constantFrom('/Users/.search', '/Groups/.search'), body: search }),
  fc.record({
    method: fc.constantFrom('GET', 'HEAD'),
    at: fc.constantFrom('/Users', '/Groups', 'user', 'group'),
    query,
  }),
  fc.record({
    method: fc.constantFrom('GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    at: fc.oneof(
      text.map((one) => `/Users/${one}`),
      text.map((one) => `/Groups/${one}`),
      text.map((one) => `/${one}`),
    ),
    body: resource,
  }),
)

it('no malformed request is our fault', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, at, ...rest }) => {
      const { status } = await scim(method, at === 'user' ? user : at === 'group' ? group : at, rest)
      expect([200, 201, 204, 400, 403, 404, 405, 409, 501]).toContain(status)
    }),
    { numRuns: runs(300) },
  )
})

describe('objects in the place of texts are a 400:', () => {
  const trap = { toString: 1 }
  const add = (at: string, sent: unknown) => ({ op: 'add', path: at, value: sent })
  const patchOf =
    (where: () => string, ...operations: unknown[]) =>
    () =>
      scim('PATCH', where(), { body: patchBody(...operations) })
  const [ofUser, ofGroup] = [() => user, () => group]
  it.each<[string, () => ReturnType<typeof scim>, string]>([
    ['an operator', patchOf(ofUser, { op: trap, path: 'title', value: 'x' }), 'invalidSyntax'],
    ['a path', patchOf(ofUser, { op: 'add', path: trap, value: 'x' }), 'invalidSyntax'],
    ['schemas', () => scim('POST', '/Users', { body: { schemas: [trap], userName: 'x' } }), 'invalidSyntax'],
    [
      'the type of an e-mail',
      () => scim('POST', '/Users', { body: { userName: 'x', emails: [{ type: trap, value: 'a@b.example' }] } }),
      'invalidValue',
    ],
    [
      'the value of an e-mail',
      () => scim('POST', '/Users', { body: { userName: 'x', emails: [{ value: trap }] } }),
      'invalidValue',
    ],
    ['a role', () => scim('POST', '/Users', { body: { userName: 'x', roles: [{ value: trap }] } }), 'invalidValue'],
    ['a role of PATCH', patchOf(ofUser, add('roles', [{ value: trap }])), 'invalidValue'],
    ['the type of a phone number', patchOf(ofUser, add('phoneNumbers', { type: trap, value: '1' })), 'invalidValue'],
    [
      'an address, chosen then by its type',
      patchOf(ofUser, add('addresses', { type: trap, locality: 'x' }), add('addresses[type eq "work"].locality', 'y')),
      'invalidValue',
    ],
    ['a tag', patchOf(ofUser, add(`${ROLLCALL_URN}:tags`, [trap])), 'invalidValue'],
    [
      'what is removed from a list',
      patchOf(ofUser, { op: 'remove', path: `${ROLLCALL_URN}:tags`, value: [{ value: trap }] }),
      'invalidValue',
    ],
    ['the type of a member', patchOf(ofGroup, add('members', [{ value: 'admin', type: trap }])), 'invalidValue'],
    ['the id of a member', patchOf(ofGroup, add('members', [{ value: trap }])), 'invalidValue'],
    ['the name of a group', patchOf(ofGroup, add('displayName', trap)), 'invalidValue'],
    ['attributes', () => scim('POST', '/Users/.search', { body: { attributes: [trap] } }), 'invalidValue'],
    [
      'excludedAttributes',
      () => scim('POST', '/Groups/.search', { body: { excludedAttributes: trap } }),
      'invalidValue',
    ],
    ['a filter', () => scim('POST', '/Users/.search', { body: { filter: trap } }), 'invalidValue'],
  ])('%s', async (_what, attempt, scimType) => expectAnswer(await attempt(), 400, scimType))
})

describe('bodies', () => {
  it('name the schema of their resource, if any', async () => {
    const search = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
    const microsoft = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'
    const sent: [string, string, object, right: unknown[], wrong: unknown[]][] = [
      [
        'PUT',
        user,
        { userName: 'fuzzed' },
        [undefined, null, [], USER_URN, [USER_URN, 'urn:x'], [ENTERPRISE_URN]],
        [['urn:x'], [GROUP_URN], 7],
      ],
      ['PUT', group, { displayName: 'Fuzzed' }, [undefined, [GROUP_URN, microsoft]], [[microsoft], [USER_URN]]],
      ['POST', '/Users/.search', { count: 0 }, [undefined, [search]], [[USER_URN], {}]],
    ]
    for (const [method, at, body, right, wrong] of sent) {
      for (const schemas of right) expectAnswer(await scim(method, at, { body: { ...body, schemas } }), 200)
      for (const schemas of wrong)
        expectAnswer(await scim(method, at, { body: { ...body, schemas } }), 400, 'invalidSyntax')
    }
  })

  it('have no empty names', async () => {
    for (const [method, at] of [
      ['POST', '/Users'],
      ['PUT', user],
    ] as const)
      for (const userName of ['', '  '])
        expectAnswer(await scim(method, at, { body: { userName } }), 400, 'invalidValue')
    expectAnswer(await scim('PUT', group, { body: { displayName: '' } }), 400, 'invalidValue')
    const operations = [
      { op: 'replace', path: 'displayName', value: '' },
      { op: 'add', value: { displayName: '' } },
    ]
    for (const one of operations)
      expectAnswer(await scim('PATCH', group, { body: patchBody(one) }), 400, 'invalidValue')
    expectAnswer(
      await scim('PATCH', group, { body: patchBody({ op: 'remove', path: 'displayName' }) }),
      400,
      'mutability',
    )
  })

  it('of PATCH without a value empty no group, and null does', async () => {
    const members = async () => (await scim('GET', group)).body.members?.length ?? 0
    expectAnswer(await scim('PUT', group, { body: { displayName: 'Fuzzed', members: [{ value: 'admin' }] } }), 200)
    for (const one of ['add', 'replace'])
      for (const at of ['members', undefined])
        expectAnswer(await scim('PATCH', group, { body: patchBody({ op: one, path: at }) }), 400, 'invalidValue')
    expect(await members()).toBe(1)
    expectAnswer(await scim('PATCH', group, { body: patchBody({ op: 'replace', path: 'members', value: null }) }), 204)
    expect(await members()).toBe(0)
  })

  it('of PATCH cannot change the id of a group by path, but may repeat it in a value, as Okta does', async () => {
    const id = group.split('/')[2]
    expectAnswer(
      await scim('PATCH', group, { body: patchBody({ op: 'replace', path: 'id', value: id }) }),
      400,
      'mutability',
    )
    const okta = { op: 'replace', value: { id, displayName: 'Fuzzed' } }
    expectAnswer(await scim('PATCH', group, { body: patchBody(okta) }), 204)
    expect((await scim('GET', group)).body.meta.location).toBe(`${ADDRESS}${group}`)
  })

  it('of PATCH have at most 1,000 operations', async () => {
    const all = (count: number) =>
      patchBody(...Array.from({ length: count }, () => ({ op: 'add', path: 'nickName', value: 'x' })))
    expectAnswer(await scim('PATCH', user, { body: all(1000) }), 200)
    expectAnswer(await scim('PATCH', user, { body: all(1001) }), 400, 'tooMany')
  })
})
