import { beforeAll, describe, expect, it } from 'vitest'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService({
    indexes: ['by_email', 'by_username_or_change'],
    extras: 45,
    users: [
      ...people,
      { id: 'target', external_id: 'E-target', email: 'target@example.com' },
      { id: 'leaving', status: 'LOCKED' },
    ],
  })
  await call('deleteUser', { path: { user_id: 'leaving' } })
  writes = countWrites(service)
})

const base = { ...ordinary, first_name: 'Ann', last_name: 'Lee', username: 'ann.lee' }
const x = (length: number): string => 'x'.repeat(length)
const attribute = (name: unknown, value: unknown) => ({ attributes: [{ name, value }] })
const list = (length: number, one: (n: number) => unknown): unknown[] => Array.from({ length }, (_, n) => one(n))

type Wrong = [body: Record<string, unknown>, property: string, code?: string]
const tooLong = 'TOO LONG'

/** What is wrong on creation and in a patch alike. */
const wrong: Wrong[] = [
  ...['first_name', 'last_name'].flatMap((name): Wrong[] => [
    ...['', '   ', '\u00a0\u3000', null, 5, true, {}, ['Ann'], 'a\u0007', 'a\nb', '\ud800', 'a\udc00'].map(
      (value): Wrong => [{ [name]: value }, name],
    ),
    [{ [name]: x(65) }, name, tooLong],
    [{ [name]: '😀'.repeat(65) }, name, tooLong],
  ]),
  ...['', ' ', '\u3000\u00a0', null, 5, {}, 'a\u0000b', 'a\tb', 'a\u0085b', '\ud800'].map(
    (username): Wrong => [{ username }, 'username'],
  ),
  [{ username: x(256) }, 'username', tooLong],
  ...['', '  ', 5, false, {}, ['E'], '\udfff'].map((external_id): Wrong => [{ external_id }, 'external_id']),
  [{ external_id: x(256) }, 'external_id', tooLong],
  ...[
    '',
    'a@b',
    'ann',
    'ann@',
    '@example.com',
    'ann example@x.com',
    'a@b..com',
    'a@@b.com',
    'ann@example.com\n',
    7,
  ].map((email): Wrong => [{ email }, 'email']),
  [{ email: `${x(250)}@example.com` }, 'email', tooLong],
  ...['', 'admin', 'BOSS', 1, ['ADMIN'], {}].map((role): Wrong => [{ role }, 'role']),
  ...['UPDATE_PASSWORD', {}, 1].map((value): Wrong => [{ required_actions: value }, 'required_actions']),
  ...['FLY', '', null, 1, {}].map((value): Wrong => [{ required_actions: [value] }, 'required_actions.0']),
  ...['department', 1, false].map((attributes): Wrong => [{ attributes }, 'attributes']),
  ...['department', null, 1, []].map((value): Wrong => [{ attributes: [value] }, 'attributes.0']),
  [{ attributes: [{ value: 'x' }] }, 'attributes.0.name'],
  [{ attributes: [{ name: 'department' }] }, 'attributes.0.value'],
  [{ attributes: [{ name: 'department', value: 'x', type: 'TEXT' }] }, 'attributes.0.type'],
  ...[null, 5, {}, '\ud800'].map((value): Wrong => [attribute('department', value), 'attributes.0.value']),
  ...[null, 5, '', '\ud800'].map((name): Wrong => [attribute(name, 'x'), 'attributes.0.name']),
  [{ attributes: list(51, (n) => ({ name: `extra_${n % 45}`, value: 'x' })) }, 'attributes'],
  [{ attributes: list(2, () => ({ name: 'department', value: 'x' })) }, 'attributes.1.name'],
  [attribute('department', x(256)), 'attributes.0.value', 'MAX_LENGTH_EXCEEDED'],
  [attribute('unheard_of', 'x'), 'attributes.0.name', 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND'],
  [attribute('Department', 'x'), 'attributes.0.name', 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND'],
  [attribute('__proto__', 'x'), 'attributes.0.name', 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND'],
  ...[
    '',
    '2023-02-29',
    '2024-02-30',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '24-01-01',
    '01.02.2024',
    ' 2024-01-01',
  ].map((value): Wrong => [attribute('joined_on', value), 'attributes.0.value', 'INVALID_DATE_ATTRIBUTE_FORMAT']),
  ...['2024-02-29T00:00:00Z', '2024-02-29\n', '٢٠٢٤-٠١-٠١', '+02024-01-01', '1900-02-29', 'today'].map(
    (value): Wrong => [attribute('joined_on', value), 'attributes.0.value', 'INVALID_DATE_ATTRIBUTE_FORMAT'],
  ),
  ...['new', {}, 1].map((tags): Wrong => [{ tags }, 'tags']),
  ...['new', null, []].map((tag): Wrong => [{ tags: [tag] }, 'tags.0']),
  ...['', null, 5, '\ud800'].map((name): Wrong => [{ tags: [{ name }] }, 'tags.0.name']),
  [{ tags: [{}] }, 'tags.0.name'],
  [{ tags: [{ name: 'new', colour: 'red' }] }, 'tags.0.colour'],
  [{ tags: [{ name: 'fine' }, { name: x(65) }] }, 'tags.1.name', tooLong],
  [{ tags: list(51, (n) => ({ name: `t${n}` })) }, 'tags'],
  ...['file', [], 1].map((value): Wrong => [{ profile_picture: value }, 'profile_picture']),
  ...['', null, 5].map((file_id): Wrong => [{ profile_picture: { file_id } }, 'profile_picture.file_id']),
  [{ profile_picture: { file_id: 'f', url: 'u' } }, 'profile_picture.url'],
  ...['', 5, {}, ['sales']].map((value): Wrong => [{ primary_user_group_id: value }, 'primary_user_group_id']),
  ...['nowhere', 'archived', 'sales ', 'Sales', 'a#b', x(255), '\u{1d160}'.repeat(255)].map(
    (value): Wrong => [{ primary_user_group_id: value }, 'primary_user_group_id', 'UNKNOWN_USER_GROUP_ID'],
  ),
  [{ nickname: 'Annie' }, 'nickname'],
  [{ 'first_name ': 'Ann' }, 'first_name '],
  [{ 'a/b~c.d': 1 }, 'a/b~c.d'],
  [JSON.parse('{"__proto__":{"role":"ADMIN"}}'), '__proto__'],
  [{ constructor: {} }, 'constructor'],
  ...['created_at', 'deletion_at', 'protected', 'version', 'primary_user_group', 'actions', 'previous_status'].map(
    (name): Wrong => [{ [name]: null }, name],
  ),
]

const wrongOnCreation: Wrong[] = [
  ...wrong,
  ...[
    '',
    '-a',
    '.a',
    'a b',
    'ä',
    'a/b',
    'a#b',
    x(65),
    5,
    {},
    'batch',
    'restore',
    'assignments',
    'assignments-summary',
  ].map((id): Wrong => [{ id }, 'id']),
  ...['', 'active', 'GONE', 5, ['ACTIVE'], null].map((status): Wrong => [{ status }, 'status']),
  [{ status: 'PENDING_DELETION' }, 'status', 'USER_CREATION_WITH_PENDING_DELETION_NOT_ALLOWED'],
  [{ role: null }, 'role'],
  ...[{}, { department: 'x' }].map((attributes): Wrong => [{ attributes }, 'attributes']),
  [{ profile_picture: {} }, 'profile_picture.file_id'],
  ...['first_name', 'last_name', 'username', 'role', 'status'].map((name): Wrong => [{ [name]: undefined }, name]),
]

const unknownAttribute = 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND'

const wrongInPatches: Wrong[] = [
  ...wrong,
  ...[5, {}, [], '\ud800'].map((value): Wrong => [{ attributes: { department: value } }, 'attributes.department']),
  [{ attributes: { department: x(256) } }, 'attributes.department', 'MAX_LENGTH_EXCEEDED'],
  [{ attributes: { joined_on: '2024-02-30' } }, 'attributes.joined_on', 'INVALID_DATE_ATTRIBUTE_FORMAT'],
  [
    { attributes: Object.fromEntries(list(51, (n) => [`extra_${n % 45}${n}`, 'x']) as []) },
    'attributes.extra_00',
    unknownAttribute,
  ],
  ...['x', null].flatMap((value) => [
    ...['unheard_of', 'Department', '', 'a.b', 'constructor', 'toString'].map(
      (name): Wrong => [{ attributes: { department: 'y', [name]: value } }, `attributes.${name}`, unknownAttribute],
    ),
    ...[JSON.parse(`{"attributes":{"__proto__":${JSON.stringify(value)}}}`)].map(
      (body): Wrong => [body, 'attributes.__proto__', unknownAttribute],
    ),
  ]),
  [{ role: null }, 'role'],
  ...['ACTIVE', 'PENDING_DELETION', null].map((status): Wrong => [{ status }, 'status']),
  [{ id: 'target' }, 'id'],
]

const titled = (all: Wrong[]) => all.map((one) => [`${one[1]}: ${JSON.stringify(one[0]).slice(0, 70)}`, one] as const)

function checkRefusal(error: Any, property: string, code: string): void {
  expect(error).toMatchObject({ status: 400, error_code: code, property })
  expect(error.errors.map((fault: Any) => fault.property)).toContain(property)
  expect(error.detail).not.toMatch(/undefined|\[object/)
}

describe('every field, wrong in every way', () => {
  it.each(titled(wrongOnCreation))('creation: %s', async (_name, [body, property, code = 'VALIDATION_ERROR']) => {
    const before = writes()
    const { body: error } = await call('createUser', { body: merge(base, body) })
    checkRefusal(error, property, code === tooLong ? 'VALIDATION_ERROR' : code)
    expect(writes()).toBe(before)
  })

  it.each(titled(wrongInPatches))('patch: %s', async (_name, [body, property, code = 'VALIDATION_ERROR']) => {
    const expected = code === tooLong ? 'MAX_LENGTH_EXCEEDED' : code
    const before = writes()
    checkRefusal((await call('updateUser', { path: { user_id: 'target' }, body })).body, property, expected)
    expect(writes()).toBe(before)
  })

  it('a patch in a batch: as in a call of its own', async () => {
    const before = writes()
    for (let start = 0; start < wrongInPatches.length; start += 100) {
      const some = wrongInPatches.slice(start, start + 100)
      const items = some.map(([body]) => ({ id: 'target', body }))
      const { body: batch } = await call('updateUsers', { body: { items } })
      for (const [n, [, property, code = 'VALIDATION_ERROR']] of some.entries()) {
        expect(batch.items[n].status).toBe(400)
        checkRefusal(batch.items[n].error, property, code === tooLong ? 'MAX_LENGTH_EXCEEDED' : code)
      }
    }
    expect(writes()).toBe(before)
  })
})

/** Spread would call the setter of __proto__. */
const merge = (one: object, other: object): object =>
  Object.defineProperties(
    { ...one },
    Object.fromEntries(Object.entries(other).map(([name, value]) => [name, { value, enumerable: true }])),
  )

const properties = (error: Any): string[] => error.errors.map((fault: Any) => fault.property).sort()

describe('several faults', () => {
  const everything = {
    id: '!',
    external_id: '',
    first_name: '',
    last_name: 1,
    email: 'x',
    username: null,
    role: 'x',
    status: 'x',
    required_actions: ['x'],
    attributes: [{ name: 'department' }, { name: 'unheard_of', value: 'x' }, { name: 'joined_on', value: 'x' }],
    tags: [{}],
    profile_picture: {},
    primary_user_group_id: 'nowhere',
    nickname: 'x',
  }
  it('are all told in one answer', async () => {
    const { body } = await call('createUser', { body: everything, query: 'embed=x' })
    expect(new Set(properties(body))).toEqual(
      new Set([
        ...['embed', 'id', 'external_id', 'first_name', 'last_name', 'email', 'username', 'role', 'status'],
        ...['required_actions.0', 'attributes.0.value', 'attributes.1.name', 'attributes.2.value', 'tags.0.name'],
        ...['profile_picture.file_id', 'primary_user_group_id', 'nickname'],
      ]),
    )
    expect(body).toMatchObject({ error_code: 'INVALID_DATE_ATTRIBUTE_FORMAT', property: 'attributes.2.value' })
  })

  const dated = { name: 'joined_on', value: '1.1.2024' }
  const unknown = { name: 'unheard_of', value: 'x' }
  const long = { name: 'department', value: x(256) }
  it.each<[string, object, string, string[]]>([
    [
      'a plain fault and a bad date',
      { first_name: '', attributes: [dated] },
      'INVALID_DATE_ATTRIBUTE_FORMAT',
      ['attributes.0.value', 'first_name'],
    ],
    [
      'an unknown field and an unknown attribute',
      { nick: 1, attributes: [unknown] },
      'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
      ['attributes.0.name', 'nick'],
    ],
    [
      'an unknown attribute and an unknown group',
      { primary_user_group_id: 'nowhere', attributes: [unknown] },
      'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
      ['attributes.0.name', 'primary_user_group_id'],
    ],
    [
      'a plain fault and an unknown group',
      { nick: 1, primary_user_group_id: 'archived' },
      'UNKNOWN_USER_GROUP_ID',
      ['nick', 'primary_user_group_id'],
    ],
    [
      'a bad date, an unknown name and a long value',
      { attributes: [dated, unknown, long] },
      'MAX_LENGTH_EXCEEDED',
      ['attributes.0.value', 'attributes.1.name', 'attributes.2.value'],
    ],
    [
      'a bad date and an unknown name',
      { attributes: [unknown, dated] },
      'INVALID_DATE_ATTRIBUTE_FORMAT',
      ['attributes.0.name', 'attributes.1.value'],
    ],
    [
      'a name given twice and an unknown one',
      { attributes: [unknown, unknown] },
      'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
      ['attributes.0.name', 'attributes.1.name', 'attributes.1.name'],
    ],
  ])('%s: the named code wins, all are listed', async (_name, body, code, expected) => {
    for (let time = 0; time < 2; time++) {
      const replies = await Promise.all([
        call('createUser', { body: { ...base, ...body } }),
        call('updateUser', { path: { user_id: 'target' }, body }),
        call('updateUsers', { body: { items: [{ id: 'target', body }] } }),
      ])
      for (const { body: answer } of replies) {
        const error = answer.items ? answer.items[0].error : answer
        expect([error.error_code, properties(error)]).toEqual([code, expected])
      }
    }
  })

  it('of path, query and body are reported together', async () => {
    const { body } = await call('updateUser', {
      path: { user_id: '!' },
      query: 'embed=x,ACTIONS',
      body: { first_name: '' },
    })
    expect(properties(body)).toEqual(['embed', 'first_name', 'user_id'])
    const bodiless = await call('updateUser', { path: { user_id: '!' }, query: 'embed=x', rawBody: '{' })
    expect(properties(bodiless.body)).toEqual(['body', 'embed', 'user_id'])
  })

  it.each([
    ['nobody', { primary_user_group_id: 'nowhere' }, 'UNKNOWN_USER_GROUP_ID'],
    ['nobody', attribute('unheard_of', 'x'), 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND'],
    ['nobody', { first_name: '' }, 'VALIDATION_ERROR'],
    ['nobody', { first_name: 'Fine' }, 'USER_NOT_FOUND'],
    ['leaving', { primary_user_group_id: 'nowhere' }, 'UNKNOWN_USER_GROUP_ID'],
    ['leaving', attribute('joined_on', 'x'), 'INVALID_DATE_ATTRIBUTE_FORMAT'],
    ['leaving', { username: 'admin' }, 'USER_MODIFICATION_NOT_ALLOWED'],
    ['leaving', { first_name: 'Fine' }, 'USER_MODIFICATION_NOT_ALLOWED'],
  ])('patch of %s with %j: input before existence before rules', async (user_id, body, code) => {
    for (let time = 0; time < 2; time++)
      expect((await call('updateUser', { path: { user_id }, body })).body.error_code).toBe(code)
  })
})

describe('what is fine', () => {
  const create = async (body: object) => (await call('createUser', { body })).body
  const optional = {
    id: null,
    external_id: null,
    email: null,
    required_actions: null,
    attributes: null,
    tags: null,
    profile_picture: null,
    primary_user_group_id: null,
  }
  const set = {
    external_id: 'E-set',
    email: 'a@b.c',
    required_actions: ['VERIFY_EMAIL', 'UPDATE_PASSWORD'],
    attributes: [
      { name: 'department', value: 'Größe & Überfluss\nin zwei Zeilen' },
      { name: 'joined_on', value: '2000-02-29' },
    ],
    tags: [{ name: 'new' }, { name: 'Ünï' }],
    profile_picture: { file_id: 'file-1' },
  }

  it('ids are UUIDs where none is given, times are UTC with milliseconds', async () => {
    const { id, created_at, updated_at } = await create({ ...base, username: 'unnamed' })
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([created_at, updated_at]).toEqual(Array(2).fill('2026-11-21T09:00:00.000Z'))
  })

  it('null on creation is absent', async () => {
    const [{ id: _1, username: _2, ...plain }, { id: _3, username: _4, ...nulls }] = await Promise.all([
      create({ ...base, username: 'plain-one' }),
      create({ ...base, username: 'null-one', ...optional }),
    ])
    expect(nulls).toEqual(plain)
    expect(plain).toMatchObject({
      external_id: null,
      email: null,
      role: 'USER',
      status: 'ACTIVE',
      attributes: [],
      tags: [],
    })
  })

  it('a patch changes what it names, null clears it, the rest stays', async () => {
    const created = await create({ ...base, username: 'patched', ...set, primary_user_group_id: 'sales' })
    expect(created).toMatchObject({ ...set, primary_user_group: { id: 'sales' } })
    const patch = async (body: object) => (await call('updateUser', { path: { user_id: created.id }, body })).body
    let expected = created
    const cleared = {
      external_id: null,
      email: null,
      required_actions: [],
      attributes: [],
      tags: [],
      profile_picture: null,
    }
    for (const [name, empty] of Object.entries(cleared)) {
      expected = { ...expected, [name]: empty }
      expect(await patch({ [name]: null })).toEqual(expected)
    }
    expect((await patch({ primary_user_group_id: null })).primary_user_group.id).toBe('all-users')
    expect(await patch({ attributes: [{ name: 'note', value: '' }] })).toMatchObject({
      attributes: [{ name: 'note', value: '' }],
    })
    expect(await patch({ attributes: [{ name: 'location', value: 'x' }] })).toMatchObject({
      attributes: [{ name: 'location', value: 'x' }],
    })
    expect((await call('getUser', { path: { user_id: created.id } })).body).toEqual(await patch({}))
  })

  it('the longest of everything, counted in characters and without the white space around names', async () => {
    const longest = {
      id: `A${'.'.repeat(62)}z`,
      external_id: '😀'.repeat(255),
      first_name: `\u3000 ${'😀'.repeat(64)}\n`,
      last_name: `\t${'ﷺ'.repeat(64)} `,
      email: `${x(64)}@${x(61)}.${x(61)}.${x(61)}.com`,
      username: '\u{1d160}'.repeat(255),
      attributes: ['department', 'location', 'job_title', 'note', 'joined_on', ...list(45, (n) => `extra_${n}`)].map(
        (name) => ({
          name,
          value: name === 'joined_on' ? '9999-12-31' : '字'.repeat(255),
        }),
      ),
      tags: list(50, (n) => ({ name: `${n}${'é'.repeat(64)}`.slice(0, 64) })),
      primary_user_group_id: 'sales',
    }
    const { id, ...rest } = longest
    const { primary_user_group_id: _, ...shown } = longest
    expect(await create({ ...ordinary, ...longest })).toMatchObject({ ...shown, ...trimmedNames })
    const { status, body } = await call('updateUser', {
      path: { user_id: 'target' },
      body: { ...rest, external_id: 'x'.repeat(255), username: 'Ü'.repeat(255), primary_user_group_id: 'all-users' },
    })
    expect([status, body.first_name]).toEqual([200, trimmedNames.first_name])
    await call('updateUser', { path: { user_id: id }, body: { first_name: ' Inner  space ' } })
    expect((await call('getUser', { path: { user_id: id } })).body.first_name).toBe('Inner  space')
  })
  const trimmedNames = { first_name: '😀'.repeat(64), last_name: 'ﷺ'.repeat(64) }

  it('the last of doubled JSON keys counts, a byte order mark does not', async () => {
    const doubled =
      '{"first_name":"","first_name":"Zoe","last_name":"Lee","username":"doubled","role":"USER","status":"ACTIVE"}'
    const { status, body } = await call('createUser', { bytes: Buffer.from(`\ufeff${doubled}`) })
    expect([status, body.first_name]).toEqual([201, 'Zoe'])
  })
})

describe('query parameters', () => {
  it.each<[string, string]>([
    ...['0', '101', '-1', '1.5', '1e2', '1e9', 'abc', '0x10', '1 0', '99999999999999999999', '５', '5,6'].map(
      (value): [string, string] => [`page_limit=${encodeURIComponent(value)}`, 'page_limit'],
    ),
    ...['0', '-1', '1.5', 'abc', '1e999', '%00'].map((value): [string, string] => [
      `page_number=${value}`,
      'page_number',
    ]),
    ['page_number=999999999999999&page_limit=100', ''],
    ['page_number=999999999999999&sort=EMAIL_ASC,FIRST_NAME_DESC', ''],
    ['page_number=999999999999999&search_term=a', ''],
    [`page_number=${Number.MAX_SAFE_INTEGER}&page_limit=100`, ''],
    [`page_number=000${Number.MAX_SAFE_INTEGER}&sort=STATUS_ASC,EMAIL_DESC&role=USER`, ''],
    ['page_number=9007199254740992', 'page_number'],
    ['page_number=9007199254740993', 'page_number'],
    ['page_number=1000000000000000000000', 'page_number'],
    [`page_number=${'9'.repeat(400)}`, 'page_number'],
    ['page_number=%20', 'page_number'],
    ['page_limit=%20', 'page_limit'],
    ['page_limit=5&page_limit=6', 'page_limit'],
    ['username=a&username=b', 'username'],
    ['search_term=a&search_term[]=b', 'search_term'],
    ['status=active', 'status'],
    ['status=ACTIVE,GONE', 'status'],
    ['status[]=ACTIVE&status[]=', ''],
    ['status=null', 'status'],
    ['status=%20', 'status'],
    ['status=ACTIVE,%20', 'status'],
    ['role=%20', 'role'],
    ['role=admin', 'role'],
    ['role=USER,OWNER', 'role'],
    ['role[]=USER&role[]=ADMIN&role=', ''],
    ['sort=+', 'sort'],
    ['embed=%20', 'embed'],
    ['sort=NAME_ASC', 'sort'],
    ['sort=LAST_NAME', 'sort'],
    ['sort=last_name_asc', 'sort'],
    ['sort=LAST_NAME_ASC,', ''],
    [`sort=${Array(6).fill('EMAIL_ASC').join()}`, 'sort'],
    [`sort=${Array(5).fill('EMAIL_ASC').join()}`, ''],
    ['embed=EVERYTHING', 'embed'],
    ['embed=ACTIONS&embed=actions', 'embed'],
    ['attribute_technical_name=department', 'attribute_value'],
    ['attribute_value=x', 'attribute_technical_name'],
    ['attribute_technical_name=department&attribute_value=', 'attribute_value'],
    ['attribute_technical_name=&attribute_value=', ''],
    [`search_term=${x(201)}`, 'search_term'],
    [`search_term=${encodeURIComponent('😀'.repeat(200))}`, ''],
    [`username=${x(256)}`, 'username'],
    [`external_id=${x(256)}`, 'external_id'],
    ['search_term=&status=&role=&username=&external_id=&sort=&embed=&page_number=&page_limit=', ''],
    ['search_term=+++', ''],
  ])('%s', async (query, property) => {
    const { status, body } = await call('listUsers', { query })
    if (property === '') expect([status, body.error_code]).toEqual([200, undefined])
    else checkRefusal(body, property, 'VALIDATION_ERROR')
  })

  it('empty ones count as not given', async () => {
    const all = (await call('listUsers')).body.pagination.total_elements
    const query = 'search_term=+&status=&role=&username=&external_id=&attribute_technical_name=&attribute_value='
    expect((await call('listUsers', { query })).body.pagination.total_elements).toBe(all)
  })

  it.each([
    [
      'status=LOCKED,PENDING_DELETION',
      'status=LOCKED&status=PENDING_DELETION',
      'status[]=LOCKED&status[]=PENDING_DELETION',
      'status%5B%5D=LOCKED%2CPENDING_DELETION',
    ],
    ['role=USER,ADMIN', 'role=USER&role=ADMIN', 'role[]=USER&role[]=ADMIN', 'role%5B%5D=USER%2C%20ADMIN', ''],
    [
      'sort=ROLE_ASC,USERNAME_DESC',
      'sort=ROLE_ASC&sort=USERNAME_DESC',
      'sort[]=ROLE_ASC&sort[]=USERNAME_DESC',
      'sort[]=ROLE_ASC&sort=USERNAME_DESC',
    ],
    ['embed=ACTIONS', 'embed=ACTIONS&embed=ACTIONS', 'embed[]=ACTIONS', 'embed=,ACTIONS,'],
  ])('lists in all spellings are one: %s', async (...spellings) => {
    const answers = await Promise.all(spellings.map((query) => call('listUsers', { query })))
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body])
    expect(answers[0]?.body.users.length).toBeGreaterThan(0)
  })

  it.each<[string, string | undefined]>([
    ['', undefined],
    ['embed=ACTIONS', undefined],
    ['statuss=LOCKED&Status=x', 'statuss, Status'],
    ['nonsense[]=1&nonsense[]=2&%20%22%0d%0a=1', 'nonsense%5B%5D, %20%22%0D%0A'],
    ['__proto__=1&constructor=2', '__proto__, constructor'],
  ])('unknown ones are ignored and named: %s', async (query, named) => {
    const requests: [string, Request][] = [
      ['listUsers', {}],
      ['getUser', { path: { user_id: 'admin' } }],
      ['createUser', { body: {} }],
      ['deleteUsers', { body: { items: [] } }],
      ['unlockUser', { path: { user_id: 'nobody' } }],
    ]
    for (const [name, request] of requests)
      expect((await call(name, { ...request, query })).headers['x-ignored-parameters'], name).toBe(named)
  })
})

it('names of unknown parameters never outgrow what gateways let through', async () => {
  const query = Array.from({ length: 300 }, (_, n) => `${encodeURIComponent('字'.repeat(60))}${n}=1`).join('&')
  const { status, headers } = await call('listUsers', { query })
  expect([status, (headers['x-ignored-parameters'] as string).length < 4000]).toEqual([200, true])
})

describe('bodies and their types', () => {
  const json = JSON.stringify({ first_name: 'Typed' })
  const typed = (type: string | undefined) => ({ rawBody: json, headers: { 'content-type': type } }) as Request
  const patch = 'application/merge-patch+json'
  it.each<[string | undefined, number, number]>([
    ['application/json', 200, 400],
    ['application/json; charset=utf-8', 200, 400],
    ['APPLICATION/JSON;charset=UTF-8', 200, 400],
    [undefined, 200, 400],
    ['', 200, 400],
    [patch, 200, 415],
    [`${patch}; charset=utf-8`, 200, 415],
    ['application/json; charset="UTF-8"', 200, 400],
    ['application/json;charset=utf8', 200, 400],
    ['application/json; q=1', 200, 400],
    ...['iso-8859-1', 'ISO-8859-1', '"latin1"', 'us-ascii', 'utf-16', 'utf-16le', 'utf-7', '""', "'utf-8'"].map(
      (charset): [string, number, number] => [`application/json; charset=${charset}`, 415, 415],
    ),
    [`${patch};charset=windows-1252`, 415, 415],
    ['json', 415, 415],
    ['text/plain', 415, 415],
    ['text/json', 415, 415],
    ['application/jsonp', 415, 415],
    ['application/json-patch+json', 415, 415],
    ['application/x-www-form-urlencoded', 415, 415],
    ['application/json, text/plain', 415, 415],
  ])('%s: patch %i, creation %i', async (type, onPatch, onCreation) => {
    const request = typed(type)
    expect((await call('updateUser', { path: { user_id: 'target' }, ...request })).status).toBe(onPatch)
    expect((await call('createUser', request)).status).toBe(onCreation)
    const items = { ...request, rawBody: JSON.stringify({ items: [{ id: 'target', body: {} }] }) }
    expect((await call('updateUsers', items)).status).toBe(onPatch)
    const batch = { ...request, rawBody: JSON.stringify({ items: [{ id: 'nobody' }] }) }
    expect((await call('deleteUsers', batch)).status).toBe(onCreation === 400 ? 200 : 415)
  })

  const latin = (text: string) => ({ bytes: Buffer.from(text, 'latin1') })
  it.each<[string, Request, string[]]>([
    [
      'latin-1 in a field',
      latin('{"first_name":"Zoë","tags":[{"name":"a"},{"name":"é"}]}'),
      ['first_name', 'tags.1.name'],
    ],
    [
      'half a character',
      { bytes: Buffer.concat([Buffer.from('{"first_name":"Z'), Buffer.from([0xc3]), Buffer.from('"}')]) },
      ['first_name'],
    ],
    ['a surrogate in bytes', { bytes: Buffer.from('7b22757365726e616d65223a22eda0bd227d', 'hex') }, ['username']],
    ['what a gateway makes of it', { rawBody: '{"first_name":"Zo\ufffd"}' }, ['first_name']],
    ['an escape', { rawBody: '{"first_name":"Zo\\uFFFD"}' }, ['first_name']],
    ['an attribute', { rawBody: '{"attributes":[{"name":"department","value":"\\ufffd"}]}' }, ['attributes.0.value']],
    ['a key', { rawBody: '{"n\ufffdme":1}' }, ['n\ufffdme']],
    ['the body itself', { rawBody: '"\ufffd"' }, ['body']],
    ['the first of two keys', { rawBody: '{"first_name":"\ufffd","first_name":"Zoe"}' }, ['body']],
    [
      'together with faults that have another code',
      { rawBody: '{"first_name":"\ufffd","primary_user_group_id":"nowhere"}' },
      ['first_name'],
    ],
  ])('text that is no UTF-8 is refused: %s', async (_name, request, at) => {
    const before = writes()
    const patched = await call('updateUser', { path: { user_id: 'target' }, ...request })
    expect([patched.status, patched.body.error_code, properties(patched.body)]).toEqual([400, 'VALIDATION_ERROR', at])
    const { body } = await call('createUser', request)
    expect([body.error_code, properties(body)]).toEqual(['VALIDATION_ERROR', at])
    expect(writes()).toBe(before)
  })

  it('text that is no UTF-8 is refused with its whole batch: which items it has cannot be trusted', async () => {
    const before = writes()
    const bytes = Buffer.from(
      '{"items":[{"id":"target","body":{"first_name":"Zoe"}},{"id":"plain","body":{"last_name":"Ï"}}]}',
      'latin1',
    )
    const { status, body } = await call('updateUsers', { bytes })
    expect([status, body.error_code, body.property]).toEqual([400, 'VALIDATION_ERROR', 'items.1.body.last_name'])
    expect(writes()).toBe(before)
  })

  it('an escaped backslash before ufffd is no U+FFFD', async () => {
    const { status, body } = await call('updateUser', {
      path: { user_id: 'target' },
      rawBody: '{"first_name":"\\\\ufffd"}',
    })
    expect([status, body.first_name]).toEqual([200, '\\ufffd'])
  })

  it.each<[string, Request]>([
    ['JSON', { body: { status: 'LOCKED', items: [] } }],
    ['garbage', { rawBody: '{{{', headers: { 'content-type': 'application/json' } }],
    ['another type', { rawBody: 'hello', headers: { 'content-type': 'text/plain' } }],
    ['no UTF-8', { bytes: Buffer.from([0xff, 0xfe]) }],
    ['over a megabyte', { rawBody: x(1_100_000) }],
  ])('a stray body is ignored where none is taken: %s', async (name, request) => {
    const user = await call('createUser', { body: { ...base, username: `stray ${name}` } })
    const path = { user_id: user.body.id }
    const names = ['getUser', 'lockUser', 'unlockUser', 'deactivateUser', 'deleteUser', 'restoreUser']
    const replies: Reply[] = []
    for (const name of names) replies.push(await call(name, { path, ...request }))
    replies.push(await call('listUsers', request))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(replies[4]?.body.status).toBe('PENDING_DELETION')
    expect(replies[5]?.body.status).toBe('DEACTIVATED')
  })
})

describe('the language of texts', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'en-GB'],
    ['', 'en-GB'],
    ['*', 'en-GB'],
    ['fr', 'en-GB'],
    ['de-DE', 'de-DE'],
    ['DE-de', 'de-DE'],
    ['de-DE-1996', 'de-DE'],
    ['fr-FR, de-DE;q=0.5, en-GB;q=0.4', 'de-DE'],
    ['en-GB;q=0.1, de-DE', 'de-DE'],
    ['de-DE;q=0', 'en-GB'],
    ['garbage;;;q=,', 'en-GB'],
  ])('%s: %s', async (header, language) => {
    const { body, headers } = await call('getUser', {
      path: { user_id: 'plain' },
      headers: header === undefined ? {} : { 'accept-language': header },
    })
    expect(body.primary_user_group.title).toEqual({
      language,
      text: `${language === 'de-DE' ? 'Gruppe' : 'Group'} all-users`,
    })
    expect(headers['content-language']).toBe(language)
  })
})
