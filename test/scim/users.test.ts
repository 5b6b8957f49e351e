import { beforeAll, describe, expect, it } from 'vitest'
import { ENTERPRISE_URN, ROLLCALL_URN, USER_URN } from '../../domain/scim/schema.ts'
import { type Any, call } from '../harness/call.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { ADDRESS, expectAnswer, patchBody, scim } from './scim.ts'

// Single users by SCIM, with what directories send.

let service: Service
let last = 0
const unique = (name: string) => `${name}-${++last}`

beforeAll(async () => {
  service = await startService({
    indexes: 'all',
    users: [
      ...people,
      { id: 'robot', username: 'robot', protected: true },
      { id: 'locked', username: 'locked', status: 'LOCKED' },
    ],
  })
  for (const technical_name of ['employee_number', 'manager_id', 'phone_number'])
    await call('createAttributeDefinition', {
      body: { technical_name, title: [{ language: 'en-GB', text: technical_name }], attribute_type: 'TEXT' },
    })
})

const post = (body: object) => scim('POST', '/Users', { body: { schemas: [USER_URN], ...body } })
const get = (id: string) => scim('GET', `/Users/${id}`)
const patch = (id: string, ...operations: unknown[]) =>
  scim('PATCH', `/Users/${id}`, { body: patchBody(...operations) })
/** A new user, and what POST has answered. */
async function newUser(body: object = {}): Promise<Any> {
  const reply = await post({ userName: unique('user'), ...body })
  expectAnswer(reply, 201)
  return reply.body
}
const ours = async (id: string) => (await call('getUser', { path: { user_id: id } })).body
const eventsOf = async (id: string): Promise<Any[]> =>
  (await call('listUserEvents', { path: { user_id: id }, query: { sort: 'TIME_ASC' } })).body.events

