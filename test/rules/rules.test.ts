import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ruleLimits } from '../../domain/people/rules/rule.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { walkByCursor } from '../harness/walk.ts'
import { later } from './rules.ts'

// The endpoints of rules: records, codes and limits. What rules do to users is tested in the other files of this folder.

let service: Service
const title = [{ language: 'en-GB', text: 'Group' }]
const user = (id: string, parts: object = {}) => ({
  ...ordinary,
  id,
  username: id,
  first_name: id,
  last_name: 'Z',
  ...parts,
})

beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
  for (const id of ['crew', 'other', 'shut', 'packed']) await made('createGroup', { id, title, parent_id: 'root' })
  await made('createRule', { ...given, id: 'asleep', user_group_id: 'shut', enabled: false })
  expect((await call('archiveGroup', { path: { group_id: 'shut' } })).status).toBe(200)
  await made('createRule', { ...given, id: 'taken', enabled: false })
  // The first rule has waited: those of the tests are applied at once.
  await later(service)
  service.setNow(new Date(service.now().getTime() + 60_000))
  await made('createUser', user('zoe'))
  await made('createUser', user('gone'))
  await call('deleteUser', { path: { user_id: 'gone' } })
})
afterAll(() => audit(service))

const given = {
  title: 'Sales',
  user_group_id: 'crew',
  role_id: 'coach',
  conditions: [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['Sales'] }],
}
const create = (body: object): Promise<Reply> => call('createRule', { body: { ...given, ...body } })
const read = (rule_id: string): Promise<Reply> => call('getRule', { path: { rule_id } })
const patch = (rule_id: string, body: unknown): Promise<Reply> => call('updateRule', { path: { rule_id }, body })
const remove = (rule_id: string): Promise<Reply> => call('deleteRule', { path: { rule_id } })
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const condition = (field: string, operator: string, ...values: string[]) => ({ field, operator, values })
const on = (...one: [string, string, ...string[]]) => ({ conditions: [condition(...one)] })
const tick = () => service.setNow(new Date(service.now().getTime() + 1000))

