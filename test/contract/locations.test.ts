import { beforeAll, describe, expect, it } from 'vitest'
import routes from '../../schemas/compiled/routes.js'
import { contracts } from '../../schemas/contracts.ts'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'

// What has been created is found where `location` says, as it was answered.

const title = [{ language: 'en-GB', text: 'Title' }]
const recipients = [{ id: 'plain', type: 'USER' }]
const admin = '/api/admin/users/v4'
const news = '/api/admin/channels/v4/channels/news'

const created: [name: string, request: Request, location: string][] = [
  [
    'createUser',
    { body: { id: 'a.b_c-d', first_name: 'A', last_name: 'B', username: 'ab', role: 'USER', status: 'ACTIVE' } },
    `${admin}/users/a.b_c-d`,
  ],
  ['createRole', { body: { id: 'editor', title, scope: 'CHANNELS' } }, `${admin}/roles/editor`],
  ['createGroup', { body: { id: 'crew', title, parent_id: 'root' } }, `${admin}/user-groups/crew`],
  [
    'createRule',
    {
      body: {
        id: 'all-of-it',
        title: 'Rule',
        user_group_id: 'crew',
        role_id: 'group-member',
        conditions: [{ field: 'TAG', operator: 'IS_SET' }],
      },
    },
    `${admin}/user-group-rules/all-of-it`,
  ],
  [
    'createAttributeDefinition',
    { body: { technical_name: 'shoe_size', title, attribute_type: 'TEXT' } },
    `${admin}/user-attribute-definitions/shoe_size`,
  ],
  ['createChannel', { body: { id: 'news', title } }, news],
  [
    'createGroupAssignment',
    { path: { group_id: 'crew' }, body: { user_id: 'plain', role_id: 'group-owner' } },
    `${admin}/user-groups/crew/assignments/plain/group-owner`,
  ],
  [
    'createChannelAssignment',
    { path: { channel_id: 'news', user_id: 'plain' }, body: { role_id: 'editor' } },
    `${news}/assignments/users/plain/roles/editor`,
  ],
  ['createTask', { body: { id: 'drill', title: 'T', recipients } }, '/api/tasks/v4/tasks/drill'],
  [
    'addTaskRecipient',
    { path: { task_id: 'drill' }, body: { recipient: { id: 'admin', type: 'USER' } } },
    '/api/tasks/v4/tasks/drill/assignments-summary',
  ],
  [
    'addTaskAssignments',
    { path: { task_id: 'drill' }, body: { user_ids: ['admin-2'] } },
    '/api/tasks/v4/tasks/drill/assignments-summary',
  ],
]
/** What is created with an id that the service makes, some of it with a secret that only this answer has. */
const withMadeId: [name: string, request: Request, collection: string][] = [
  [
    'createServiceToken',
    { body: { name: 'HR system', scopes: ['READ'] } },
    '/api/admin/organisations/v4/service-tokens',
  ],
  ['createWebhook', { body: { url: 'https://1.1.1.1/' } }, '/api/admin/organisations/v4/webhooks'],
  [
    'createPlan',
    { body: { kind: 'SELECTION', select: { all: true }, change: { action: 'LOCK' } } },
    '/api/admin/organisations/v4/plans',
  ],
]
/** A group that is attached to a channel is read in the list of those. */
const notRead: [name: string, request: Request, location?: undefined][] = [
  ['createChannelGroup', { path: { channel_id: 'news' }, body: { user_group_id: 'crew' } }],
]

/** The endpoint that a path leads to, with its variables. */
function reading(path: string): [name: string, variables: Record<string, string>] {
  for (const { name, method, path: template } of routes) {
    const pattern = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const found = method === 'GET' ? pattern.exec(path) : null
    if (found) return [name, { ...found.groups }]
  }
  throw new Error(`Nothing can be read at ${path}`)
}

let service: Service
beforeAll(async () => {
  service = await startService()
})