describe('POST', () => {
  it('creates what Entra sends: empty roles, nulls, meta, active as text, a group URN', async () => {
    const userName = unique('jyoung@corp.example')
    const reply = await post({
      schemas: [USER_URN, ENTERPRISE_URN],
      externalId: 'jyoung',
      userName,
      active: 'True',
      displayName: 'Joy Young',
      emails: [{ primary: true, type: 'work', value: 'joy@corp.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Joy Young', familyName: 'Young', givenName: 'Joy' },
      roles: [],
      title: null,
      phoneNumbers: [
        { type: 'mobile', value: '+1' },
        { type: 'work', value: '+41 44' },
      ],
      addresses: [{ type: 'work', locality: 'Zug', formatted: '' }],
      [ENTERPRISE_URN]: { department: 'Sales', employeeNumber: '701984', division: 'West', manager: 'admin' },
    })
    expectAnswer(reply, 201)
    const { id } = reply.body
    expect(reply.headers['location']).toBe(`${ADDRESS}/Users/${id}`)
    expect(reply.body).toEqual({
      schemas: [USER_URN, ENTERPRISE_URN, ROLLCALL_URN],
      id,
      externalId: 'jyoung',
      userName,
      name: { formatted: 'Joy Young', givenName: 'Joy', familyName: 'Young' },
      displayName: 'Joy Young',
      active: true,
      emails: [{ value: 'joy@corp.example', type: 'work', primary: true }],
      phoneNumbers: [{ value: '+41 44', type: 'work' }],
      addresses: [{ locality: 'Zug', type: 'work' }],
      roles: [{ value: 'USER' }],
      groups: [],
      [ENTERPRISE_URN]: { department: 'Sales', employeeNumber: '701984', manager: { value: 'admin' } },
      [ROLLCALL_URN]: { primaryUserGroup: 'all-users', locked: false },
      meta: {
        resourceType: 'User',
        created: service.now().toISOString(),
        lastModified: service.now().toISOString(),
        location: `${ADDRESS}/Users/${id}`,
        version: reply.headers['etag'],
      },
    })
    expect((await get(id)).body).toEqual(reply.body)
    expect(await ours(id)).toMatchObject({ first_name: 'Joy', status: 'ACTIVE', role: 'USER', external_id: 'jyoung' })
  })

  it('creates what Okta sends: a random password, locale, empty groups; the password is nowhere', async () => {
    const user = await newUser({
      name: { givenName: 'Ada', familyName: 'Okta' },
      emails: [{ primary: true, value: 'ada@okta.example', type: 'work' }],
      password: '1mz050nq',
      locale: 'en-US',
      groups: [],
      active: true,
    })
    expect(JSON.stringify([user, await ours(user.id), await eventsOf(user.id)])).not.toContain('1mz050nq')
  })

  it('makes names where they are missing, and takes a role, tags and a primary group', async () => {
    const user = await newUser({
      displayName: 'Grace Brewster Hopper',
      roles: [{ value: 'ADMIN' }],
      active: false,
      [ROLLCALL_URN]: { note: 'custom', tags: ['a', 'b'], primaryUserGroup: 'sales', unknown: 'x' },
    })
    expect(user).toMatchObject({ name: { givenName: 'Grace', familyName: 'Brewster Hopper' }, active: false })
    expect(user[ROLLCALL_URN]).toEqual({ note: 'custom', tags: ['a', 'b'], primaryUserGroup: 'sales', locked: false })
    expect(user.groups).toEqual([
      { value: 'sales', $ref: `${ADDRESS}/Groups/sales`, display: 'Group sales', type: 'direct' },
    ])
    expect(await ours(user.id)).toMatchObject({ role: 'ADMIN', status: 'DEACTIVATED' })
  })

  it.each([
    [{ userName: '' }, 'invalidValue', /^userName must be given/],
    [{ userName: {} }, 'invalidValue', /^userName must be a text/],
    [{ active: 'perhaps' }, 'invalidValue', /^active/],
    [{ name: 'Ada' }, 'invalidValue', /^name must be an object/],
    [{ name: { givenName: 'x'.repeat(65) } }, 'invalidValue', /^name.givenName must have at most 64/],
    [{ emails: [{ value: 'nobody' }] }, 'invalidValue', /^emails.value must be an e-mail address/],
    [{ title: 'x'.repeat(256) }, 'invalidValue', /^title must have at most/],
    [{ [ROLLCALL_URN]: { joined_on: '31.1.2026' } }, 'invalidValue', /joined_on must be a date/],
    [{ [ROLLCALL_URN]: { primaryUserGroup: 'nowhere' } }, 'invalidValue', /primaryUserGroup/],
  ])('refuses %j', async (wrong, scimType, detail) => {
    const reply = await post({ userName: unique('wrong'), ...wrong })
    expectAnswer(reply, 400, scimType)
    expect(reply.body.detail).toMatch(detail)
  })

  it('of a name or external id in use is a conflict', async () => {
    const { userName, externalId } = await newUser({ externalId: unique('taken') })
    expectAnswer(await post({ userName: userName.toUpperCase() }), 409, 'uniqueness')
    expectAnswer(await post({ userName: unique('other'), externalId }), 409, 'uniqueness')
    // Input is judged first.
    expectAnswer(await post({ externalId }), 400, 'invalidValue')
  })

  it('twice at the same time: one creates, the other one is a conflict', async () => {
    const body = { userName: unique('race'), externalId: unique('race') }
    const replies = await Promise.all([post(body), post(body)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
  })
})

describe('GET', () => {
  it('shows the attributes that are asked for, or leaves some out', async () => {
    const { id } = await newUser({ title: 'Planner', emails: [{ value: 'p@corp.example' }] })
    const only = await scim('GET', `/Users/${id}`, { query: { attributes: 'userName,emails.value,urn:x,meta' } })
    expect(Object.keys(only.body).sort()).toEqual(['emails', 'id', 'meta', 'schemas', 'userName'])
    expect(only.body.emails).toEqual([{ value: 'p@corp.example' }])
    const without = await scim('GET', `/Users/${id}`, {
      query: { excludedAttributes: 'ID,groups,name.formatted,title' },
    })
    expect(without.body).toMatchObject({ id, name: { givenName: expect.any(String) } })
    const unknown = await scim('GET', `/Users/${id}`, { query: { attributes: `hat,${ROLLCALL_URN}:shoe_size` } })
    expect(Object.keys(unknown.body).sort()).toEqual(['id', 'schemas'])
    for (const gone of ['groups', 'title']) expect(without.body).not.toHaveProperty(gone)
    expect(without.body.name).not.toHaveProperty('formatted')
  })

  it('answers 304 to the version that the caller has', async () => {
    const { id, meta } = await newUser()
    expect((await scim('GET', `/Users/${id}`, { headers: { 'if-none-match': meta.version } })).status).toBe(304)
    expect((await scim('GET', `/Users/${id}`, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it.each(['nobody', 'no%20body', 'a/b', '-', 'x'.repeat(100), '%E0%A4%A'])('of %s is a 404', async (id) =>
    expectAnswer(await get(id), 404),
  )
})

describe('PATCH', () => {
  it('is one transaction with one event, whatever it changes', async () => {
    const { id, meta } = await newUser({ title: 'Planner' })
    const reply = await patch(
      id,
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Add', path: 'name.familyName', value: 'Changed' },
      { op: 'replace', value: { title: 'Driver', [`${ROLLCALL_URN}:note`]: 'new' } },
      { op: 'add', path: `${ROLLCALL_URN}:primaryUserGroup`, value: 'sales' },
    )
    expectAnswer(reply, 200)
    expect(reply.body).toMatchObject({ active: false, title: 'Driver', name: { familyName: 'Changed' } })
    expect(reply.body.groups).toMatchObject([{ value: 'sales' }])
    expect(reply.body.meta.version).not.toBe(meta.version)
    expect((await get(id)).body).toEqual(reply.body)
    const [, event, ...more] = await eventsOf(id)
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'user.deactivated', actor: { id: 'admin', operation: 'scimUsers' } })
    expect(event.changes.map(({ field }: Any) => field).sort()).toEqual([
      'attributes',
      'last_name',
      'primary_user_group_id',
      'status',
    ])
  })

  it('active: true wakes a deactivated user, and leaves a locked one locked', async () => {
    const { id } = await newUser({ active: false })
    expect((await patch(id, { op: 'replace', value: { active: true } })).body.active).toBe(true)
    const locked = await patch('locked', { op: 'replace', path: 'active', value: 'true' })
    expect(locked.body).toMatchObject({ active: true, [ROLLCALL_URN]: { locked: true } })
    expect(await ours('locked')).toMatchObject({ status: 'LOCKED' })
  })

  it('deactivates whatever the feature user_deactivation says', async () => {
    const { id } = await newUser()
    await call('updateOrganisationSettings', { body: { features: { user_deactivation: false } } })
    expect((await patch(id, { op: 'replace', path: 'active', value: false })).body.active).toBe(false)
    await call('updateOrganisationSettings', { body: { features: { user_deactivation: true } } })
  })

  it('that changes nothing succeeds and has no event', async () => {
    const { id, meta } = await newUser({ title: 'Planner' })
    const reply = await patch(
      id,
      { op: 'replace', path: 'title', value: 'Planner' },
      { op: 'add', path: 'nickName', value: 'P' },
    )
    expect(reply.body.meta).toEqual(meta)
    expect(await eventsOf(id)).toHaveLength(1)
  })

  it.each([
    [{ op: 'add', path: 'shoeSize', value: 1 }, 'invalidPath'],
    [{ op: 'add', path: 'emails[', value: 1 }, 'invalidPath'],
    [{ op: 'add', path: `${ROLLCALL_URN}:hat_size`, value: 1 }, 'invalidPath'],
    [{ op: 'remove', path: 'userName' }, 'mutability'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[type co "x"].value', value: 'a@b.example' }, 'noTarget'],
    [{ op: 'shuffle', path: 'title' }, 'invalidSyntax'],
    [{ op: 'replace', path: 'userName', value: '\u0007' }, 'invalidValue'],
  ])('refuses %j and changes nothing', async (wrong, scimType) => {
    const { id, meta } = await newUser()
    expectAnswer(await patch(id, { op: 'add', path: 'title', value: 'x' }, wrong), 400, scimType)
    expect((await get(id)).body.meta).toEqual(meta)
  })

  it('to a name in use is a conflict; two at the same time both count', async () => {
    const [a, b] = [await newUser(), await newUser()]
    expectAnswer(await patch(a.id, { op: 'replace', path: 'userName', value: b.userName }), 409, 'uniqueness')
    await Promise.all([
      patch(a.id, { op: 'replace', path: 'title', value: 'Both' }),
      patch(a.id, { op: 'replace', path: `${ENTERPRISE_URN}:department`, value: 'Both' }),
    ])
    expect((await get(a.id)).body).toMatchObject({ title: 'Both', [ENTERPRISE_URN]: { department: 'Both' } })
  })
})

describe('PUT', () => {
  it('clears what is not sent, but not names, roles, external id and our extension', async () => {
    const user = await newUser({
      externalId: unique('put'),
      name: { givenName: 'Pat', familyName: 'Put' },
      title: 'Planner',
      emails: [{ value: 'p@corp.example' }],
      [ROLLCALL_URN]: { note: 'kept', tags: ['kept'] },
      active: false,
    })
    const reply = await scim('PUT', `/Users/${user.id}`, { body: { userName: user.userName } })
    expectAnswer(reply, 200)
    const { title: _title, emails: _emails, ...rest } = user
    expect(reply.body).toEqual({ ...rest, meta: { ...rest.meta, version: reply.headers['etag'] } })
  })

  it('of what GET answers changes nothing', async () => {
    const { id } = await newUser({ title: 'Planner', [ENTERPRISE_URN]: { manager: 'admin' } })
    const { body } = await get(id)
    expect((await scim('PUT', `/Users/${id}`, { body })).body).toEqual(body)
    expect(await eventsOf(id)).toHaveLength(1)
  })
})

describe('a version', () => {
  it('that is old stops PUT, PATCH and DELETE', async () => {
    const { id, meta } = await newUser()
    await patch(id, { op: 'add', path: 'title', value: 'x' })
    const headers = { 'if-match': meta.version }
    expectAnswer(await scim('PUT', `/Users/${id}`, { body: { userName: 'new' }, headers }), 412)
    expectAnswer(
      await scim('PATCH', `/Users/${id}`, { body: patchBody({ op: 'remove', path: 'title' }), headers }),
      412,
    )
    expectAnswer(await scim('DELETE', `/Users/${id}`, { headers }), 412)
    const current = (await get(id)).headers['etag'] ?? ''
    expectAnswer(await scim('DELETE', `/Users/${id}`, { headers: { 'if-match': current } }), 204)
  })
})

describe('DELETE and coming back', () => {
  it('deletes for 14 days: from then on the user is a 404 and in no list', async () => {
    const { id, userName } = await newUser()
    expectAnswer(await scim('DELETE', `/Users/${id}`), 204)
    for (const reply of [
      await get(id),
      await scim('DELETE', `/Users/${id}`),
      await patch(id, { op: 'remove', path: 'title' }),
    ])
      expectAnswer(reply, 404)
    expect(await ours(id)).toMatchObject({ status: 'PENDING_DELETION' })
    const found = await scim('GET', '/Users', { query: { filter: `userName eq "${userName}"` } })
    expect(found.body).toMatchObject({ totalResults: 0, Resources: [] })
  })

  it('by externalId: the same id, groups and roles, the changes of the body, in one event', async () => {
    const externalId = unique('back')
    const user = await newUser({ externalId, title: 'Planner', [ENTERPRISE_URN]: { department: 'Sales' } })
    await call('createGroupAssignment', { path: { group_id: 'sales' }, body: { user_id: user.id, role_id: 'coach' } })
    await scim('DELETE', `/Users/${user.id}`)
    const userName = unique('renamed')
    const reply = await post({ userName, externalId, active: true, title: 'Driver', name: { familyName: 'Back' } })
    expectAnswer(reply, 201)
    expect(reply.body).toMatchObject({
      id: user.id,
      userName,
      title: 'Driver',
      active: true,
      name: { familyName: 'Back' },
      [ENTERPRISE_URN]: { department: 'Sales' },
    })
    expect(await ours(user.id)).toMatchObject({ status: 'ACTIVE', username: userName, last_name: 'Back' })
    expect((await eventsOf(user.id)).at(-1)).toMatchObject({ type: 'user.restored' })
    const roles = await call('listGroupAssignments', { path: { group_id: 'sales' } })
    expect(roles.body.assignments.map(({ id }: Any) => id.user_id)).toContain(user.id)
    // The old name is free, the new one is taken.
    expectAnswer(await post({ userName: user.userName }), 201)
    expectAnswer(await post({ userName }), 409, 'uniqueness')
  })

  it('by userName where one side has no externalId; a lock stays, and so does active: false', async () => {
    const user = await newUser()
    await call('lockUser', { path: { user_id: user.id } })
    await scim('DELETE', `/Users/${user.id}`)
    const externalId = unique('late')
    expect((await post({ userName: user.userName, externalId, active: true })).body).toMatchObject({
      id: user.id,
      externalId,
    })
    expect(await ours(user.id)).toMatchObject({ status: 'LOCKED' })
    await scim('DELETE', `/Users/${user.id}`)
    expect((await post({ userName: user.userName, active: 'false' })).body).toMatchObject({
      id: user.id,
      active: false,
    })
  })

  it('is a conflict that names the deadline where it is not clear who is meant', async () => {
    const [a, b] = [await newUser({ externalId: unique('a') }), await newUser({ externalId: unique('b') })]
    for (const { id } of [a, b]) await scim('DELETE', `/Users/${id}`)
    const { deletion_at } = await ours(a.id)
    const others = [
      { userName: a.userName, externalId: unique('c') },
      { userName: a.userName, externalId: b.externalId },
    ]
    for (const body of others) {
      const reply = await post(body)
      expectAnswer(reply, 409, 'uniqueness')
      expect(reply.body.detail).toContain(deletion_at)
    }
  })

  it('is a conflict when somebody else has taken the name meanwhile', async () => {
    const user = await newUser({ externalId: unique('gone') })
    await scim('DELETE', `/Users/${user.id}`)
    const userName = unique('wanted')
    const other = { as: 'admin-2', body: { userName } }
    const replies = await meanwhile(
      service,
      () => scim('POST', '/Users', other),
      () => post({ userName, externalId: user.externalId }),
    )
    expectAnswer(replies as Any, 409, 'uniqueness')
  })

  it('from the deadline on is a new person', async () => {
    const user = await newUser({ externalId: unique('purged') })
    await scim('DELETE', `/Users/${user.id}`)
    const before = service.now()
    service.setNow((await ours(user.id)).deletion_at)
    const reply = await post({ userName: user.userName, externalId: user.externalId })
    service.setNow(before)
    expectAnswer(reply, 201)
    expect(reply.body.id).not.toBe(user.id)
  })
})

describe('rights are those of the other endpoints:', () => {
  it('without a token, as a user, as somebody locked', async () => {
    const none = await scim('GET', '/Users', { token: null })
    expectAnswer(none, 401)
    expect(none.headers['www-authenticate']).toMatch(/^Bearer/)
    expectAnswer(await scim('GET', '/Users', { as: 'plain' }), 403)
    const malformed = { headers: { 'if-match': 'x' }, body: {} }
    expectAnswer(await scim('PUT', '/Users/plain', { as: 'plain', ...malformed }), 403)
    expectAnswer(await scim('PUT', '/Users/plain', malformed), 400, 'invalidSyntax')
    expectAnswer(await scim('POST', '/Users', { as: 'plain', rawBody: '{' }), 403)
    expectAnswer(await scim('GET', '/Users', { as: 'locked' }), 401)
  })

  it('protected users, oneself and the last administrator', async () => {
    expectAnswer(await patch('robot', { op: 'replace', path: 'title', value: 'x' }), 403)
    expectAnswer(await scim('DELETE', '/Users/robot'), 403)
    expectAnswer(await patch('admin', { op: 'replace', path: 'active', value: false }), 403)
    expectAnswer(await scim('DELETE', '/Users/admin'), 403)
  })

  it('bodies: broken JSON, another type, too large', async () => {
    expectAnswer(await scim('POST', '/Users', { rawBody: '{"userName":' }), 400, 'invalidSyntax')
    expectAnswer(await scim('POST', '/Users', { rawBody: '[]' }), 400, 'invalidSyntax')
    expectAnswer(await scim('POST', '/Users', { rawBody: '{}', headers: { 'content-type': 'text/xml' } }), 415)
    expectAnswer(await scim('POST', '/Users', { rawBody: ' '.repeat(4 * 1024 * 1024 + 1) }), 413)
    const deep = `{"userName":"deep","nickName":${'['.repeat(9000)}${']'.repeat(9000)}}`
    expectAnswer(await scim('POST', '/Users', { rawBody: deep }), 400, 'invalidSyntax')
    expectAnswer(await scim('PATCH', '/Users/admin', { rawBody: deep }), 400, 'invalidSyntax')
  })

  it('paths and methods: what is refused says what is taken', async () => {
    for (const [method, path, allowed] of [
      ['PUT', '/Users', 'GET, HEAD, POST'],
      ['GET', '/Users/.search', 'POST'],
      ['POST', '/Users/admin', 'GET, HEAD, PUT, PATCH, DELETE'],
      ['POST', '/Schemas', 'GET, HEAD'],
    ] as const) {
      const reply = await scim(method, path, { rawBody: '{' })
      expectAnswer(reply, 405)
      expect(reply.headers['allow']).toBe(allowed)
    }
    expectAnswer(await scim('GET', '/Users/admin/'), 200)
    expectAnswer(await scim('GET', '/Users/'), 200)
    expectAnswer(await scim('GET', '/Users/admin/groups'), 404)
    expectAnswer(await scim('GET', '/Users/scim/v2/Users/admin'), 404)
  })

  it('parameters that are not known are named', async () => {
    const { status, headers } = await scim('GET', '/Users', { query: { count: 1, StartIndex: 1, filters: 'x' } })
    expect([status, headers['x-ignored-parameters']]).toEqual([200, 'filters'])
    const known = await scim('GET', '/Users/admin', { query: { attributes: 'userName' } })
    expect(known.headers).not.toHaveProperty('x-ignored-parameters')
    expect((await scim('GET', '/Users/nobody', { query: { x: 1 } })).headers['x-ignored-parameters']).toBe('x')
  })
})