async function made(name: string, body: object): Promise<Any> {
  const reply = await call(name, { body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

let serial = 0
/** A rule that matches nobody. */
async function newRule(parts: object = {}): Promise<string> {
  const id = `rule-${++serial}`
  await made('createRule', { ...given, ...on('TAG', 'EQUALS', 'nobody has it'), id, ...parts })
  return id
}

describe('creating a rule', () => {
  it('of all its fields', async () => {
    const body = {
      id: 'r-1',
      title: 'Sales, all sites',
      user_group_id: 'crew',
      role_id: 'coach',
      match: 'ANY',
      conditions: [condition('ATTRIBUTE:department', 'EQUALS', 'Sales', 'Vertrieb'), condition('TAG', 'IS_SET')],
      except_user_ids: ['zoe', 'gone'],
      enabled: false,
    }
    const now = service.now().toISOString()
    const { status, body: rule } = await call('createRule', { body })
    expect(status).toBe(201)
    const { user_group_id, role_id, ...rest } = body
    expect(rule).toEqual({
      ...rest,
      user_group: { id: 'crew', title: { language: 'en-GB', text: 'Group' }, status: 'ACTIVE' },
      role: {
        id: 'coach',
        title: expect.objectContaining({ language: 'en-GB' }),
        description: { language: 'en-GB', text: 'Trains others' },
        type: 'CUSTOM',
        predefined_role_type: null,
        scope: 'USER_GROUPS',
        permission_count: expect.any(Number),
      },
      state: expect.stringMatching(/^(READY|APPLYING)$/),
      progress: rule.state === 'READY' ? null : { done: expect.any(Number), total: expect.any(Number) },
      created_at: now,
      updated_at: now,
      updated_by: 'admin',
    })
    expect((await read('r-1')).body).toMatchObject(rest)
  })

  it('of few, null meaning absent', async () => {
    const nulls = { id: null, match: null, except_user_ids: null, enabled: null }
    const { status, body } = await create({
      title: '  Few \n',
      ...nulls,
      conditions: [{ field: 'TAG', operator: 'IS_SET' }],
    })
    expect([status, body.title, body.match, body.except_user_ids, body.enabled]).toEqual([201, 'Few', 'ALL', [], true])
    expect(body.conditions).toEqual([{ field: 'TAG', operator: 'IS_SET', values: [] }])
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/)
    expect((await remove(body.id)).status).toBe(204)
  })

  it('names an excepted user once', async () => {
    const { body } = await create({ id: 'twice', except_user_ids: ['zoe', 'plain', 'zoe'], enabled: false })
    expect(body.except_user_ids).toEqual(['zoe', 'plain'])
  })

  const many = (length: number) => Array.from({ length }, (_, n) => `v${n}`)
  const invalid = (property: string) => [400, 'VALIDATION_ERROR', property]
  const rows: [what: string, parts: object, refusal: unknown[]][] = [
    ['without a title', { title: undefined }, invalid('title')],
    ['with a blank title', { title: ' \t' }, invalid('title')],
    ['with a title of two lines', { title: 'A\nB' }, invalid('title')],
    ['with a title of 121 characters', { title: '😀'.repeat(121) }, invalid('title')],
    ['without conditions', { conditions: undefined }, invalid('conditions')],
    ['with no condition', { conditions: [] }, invalid('conditions')],
    ['with 11 conditions', { conditions: Array(11).fill(condition('TAG', 'IS_SET')) }, invalid('conditions')],
    ['with a null condition', { conditions: [null] }, invalid('conditions.0')],
    ['of an unknown field', on('SHOE_SIZE', 'IS_SET'), invalid('conditions.0.field')],
    ['of a field with a name that objects have', on('constructor', 'EQUALS', 'x'), invalid('conditions.0.field')],
    ['of a field with the name of a prototype', on('__proto__', 'IS_SET'), invalid('conditions.0.field')],
    ['of an attribute without a name', on('ATTRIBUTE:', 'IS_SET'), invalid('conditions.0.field')],
    ['with an unknown operator', on('TAG', 'MATCHES', 'x'), invalid('conditions.0.operator')],
    ['with an unknown match', { match: 'SOME' }, invalid('match')],
    ['with an unknown property', { group: 'x' }, invalid('group')],
    ['without values', { conditions: [{ field: 'TAG', operator: 'EQUALS' }] }, invalid('conditions.0.values')],
    [
      'with null values',
      { conditions: [{ field: 'TAG', operator: 'EQUALS', values: null }] },
      invalid('conditions.0.values'),
    ],
    ['with no values', on('TAG', 'CONTAINS'), invalid('conditions.0.values')],
    ['with values that are not compared', on('TAG', 'IS_NOT_SET', 'x'), invalid('conditions.0.values')],
    ['with 101 values', on('TAG', 'EQUALS', ...many(101)), invalid('conditions.0.values')],
    ['with an empty value', on('TAG', 'EQUALS', ''), invalid('conditions.0.values.0')],
    ['with a value of 256 characters', on('TAG', 'EQUALS', 'é'.repeat(256)), invalid('conditions.0.values.0')],
    ['with half a character', on('TAG', 'EQUALS', '\ud83d'), invalid('conditions.0.values.0')],
    ['with a number as value', on('TAG', 'EQUALS', 1 as never), invalid('conditions.0.values.0')],
    ['on a role that there is not', on('ROLE', 'EQUALS', 'OWNER'), invalid('conditions.0.values.0')],
    ['on a part of a role', on('ROLE', 'CONTAINS', 'ADMIN'), invalid('conditions.0.operator')],
    ['on the presence of a role', on('ROLE', 'IS_SET'), invalid('conditions.0.operator')],
    ['on a part of a group', on('PRIMARY_USER_GROUP', 'STARTS_WITH', 'crew'), invalid('conditions.0.operator')],
    ['on the presence of a group', on('PRIMARY_USER_GROUP', 'IS_NOT_SET'), invalid('conditions.0.operator')],
    ['on a whole username', on('USERNAME', 'EQUALS', 'zoe'), invalid('conditions.0.operator')],
    ['on other usernames', on('USERNAME', 'NOT_EQUALS', 'zoe'), invalid('conditions.0.operator')],
    ['on a part of a username', on('USERNAME', 'CONTAINS', 'zoe'), invalid('conditions.0.operator')],
    ['on a whole external id', on('EXTERNAL_ID', 'EQUALS', 'x'), invalid('conditions.0.operator')],
    ['with 101 exceptions', { except_user_ids: Array(101).fill('zoe') }, invalid('except_user_ids')],
    ['with enabled as text', { enabled: 'true' }, invalid('enabled')],
    ['with a reserved id', { id: 'batch' }, invalid('id')],

    [
      'of an unknown attribute',
      on('ATTRIBUTE:shoe_size', 'IS_SET'),
      [400, 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'conditions.0.field'],
    ],
    ['of no role', { role_id: 'nothing' }, [400, 'ROLE_DOES_NOT_EXIST', 'role_id']],
    ['of a channel role', { role_id: 'channel-member' }, [400, 'ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id']],
    ['except nobody known', { except_user_ids: ['zoe', 'nobody'] }, [400, 'UNKNOWN_USER_ID', 'except_user_ids.1']],
    ['of no group', { user_group_id: 'nothing' }, [400, 'UNKNOWN_USER_GROUP_ID', 'user_group_id']],
    [
      'on no group',
      on('PRIMARY_USER_GROUP', 'EQUALS', 'crew', 'nothing'),
      [400, 'UNKNOWN_USER_GROUP_ID', 'conditions.0.values.1'],
    ],
    ['of the root', { user_group_id: 'root' }, [400, 'INVALID_USER_GROUP', 'user_group_id']],
    ['of all users', { user_group_id: 'all-users' }, [400, 'INVALID_USER_GROUP', 'user_group_id']],
    ['of a role that is not handed out', { role_id: 'reserved' }, [403, 'ROLE_NOT_ASSIGNABLE', 'role_id']],
    ['of an archived group', { user_group_id: 'shut' }, [409, 'USER_GROUP_ARCHIVED', 'user_group_id']],
    [
      'of an archived group, disabled',
      { user_group_id: 'shut', enabled: false },
      [409, 'USER_GROUP_ARCHIVED', 'user_group_id'],
    ],
    ['of an id in use', { id: 'taken' }, [409, 'DUPLICATE_ID', 'id']],

    // Several faults: the code of the earlier check.
    [
      'of a role not handed out, in an archived group',
      { role_id: 'reserved', user_group_id: 'shut' },
      [403, 'ROLE_NOT_ASSIGNABLE', 'role_id'],
    ],
    [
      'of an archived group, and an id in use',
      { user_group_id: 'shut', id: 'taken' },
      [409, 'USER_GROUP_ARCHIVED', 'user_group_id'],
    ],
    [
      'of no group and no role',
      { user_group_id: 'nothing', role_id: 'nothing' },
      [400, 'ROLE_DOES_NOT_EXIST', 'role_id'],
    ],
    [
      'of no group, with a blank title',
      { user_group_id: 'nothing', title: '' },
      [400, 'UNKNOWN_USER_GROUP_ID', 'user_group_id'],
    ],
    ['of a role not handed out, with a blank title', { role_id: 'reserved', title: '' }, invalid('title')],
  ]
  it.each(rows)('%s is refused', async (_what, parts, refusal) => {
    expect(coded(await create(parts))).toEqual(refusal)
  })

  it('tells all faults at once', async () => {
    const conditions = [
      condition('ATTRIBUTE:shoe_size', 'EQUALS'),
      condition('ROLE', 'CONTAINS', 'BOSS'),
      condition('PRIMARY_USER_GROUP', 'EQUALS', 'nothing'),
    ]
    const { body } = await create({
      title: '',
      conditions,
      except_user_ids: ['nobody'],
      role_id: 'nothing',
      user_group_id: 'root',
    })
    expect([body.error_code, body.property]).toEqual([
      'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
      'conditions.0.field',
    ])
    expect(body.errors.map(({ property }: Any) => property).sort()).toEqual([
      'conditions.0.field',
      'conditions.0.values',
      'conditions.1.operator',
      'conditions.1.values.0',
      'conditions.2.values.0',
      'except_user_ids.0',
      'role_id',
      'title',
      'user_group_id',
    ])
  })

  it.each([
    ['a title of 120 characters', { title: '😀'.repeat(120) }],
    ['10 conditions', { conditions: Array(10).fill(condition('TAG', 'IS_SET')) }],
    ['100 values', on('TAG', 'EQUALS', ...many(100))],
    ['a value of 255 characters', on('ATTRIBUTE:department', 'CONTAINS', '🚀'.repeat(255))],
    ['100 exceptions, of few users', { except_user_ids: Array(100).fill('zoe') }],
    ['a role', on('ROLE', 'NOT_EQUALS', 'ADMIN', 'USER')],
    ['a host with accents', on('EMAIL_DOMAIN', 'EQUALS', 'münchen.example')],
    ['the beginning of a username', on('USERNAME', 'STARTS_WITH', 'ext.')],
    ['no external id', on('EXTERNAL_ID', 'IS_NOT_SET')],
    ['the group of all users as primary group', on('PRIMARY_USER_GROUP', 'EQUALS', 'all-users')],
    ['a group that is archived as primary group', on('PRIMARY_USER_GROUP', 'EQUALS', 'shut')],
  ])('with %s is fine', async (_what, parts) => {
    const { status, body } = await create({ user_group_id: 'other', enabled: false, ...parts })
    expect([status, body.error_code]).toEqual([201, undefined])
    expect((await remove(body.id)).status).toBe(204)
  })
})

describe('limits', () => {
  const limited = [409, 'RULES_LIMIT_EXCEEDED', undefined]

  it('are 20 rules for one user group', async () => {
    const made = await Promise.all(
      Array.from({ length: ruleLimits.rulesOfGroup }, () => newRule({ user_group_id: 'packed' })),
    )
    expect(coded(await create({ user_group_id: 'packed', role_id: 'group-member' }))).toEqual(limited)
    expect(coded(await create({ user_group_id: 'packed', id: 'taken' })), 'before an id in use').toEqual(limited)
    await Promise.all(made.map(remove))
    expect((await create({ user_group_id: 'packed', id: 'again', enabled: false })).status).toBe(201)
    expect((await remove('again')).status).toBe(204)
  })

  it('are 16 kB for one rule, also by a patch', async () => {
    const values = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(250, 'x'))
    const conditions = [condition('TAG', 'EQUALS', ...values)]
    expect(coded(await create({ conditions }))).toEqual(limited)
    const id = await newRule({ user_group_id: 'other' })
    expect(coded(await patch(id, { conditions }))).toEqual(limited)
    const fitting = [condition('TAG', 'EQUALS', ...values.slice(0, 60))]
    expect((await patch(id, { conditions: fitting })).status).toBe(200)
    expect((await remove(id)).status).toBe(204)
  })
})

describe('changing a rule', () => {
  let id: string
  beforeAll(async () => {
    id = await newRule({ except_user_ids: ['zoe'] })
  })

  it('changes what the patch says, and its times', async () => {
    const { body: before } = await read(id)
    tick()
    const conditions = [condition('TAG', 'EQUALS', 'still nobody'), condition('ROLE', 'EQUALS', 'ADMIN')]
    const { status, body: after } = await call('updateRule', {
      path: { rule_id: id },
      body: { title: ' Other ', match: 'ALL', conditions },
      as: 'admin-2',
    })
    const now = service.now().toISOString()
    const expected = { ...before, title: 'Other', conditions, updated_at: now, updated_by: 'admin-2' }
    expect([status, after]).toEqual([200, { ...expected, state: after.state, progress: after.progress }])
  })

  it('brings defaults back by null', async () => {
    const { body } = await patch(id, { match: 'ANY' })
    expect(body.match).toBe('ANY')
    const { body: after } = await patch(id, { match: null, except_user_ids: null, enabled: null })
    expect([after.match, after.except_user_ids, after.enabled]).toEqual(['ALL', [], true])
  })

  it('takes the record as it was read, and then changes nothing', async () => {
    const { body: before } = await read(id)
    tick()
    const { status, body: after } = await patch(id, before)
    expect([status, after.updated_at, after.updated_by]).toEqual([200, before.updated_at, before.updated_by])
    const own = { user_group_id: 'crew', role_id: 'coach', conditions: before.conditions }
    expect((await patch(id, own)).body.updated_at).toBe(before.updated_at)
  })

  const invalid = (property: string) => [400, 'VALIDATION_ERROR', property]
  it.each<[string, object, unknown[]]>([
    ['the group', { user_group_id: 'other' }, invalid('user_group_id')],
    ['to a group that there is not', { user_group_id: 'nothing' }, invalid('user_group_id')],
    ['the role', { role_id: 'group-member' }, invalid('role_id')],
    ['the group of the record', { user_group: { id: 'other' } }, invalid('user_group')],
    ['the role of the record', { role: { id: 'group-member' } }, invalid('role')],
    ['the group to null', { user_group_id: null }, invalid('user_group_id')],
    ['the title to null', { title: null }, invalid('title')],
    ['the conditions to null', { conditions: null }, invalid('conditions')],
    ['the conditions to none', { conditions: [] }, invalid('conditions')],
    ['a part of a condition', { conditions: [{ values: ['x'] }] }, invalid('conditions.0.field')],
    [
      'to an unknown attribute',
      on('ATTRIBUTE:x', 'IS_SET'),
      [400, 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'conditions.0.field'],
    ],
    ['to an unknown user', { except_user_ids: ['nobody'] }, [400, 'UNKNOWN_USER_ID', 'except_user_ids.0']],
    [
      'to an unknown group',
      on('PRIMARY_USER_GROUP', 'EQUALS', 'x'),
      [400, 'UNKNOWN_USER_GROUP_ID', 'conditions.0.values.0'],
    ],
  ])('does not change %s', async (_what, body, refusal) => {
    const { body: before } = await read(id)
    expect(coded(await patch(id, body))).toEqual(refusal)
    expect((await read(id)).body.updated_at).toBe(before.updated_at)
  })

  it('looks at the body first, then at the path', async () => {
    expect(coded(await patch('nothing', {}))).toEqual([404, 'RULE_NOT_FOUND', 'rule_id'])
    expect(coded(await patch('nothing', { except_user_ids: ['nobody'] }))[1]).toBe('UNKNOWN_USER_ID')
    expect(coded(await patch('nothing', { title: '' }))[1]).toBe('VALIDATION_ERROR')
  })

  it('in an archived group is fine, but for enabling', async () => {
    expect(coded(await patch('asleep', { enabled: true }))).toEqual([409, 'USER_GROUP_ARCHIVED', 'user_group_id'])
    const { status, body } = await patch('asleep', { title: 'Still asleep' })
    expect([status, body.enabled, body.user_group.status]).toEqual([200, false, 'ARCHIVED'])
  })

  it('is judged by who may give the role now, but for disabling', async () => {
    await made('createRole', { id: 'once', title, scope: 'USER_GROUPS' })
    const rule = await newRule({ role_id: 'once' })
    await call('updateRole', { path: { role_id: 'once' }, body: { assignable: false } })
    expect(coded(await patch(rule, { title: 'Other' }))).toEqual([403, 'ROLE_NOT_ASSIGNABLE', 'role_id'])
    expect(coded(await patch(rule, { title: 'Other', enabled: false }))).toEqual([
      403,
      'ROLE_NOT_ASSIGNABLE',
      'role_id',
    ])
    expect((await patch(rule, {})).status, 'nothing changes').toBe(200)
    expect((await patch(rule, { enabled: false })).body.enabled).toBe(false)
    expect(coded(await patch(rule, { enabled: true }))).toEqual([403, 'ROLE_NOT_ASSIGNABLE', 'role_id'])
    expect((await call('deleteRole', { path: { role_id: 'once' } })).body.error_code).toBe('ROLE_IN_USE')
    expect((await remove(rule)).status).toBe(204)
    expect((await call('deleteRole', { path: { role_id: 'once' } })).status).toBe(204)
  })

  it('keeps conditions that name a group that has been deleted since', async () => {
    await made('createGroup', { id: 'brief', title, parent_id: 'root' })
    const rule = await newRule(on('PRIMARY_USER_GROUP', 'EQUALS', 'brief'))
    await call('archiveGroup', { path: { group_id: 'brief' } })
    expect((await call('deleteGroup', { path: { group_id: 'brief' } })).status).toBe(204)
    const { body } = await read(rule)
    expect((await patch(rule, { ...body, title: 'Brief' })).body).toMatchObject({
      title: 'Brief',
      conditions: body.conditions,
    })
    const wider = { conditions: [...body.conditions, condition('TAG', 'IS_SET')] }
    expect(coded(await patch(rule, wider))).toEqual([400, 'UNKNOWN_USER_GROUP_ID', 'conditions.0.values.0'])
    await remove(rule)
  })
})

it('an attribute definition that a rule names is in use', async () => {
  await made('createAttributeDefinition', { technical_name: 'shift', title, attribute_type: 'TEXT' })
  const rule = await newRule({ ...on('ATTRIBUTE:shift', 'IS_SET'), enabled: false })
  const deletion = () => call('deleteAttributeDefinition', { path: { definition_id: 'shift' } })
  expect(coded(await deletion())).toEqual([409, 'ATTRIBUTE_DEFINITION_IN_USE', 'definition_id'])
  const other = { path: { definition_id: 'shift' }, body: { attribute_type: 'DATE' } }
  expect((await call('updateAttributeDefinition', other)).body.error_code).toBe('ATTRIBUTE_DEFINITION_IN_USE')
  expect((await patch(rule, on('TAG', 'EQUALS', 'nobody has it'))).status).toBe(200)
  expect((await deletion()).status).toBe(204)
  await remove(rule)
})

it('a rule that is deleted is gone, and its id is free', async () => {
  const id = await newRule()
  expect((await remove(id)).status).toBe(204)
  for (const reply of [await read(id), await patch(id, { title: 'x' }), await remove(id)])
    expect(coded(reply)).toEqual([404, 'RULE_NOT_FOUND', 'rule_id'])
  expect((await create({ id, enabled: false })).status).toBe(201)
})

describe('listing rules', () => {
  const list = async (query: object = {}) => (await call('listRules', { query: query as never })).body
  const ids = async (query: object) => (await list(query)).rules.map(({ id }: Any) => id)
  beforeAll(async () => {
    for (const [id, text, group] of [
      ['l-1', 'éclair', 'sales'],
      ['l-2', 'Zebra', 'sales'],
      ['l-3', 'apple', 'other'],
      ['l-4', 'Éclair', 'sales'],
    ]) {
      tick()
      await made('createRule', { ...given, id, title: text, user_group_id: group, enabled: id !== 'l-2' })
    }
  })

  it('sorts by title without regard to case and accents, or by time', async () => {
    expect(await ids({ user_group_id: 'sales,other' })).toEqual(['l-3', 'l-1', 'l-4', 'l-2'])
    expect(await ids({ user_group_id: 'sales', sort: 'TITLE_DESC' })).toEqual(['l-2', 'l-4', 'l-1'])
    expect(await ids({ user_group_id: 'sales', sort: 'CREATED_AT_DESC' })).toEqual(['l-4', 'l-2', 'l-1'])
    expect(await ids({ user_group_id: 'sales', sort: 'TITLE_ASC,CREATED_AT_DESC' })).toEqual(['l-4', 'l-1', 'l-2'])
  })

  it('filters by group and by whether they are enabled', async () => {
    expect(await ids({ user_group_id: 'sales', enabled: 'true' })).toEqual(['l-1', 'l-4'])
    expect(await ids({ user_group_id: 'sales', enabled: 'false' })).toEqual(['l-2'])
    expect(await ids({ user_group_id: 'nothing' })).toEqual([])
    const everything = await list({ page_limit: 100 })
    expect(everything.pagination.total_elements).toBe(everything.rules.length)
    const one = everything.rules.find(({ id }: Any) => id === 'l-1')
    expect(one).toEqual((await read('l-1')).body)
  })

  it('refuses what is no boolean, field or sort', async () => {
    for (const query of ['enabled=yes', 'enabled=1', 'enabled=true&enabled=false', 'sort=UPDATED_AT_ASC']) {
      const reply = await call('listRules', { query })
      expect([query, ...coded(reply)]).toEqual([query, 400, 'VALIDATION_ERROR', query.split('=')[0]])
    }
  })

  it('walks all of them by cursor', async () => {
    const all = (await list({ page_limit: 100 })).rules.map(({ id }: Any) => id)
    const walked = await walkByCursor('listRules', {}, [2, 3])
    expect(walked.map(({ id }: Any) => id)).toEqual(all)
  })
})

describe('a preview', () => {
  const preview = (body: object): Promise<Reply> => call('previewRule', { body })
  beforeAll(async () => {
    const attributes = (value: string) => [{ name: 'department', value }]
    for (const [id, department, status] of [
      ['p-1', 'Plumbing', 'ACTIVE'],
      ['p-2', 'PLUMBING', 'LOCKED'],
      ['p-3', 'Plumbing ', 'DEACTIVATED'],
      ['p-4', 'plumbing', 'ACTIVE'],
    ])
      await made(
        'createUser',
        user(String(id), { last_name: `Plumb ${id}`, attributes: attributes(String(department)), status }),
      )
    await call('deleteUser', { path: { user_id: 'p-4' } })
    const body = { user_id: 'p-1', role_id: 'group-owner' }
    expect((await call('createGroupAssignment', { path: { group_id: 'other' }, body })).status).toBe(201)
  })
  const plumbers = on('ATTRIBUTE:department', 'EQUALS', 'plumbing')

  it('shows who would match, and writes nothing', async () => {
    const { status, body } = await preview(plumbers)
    expect([status, body.total, body.looked_at === body.of]).toEqual([200, 2, true])
    expect(body.users.map(({ id }: Any) => id)).toEqual(['p-1', 'p-2'])
    expect(Object.keys(body)).not.toContain('gaining')
    expect((await preview({ ...plumbers, except_user_ids: ['p-1'] })).body.total).toBe(1)
    const any = [condition('ATTRIBUTE:department', 'EQUALS', 'plumbing'), condition('USERNAME', 'STARTS_WITH', 'p-')]
    expect((await preview({ match: 'ANY', conditions: any })).body.total).toBe(3)
  })

  it('counts who would gain and lose the role', async () => {
    const place = { user_group_id: 'other', role_id: 'group-owner' }
    expect((await preview({ ...plumbers, ...place })).body).toMatchObject({ total: 2, gaining: 1, losing: 0 })
  })

  it.each<[string, object, unknown[]]>([
    ['a group alone', { user_group_id: 'other' }, [400, 'VALIDATION_ERROR', 'role_id']],
    ['a role alone', { role_id: 'coach', user_group_id: null }, [400, 'VALIDATION_ERROR', 'user_group_id']],
    ['no group', { user_group_id: 'nothing', role_id: 'coach' }, [400, 'UNKNOWN_USER_GROUP_ID', 'user_group_id']],
    ['the root', { user_group_id: 'root', role_id: 'coach' }, [400, 'INVALID_USER_GROUP', 'user_group_id']],
    [
      'a channel role',
      { user_group_id: 'crew', role_id: 'channel-owner' },
      [400, 'ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id'],
    ],
    ['an unknown user', { except_user_ids: ['nobody'] }, [400, 'UNKNOWN_USER_ID', 'except_user_ids.0']],
    [
      'an unknown attribute',
      on('ATTRIBUTE:x', 'IS_SET'),
      [400, 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'conditions.0.field'],
    ],
    ['an unusable operator', on('ROLE', 'IS_SET'), [400, 'VALIDATION_ERROR', 'conditions.0.operator']],
    ['a title', { title: 'x' }, [400, 'VALIDATION_ERROR', 'title']],
  ])('refuses %s', async (_what, parts, refusal) => {
    expect(coded(await preview({ ...plumbers, ...parts }))).toEqual(refusal)
  })

  it.each([{}, { title: 'x' }])('tells all faults at once, and those of the schema: %j', async (also) => {
    const { body } = await preview({ ...on('ROLE', 'IS_SET'), user_group_id: 'nothing', ...also })
    expect([body.error_code, body.property]).toEqual(['UNKNOWN_USER_GROUP_ID', 'user_group_id'])
    expect(body.errors.map(({ property }: Any) => property).sort()).toEqual(
      ['conditions.0.operator', 'role_id', ...Object.keys(also), 'user_group_id'].sort(),
    )
  })
})