describe('a 201', () => {
  const replies = new Map<string, Reply>()
  /** What was found at once where `location` says: what comes after it may change the record. */
  const found = new Map<string, Reply>()
  beforeAll(async () => {
    for (const [name, request, location] of [...created, ...notRead]) {
      replies.set(name, await call(name, request))
      if (!location) continue
      const [read, path] = reading(location)
      found.set(name, await call(read, { path }))
    }
  })

  it('is known to this test, of whatever endpoint', () => {
    const all = Object.values(contracts).filter(({ answers }) => answers[201])
    const known = [...created, ...withMadeId, ...notRead].map(([name]) => name)
    expect(known.sort(), '`created` or `notRead` of this file').toEqual(all.map(({ name }) => name).sort())
  })

  it.each(created)('of %s says where its record is', async (name, _request, location) => {
    const { status, headers = {}, body } = replies.get(name) ?? {}
    expect([status, headers['location']]).toEqual([201, location])
    expect(found.get(name)).toMatchObject({ status: 200, body })
  })

  it.each(withMadeId)('of %s says where its record is, without the secret', async (name, request, collection) => {
    const { status, headers, body } = await call(name, request)
    expect([status, headers['location']]).toEqual([201, `${collection}/${body.id}`])
    const [read, path] = reading(headers['location'] as string)
    const { token: _token, secret: _secret, ...record } = body
    expect((await call(read, { path })).body).toEqual(record)
  })

  it.each(notRead)('of %s has a record that cannot be read by itself', (name) => {
    const { status, headers = {} } = replies.get(name) ?? {}
    expect([status, headers['location']]).toEqual([201, undefined])
  })

  it('names an id that was made here', async () => {
    const { headers, body } = await call('createChannel', { body: { title } })
    expect(headers['location']).toBe(`/api/admin/channels/v4/channels/${body.id}`)
  })

  it.each(['createUser', 'createChannelAssignment', 'addTaskRecipient'])(
    'is no answer of %s repeated',
    async (name) => {
      const request = created.find(([one]) => one === name)?.[1]
      const { status, headers } = await call(name, request)
      expect([status, headers['location']]).toEqual([200, undefined])
    },
  )
})

describe('the id of a request', () => {
  const own = 'C6AF9AC6-7b61-11e6-9a41-93e8deadbeef'
  const asking = (given: string | undefined, name: string, request: Request = {}) =>
    call(name, { ...request, headers: given === undefined ? {} : { 'x-request-id': given } })

  it.each([own, '00000000-0000-0000-0000-000000000000', '019ab3f0-7c1e-7def-8abc-0123456789ab'])(
    'is the one that the caller gave: %s',
    async (given) => {
      service.logged()
      expect((await asking(given, 'listUsers')).headers['x-request-id']).toBe(given)
      const refused = await asking(given, 'getUser', { path: { user_id: 'nobody' } })
      expect([refused.headers['x-request-id'], refused.body.request_id]).toEqual([given, given])
      const batch = await asking(given, 'lockUser', { path: { user_id: 'plain' }, token: null })
      expect([batch.status, batch.body.request_id]).toEqual([401, given])
      const { body } = await asking(given, 'deleteUsers', { body: { items: [{ id: 'nobody' }] } })
      expect(body.items[0].error.request_id).toBe(given)
      expect(service.logged().map((line: Any) => line.request_id)).toEqual([given, given, given, given])
    },
  )

  it.each([
    undefined,
    '',
    'mine',
    `${own},${own}`,
    `${own} `,
    `{${own}}`,
    `urn:uuid:${own}`,
    own.replaceAll('-', ''),
    own.replace('b', 'g'),
    'x'.repeat(5_000),
  ])('is ours in place of %j', async (given) => {
    const { headers } = await asking(given, 'getOrganisationSettings')
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(headers['x-request-id']).not.toBe(given)
  })
})
