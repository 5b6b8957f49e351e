import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../schemas/errors.ts'
import { clientExamples } from '../client/examples.ts'
import { lostAnswers } from '../client/lostAnswers.ts'
import { tour } from '../client/tour.ts'
import type { Any } from '../harness/call.ts'
import { attributeDefinitions } from './attributes.ts'
import { browserTests } from './browser.ts'
import { channels as channelTests } from './channels.ts'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import { groups as groupTests } from './groups.ts'
import { largeAnswers } from './largeAnswers.ts'
import { roles } from './roles.ts'
import { type Running, startHttp } from './service.ts'
import { settings } from './settings.ts'
import { tasks } from './tasks.ts'

// The service takes seconds to start, so all that is tested over HTTP shares one. Each feature leaves its directory as it
// was, except for what no other one looks at.

let service: Running
const CORS_ORIGINS = 'https://app.example.org, http://app.example.org:8080'
beforeAll(async () => {
  process.env['CORS_ORIGINS'] = CORS_ORIGINS
  service = await startHttp()
})
afterAll(async () => {
  delete process.env['CORS_ORIGINS']
  await service?.stop()
})
const running = () => service

tour(running)
clientExamples(running)
browserTests(running, 'http://app.example.org:8080')

const users = '/api/admin/users/v4/users'
const groups = '/api/admin/users/v4/user-groups'
const channels = '/api/admin/channels/v4/channels'
const ask = (...request: Parameters<Running['request']>) => service.request(...request)
const ann = { first_name: 'Ann', last_name: 'Müller', username: 'ann', role: 'USER', status: 'ACTIVE' }
const attributes = (name: string, value: string) => ({ attributes: [{ name, value }] })

const assign = (user_id: string, role_id: string) => ({ body: { user_id, role_id } })
const rows: ErrorRow[] = [
  ['UNAUTHENTICATED', 'GET', users, { token: null }],
  ['UNAUTHENTICATED', 'GET', users, { token: 'a.b.c' }],
  ['PERMISSION_MISSING', 'GET', users, { as: 'plain' }],
  ['NOT_FOUND', 'GET', '/nowhere', { token: null }],
  ['METHOD_NOT_ALLOWED', 'PUT', users, { token: null }],
  ['VALIDATION_ERROR', 'GET', `${users}?page_limit=101`],
  ['VALIDATION_ERROR', 'POST', users, { body: ann, headers: { 'if-match': '*' } }],
  ['PRECONDITION_FAILED', 'POST', `${users}/plain/lock`, { headers: { 'if-match': '"x"' } }],
  ['VALIDATION_ERROR', 'POST', users, { raw: '{"first', headers: { 'content-type': 'application/json' } }],
  ['VALIDATION_ERROR', 'POST', users],
  ['VALIDATION_ERROR', 'PATCH', `${users}/batch`, { body: { items: [] } }],
  ['VALIDATION_ERROR', 'GET', `${users}/batch`],
  ['UNSUPPORTED_MEDIA_TYPE', 'POST', users, { raw: 'a=b', headers: { 'content-type': 'text/plain' } }],
  ['PAYLOAD_TOO_LARGE', 'POST', users, { body: { ...ann, first_name: 'x'.repeat(1_048_577) } }],
  ['MAX_LENGTH_EXCEEDED', 'PATCH', `${users}/plain`, { body: { first_name: 'x'.repeat(65) } }],
  ['INVALID_DATE_ATTRIBUTE_FORMAT', 'POST', users, { body: { ...ann, ...attributes('joined_on', '2025-02-29') } }],
  ['NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'POST', users, { body: { ...ann, ...attributes('shoe', '43') } }],
  ['LANGUAGE_NOT_ENABLED', 'POST', users, { body: { ...ann, preferred_language: 'fr' } }],
  ['USER_CREATION_WITH_PENDING_DELETION_NOT_ALLOWED', 'POST', users, { body: { ...ann, status: 'PENDING_DELETION' } }],
  ['UNKNOWN_USER_GROUP_ID', 'POST', users, { body: { ...ann, primary_user_group_id: 'archived' } }],
  ['USER_NOT_FOUND', 'GET', `${users}/gone`],
  ['USER_ID_ALREADY_EXISTS', 'POST', users, { body: { ...ann, id: 'plain' } }],
  ['USERNAME_ALREADY_EXISTS', 'POST', users, { body: { ...ann, username: 'LEAVING' } }],
  ['EXTERNAL_ID_ALREADY_EXISTS', 'POST', users, { body: { ...ann, external_id: 'e-1' } }],
  ['USER_NOT_RESTORABLE', 'POST', `${users}/gone/restore`],
  ['USER_NOT_RESTORABLE', 'POST', `${users}/plain/restore`],
  ['ACTOR_MUST_NOT_CHANGE_ITSELF', 'DELETE', `${users}/admin`],
  ['USER_MODIFICATION_NOT_ALLOWED', 'POST', `${users}/robot/lock`],
  ['USER_MODIFICATION_NOT_ALLOWED', 'PATCH', `${users}/leaving`, { body: { first_name: 'X' } }],
  ['USER_GROUP_NOT_FOUND', 'GET', `${groups}/nowhere/assignments`],
  ['USER_GROUP_ARCHIVED', 'POST', `${groups}/archived/assignments`, assign('plain', 'coach')],
  ['UNKNOWN_USER_ID', 'POST', `${groups}/sales/assignments`, assign('gone', 'coach')],
  ['USER_NOT_ASSIGNABLE', 'POST', `${groups}/sales/assignments`, assign('locked', 'coach')],
  ['ROLE_DOES_NOT_EXIST', 'POST', `${groups}/sales/assignments`, assign('plain', 'clown')],
  ['ROLE_HAS_WRONG_PERMISSION_SCOPE', 'POST', `${groups}/sales/assignments`, assign('plain', 'channel-owner')],
  ['ROLE_NOT_ASSIGNABLE', 'POST', `${groups}/sales/assignments`, assign('plain', 'reserved')],
  ['USER_GROUP_ASSIGNMENT_ALREADY_EXISTS', 'POST', `${groups}/all-users/assignments`, assign('plain', 'group-member')],
  ['USER_GROUP_ASSIGNMENT_NOT_FOUND', 'GET', `${groups}/sales/assignments/plain/coach`],
  ['DERIVED_ASSIGNMENT_DELETION_FORBIDDEN', 'DELETE', `${groups}/all-users/assignments/plain/group-member`],
  ['NOT_FOUND', 'DELETE', `${groups}/all-users/assignments/plain`],
  ['CHANNEL_NOT_FOUND', 'GET', `${channels}/nowhere/assignments/users`],
  [
    'CHANNEL_ARCHIVED',
    'POST',
    `${channels}/closed/assignments/users/plain/roles`,
    { body: { role_id: 'channel-owner' } },
  ],
  [
    'USER_NOT_ASSIGNABLE',
    'POST',
    `${channels}/news/assignments/users/idle/roles`,
    { body: { role_id: 'channel-owner' } },
  ],
  ['ROLE_NOT_FOUND', 'POST', `${channels}/news/assignments/users/plain/roles`, { body: { role_id: 'clown' } }],
  ['ROLE_NOT_ASSIGNABLE', 'POST', `${channels}/news/assignments/users/plain/roles`, { body: { role_id: 'coach' } }],
  ['CHANNEL_USER_ASSIGNMENT_NOT_FOUND', 'GET', `${channels}/news/assignments/users/plain/roles/channel-owner`],
  ['ROLE_ASSIGNMENT_NOT_DELETABLE', 'DELETE', `${channels}/news/assignments/users/plain/roles/channel-member`],
  ['ROLE_NOT_DELETABLE', 'DELETE', `${channels}/news/assignments/users/admin-2/roles/channel-owner`],
]

describe('a directory', () => {
  const ids = Array.from({ length: 100 }, (_, n) => `batch-${n}`)
  const many = ids.map((id) => ({ id, username: id }))
  beforeAll(() => service.fill({ extras: 44, users: many }))

  describe('the main job', () => {
    it('is done with nothing but HTTP', async () => {
      const id = 'main-job'
      const body = { ...ann, id, username: 'Main.Job', ...attributes('department', 'Forschung') }
      const created = await ask('POST', users, { body })
      expect(created.status).toBe(201)
      expect((await ask('GET', String(created.headers.get('location')))).body).toEqual(created.body)
      expect((await ask('POST', users, { body })).status).toBe(200)
      const found = await ask('GET', `${users}?search_term=MULLER%20forsch&status[]=ACTIVE&status[]=LOCKED&typo=1`)
      expect(found.body.users.map((user: Any) => user.id)).toEqual([id])
      expect(found.headers.get('x-ignored-parameters')).toBe('typo')
      expect(found.headers.get('content-language')).toBe('en-GB')
      const merge = { 'content-type': 'application/merge-patch+json' }
      const patched = await ask('PATCH', `${users}/${id}`, {
        raw: '{"email":"a@b.example","attributes":null}',
        headers: merge,
      })
      expect(patched.body).toMatchObject({ email: 'a@b.example', attributes: [], first_name: 'Ann' })
      expect((await ask('PATCH', `${users}/${id}`, { body: { role: 'ADMIN' } })).body.role).toBe('ADMIN')
      expect((await ask('GET', users, { as: 'Main.Job' })).status).toBe(200)
      expect((await ask('POST', `${users}/${id}/lock`, { body: { stray: true } })).body.status).toBe('LOCKED')
      expect((await ask('GET', users, { as: 'Main.Job' })).body.error_code).toBe('ACTOR_NOT_ACTIVE')
      expect((await ask('POST', `${users}/${id}/unlock`)).body.status).toBe('ACTIVE')
      expect((await ask('GET', users, { as: 'Main.Job' })).status).toBe(200)
      const deleted = await ask('DELETE', `${users}/${id}`)
      expect(Date.parse(deleted.body.deletion_at) - Date.now()).toBeGreaterThan(14 * 86_400_000 - 60_000)
      expect((await ask('POST', `${users}/${id}/restore`)).body.status).toBe('ACTIVE')
      expect((await ask('DELETE', `${users}/${id}`)).body.status).toBe('PENDING_DELETION')
    })

    it('is done in batches of 100, DELETE with a body included', async () => {
      const patch = await ask('PATCH', `${users}/batch`, {
        body: { items: ids.map((id) => ({ id, body: { last_name: 'New' } })) },
      })
      expect(new Set(patch.body.items.map((item: Any) => `${item.status} ${item.body.last_name}`))).toEqual(
        new Set(['200 New']),
      )
      const gone = await ask('DELETE', `${users}/batch`, { body: { items: ids.map((id) => ({ id })) } })
      expect(new Set(gone.body.items.map((item: Any) => item.body.status))).toEqual(new Set(['PENDING_DELETION']))
      const back = await ask('POST', `${users}/restore/batch`, { body: { items: ids.map((id) => ({ id })) } })
      expect(back.body.items.map((item: Any) => item.id)).toEqual(ids)
      const walked: string[] = []
      for (let page = 1; ; page++) {
        const { body } = await ask(
          'GET',
          `${users}?page_limit=33&page_number=${page}&search_term=new&sort=USERNAME_DESC`,
        )
        if (body.users.length === 0) break
        walked.push(...body.users.map((user: Any) => user.id))
        expect(body.pagination.total_elements).toBe(100)
      }
      expect(walked).toEqual([...ids].sort().reverse())
    })
  })

  describe('errors', () => {
    beforeAll(async () => {
      await ask('PATCH', `${users}/admin-2`, { body: { external_id: 'e-1' } })
      await ask('POST', `${channels}/news/assignments/users/admin-2/roles`, { body: { role_id: 'channel-owner' } })
    })

    it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

    it('each get another request id', async () => {
      const ids = await Promise.all(
        [1, 2, 3].map(async () => (await ask('GET', '/nowhere')).headers.get('x-request-id')),
      )
      expect(new Set(ids).size).toBe(3)
      const own = { headers: { 'X-Request-ID': 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef' } }
      for (const path of ['/nowhere', `${users}/nobody`])
        expect((await ask('GET', path, own)).body.request_id).toBe('c6af9ac6-7b61-11e6-9a41-93e8deadbeef')
    })

    // Other tests reach what needs a moved clock, a fault of the store or another directory.
    const elsewhere: ErrorCode[] = [
      'ACTOR_NOT_ACTIVE',
      'FEATURE_NOT_ENABLED',
      'CONCURRENT_MODIFICATION',
      'TOO_MANY_REQUESTS',
      'INTERNAL_ERROR',
      'SERVICE_UNAVAILABLE',
    ]
    it('are all reached that the contracts of users, groups and channels name', () => {
      const tags = ['Users', 'User group assignments', 'Channel assignments']
      expect(unreached(tags, rows, elsewhere)).toEqual([])
    })
  })

  describe('roles in groups and on channels', () => {
    beforeAll(() =>
      ask('POST', `${channels}/news/assignments/users/admin-2/roles`, { body: { role_id: 'channel-owner' } }),
    )

    it('are handed out, listed and taken away', async () => {
      const given = await ask('POST', `${groups}/sales/assignments?embed=ACTIONS`, assign('plain', 'coach'))
      expect(given).toMatchObject({ status: 201, body: { source: 'MANUAL', actions: { delete: { allowed: true } } } })
      const list = await ask('GET', `${groups}/sales/assignments?search_term=pau&role_ids=coach&embed=ACTIONS`)
      expect(list.body).toMatchObject({ pagination: { total_elements: 1 }, actions: { create: { allowed: true } } })
      const id = given.body.id
      const batch = await ask('DELETE', `${groups}/assignments/batch`, { body: { items: [{ id }, { id }] } })
      expect(batch.body.items.map((item: Any) => item.status)).toEqual([200, 404])
      const german = { headers: { 'accept-language': 'de-DE,de;q=0.9' } }
      const roles = await ask('GET', `${groups}/sales/assignable-roles?embed=ROLE`, german)
      expect(roles.body.assignable_roles[0].role.title).toEqual({ language: 'de-DE', text: 'Rolle coach' })
      expect(roles.headers.get('content-language')).toMatch('de-DE')
      const everyone = await ask('GET', `${channels}/news/assignments/users?page_limit=100&embed=USER,ROLE`)
      const total = (await ask('GET', `${users}?page_limit=1`)).body.pagination.total_elements
      expect(everyone.body.pagination.total_elements).toBe(total + 1)
    })

    it('name each header once in Vary', async () => {
      const { headers } = await ask('GET', `${users}/admin`, { headers: { origin: 'http://localhost:5173' } })
      const again = await ask('GET', `${users}/admin`, { headers: { 'if-none-match': String(headers.get('etag')) } })
      for (const one of [headers, again.headers]) {
        const names = one.get('vary')?.toLowerCase().split(/, */) ?? []
        expect(names).toEqual([...new Set(names)])
        expect(names).toEqual(expect.arrayContaining(['accept-language', 'accept-encoding', 'authorization']))
      }
    })

    it.each([
      ['http://localhost:5173', true],
      ['https://localhost', true],
      ['http://127.0.0.1:8080', true],
      ['http://[::1]:4321', true],
      ['https://app.example.org', true],
      ['http://app.example.org:8080', true],
      ['http://app.example.org', false],
      ['https://localhost.evil.test', false],
      ['https://evil.test', false],
      ['null', false],
    ])('a page of %s may call, and get a token: %s', async (origin, isAllowed) => {
      const preflight = {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      }
      const asked = async (url: string) => {
        const { headers } = await fetch(url, { method: 'OPTIONS', headers: preflight })
        return headers.get('access-control-allow-origin') === origin && headers.has('access-control-allow-headers')
      }
      expect([await asked(service.baseUrl + users), await asked(service.tokenEndpoint)]).toEqual([isAllowed, isAllowed])
    })

    it('are shown to pages of other origins only as far as the gateway allows', async () => {
      const origin = { origin: 'http://localhost:3000' }
      const asked = ['if-match', 'if-none-match', 'idempotency-key', 'authorization', 'content-type']
      const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': asked.join() }
      const answer = await fetch(service.baseUrl + users, { method: 'OPTIONS', headers: { ...origin, ...preflight } })
      expect(answer.status).toBeLessThan(300)
      const listed = (name: string) => answer.headers.get(name)?.split(/, */)
      expect(listed('access-control-allow-headers')).toEqual(expect.arrayContaining(asked))
      expect(listed('access-control-allow-methods')).toContain('PATCH')
      const read = await ask('GET', `${users}/admin`, { headers: origin })
      const exposed = read.headers.get('access-control-expose-headers')?.split(/, */)
      expect(exposed).toEqual(expect.arrayContaining(['etag', 'location', 'idempotency-replayed', 'retry-after']))
      const etag = String(read.headers.get('etag'))
      expect((await ask('GET', `${users}/admin`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    })
  })

  attributeDefinitions(ask)
  channelTests(ask)
  groupTests(ask)
  roles(ask)
  settings(ask)
  tasks(ask, () => service.store)
  lostAnswers(running)
  largeAnswers(running)
})
