import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'

// Users and service tokens are different kinds of actor. The user `twin` has the id of the token: neither has anything of the other.

const twin = tokenId('twin')
const title = [{ language: 'en-GB', text: 'Title' }]
let service: Service
let token: string
beforeAll(async () => {
  service = await startService({
    indexes: ['by_created_at'],
    users: [...people, { id: twin, username: 'twin', role: 'ADMIN' }],
  })
  token = await giveToken(service, ['READ', 'USERS', 'USER_GROUPS', 'CHANNELS', 'SETTINGS', 'ADMINISTRATORS'], {
    id: twin,
  })
})
afterAll(() => audit(service))

const eventsBy = async (actor_id: string): Promise<Any[]> =>
  (await call('listEvents', { query: { actor_id } })).body.events

describe('a token and a user of the same id', () => {
  it('have events of their own kind, and are found together by the id', async () => {
    await call('updateUser', { path: { user_id: 'plain' }, body: { email: 'by@token.example' }, token })
    await call('updateUser', { path: { user_id: 'plain' }, body: { email: 'by@user.example' }, as: twin })
    const events = (await eventsBy(twin)).filter(({ record }) => record.id === 'plain')
    expect(events.map(({ actor, type }) => [actor.kind, actor.id, actor.operation, type]).sort()).toEqual([
      ['SERVICE_TOKEN', twin, 'updateUser', 'user.updated'],
      ['USER', twin, 'updateUser', 'user.updated'],
    ])
    const { body } = await call('listUserEvents', { path: { user_id: 'plain' }, query: { page_limit: 100 } })
    expect(
      body.events
        .slice(0, 2)
        .map(({ actor }: Any) => actor.kind)
        .sort(),
    ).toEqual(['SERVICE_TOKEN', 'USER'])
  })

  it('do not share cursors', async () => {
    const first = async (by: object) =>
      (await call('listUsers', { query: { page_limit: 1 }, ...by })).body.pagination.next_cursor
    const next = async (page_cursor: string, by: object) =>
      (await call('listUsers', { query: { page_limit: 1, page_cursor }, ...by })).status
    const [ofToken, ofUser] = [await first({ token }), await first({ as: twin })]
    expect([await next(ofToken, { token }), await next(ofUser, { as: twin })]).toEqual([200, 200])
    expect([await next(ofToken, { as: twin }), await next(ofUser, { token })]).toEqual([400, 400])
  })

  it('do not share an Idempotency-Key', async () => {
    const body = { title, scope: 'USER_GROUPS' }
    const create = (by: object) => call('createRole', { body, headers: { 'idempotency-key': 'k' }, ...by })
    const replies = [
      await create({ token }),
      await create({ as: twin }),
      await create({ token }),
      await create({ as: twin }),
    ]
    expect(replies.map(({ headers }) => headers['idempotency-replayed'])).toEqual([
      undefined,
      undefined,
      'true',
      'true',
    ])
    expect(replies[2]?.body.id).toBe(replies[0]?.body.id)
    expect(replies[3]?.body.id).toBe(replies[1]?.body.id)
    expect(replies[0]?.body.id).not.toBe(replies[1]?.body.id)
  })

  it('a token may lock the user of its id: it is not itself', async () => {
    expect((await call('lockUser', { path: { user_id: twin }, as: twin })).body.error_code).toBe(
      'ACTOR_MUST_NOT_CHANGE_ITSELF',
    )
    const { status, body } = await call('lockUser', { path: { user_id: twin }, query: { embed: 'ACTIONS' }, token })
    expect([status, body.status, body.actions.delete]).toEqual([200, 'LOCKED', { allowed: true }])
    expect((await call('listRoles', { as: twin })).status).toBe(401)
    expect((await call('listRoles', { token })).status).toBe(200)
    const items = [{ id: twin }, { id: 'plain' }]
    expect((await call('deleteUsers', { body: { items }, token })).body.items.map((one: Any) => one.status)).toEqual([
      200, 200,
    ])
    for (const user_id of [twin, 'plain']) await call('restoreUser', { path: { user_id }, token })
    await call('unlockUser', { path: { user_id: twin }, token })
  })

  it('are not the same in the log', async () => {
    process.env['ACTOR_LOG_KEY'] = 'key'
    service.logged()
    await call('listRoles', { token })
    await call('listRoles', { as: twin })
    delete process.env['ACTOR_LOG_KEY']
    const [byToken, byUser] = service.logged()
    expect(byToken).toMatchObject({ endpoint: 'listRoles', service_token: twin })
    expect(byToken).not.toHaveProperty('actor')
    expect(byUser).toMatchObject({ actor: createHmac('sha256', 'key').update(twin).digest('base64url').slice(0, 12) })
    expect(byUser).not.toHaveProperty('service_token')
  })

  it('calls of tokens are counted', async () => {
    service.measured()
    await call('listRoles', { token })
    await call('listRoles', { as: twin })
    expect(service.measured().map(({ Requests, TokenRequests }) => [Requests, TokenRequests])).toEqual([
      [1, 1],
      [1, undefined],
    ])
  })
})

describe('what a token makes', () => {
  it('a channel has no owner; its first one can be given by the token', async () => {
    const created = await call('createChannel', { body: { id: 'news', title }, token })
    expect(created.status).toBe(201)
    const list = async () =>
      (await call('listChannelAssignments', { path: { channel_id: 'news' }, token })).body.assignments
    expect(await list()).toEqual([])
    const given = await call('createChannelAssignment', {
      path: { channel_id: 'news', user_id: 'plain' },
      body: { role_id: 'channel-owner' },
      token,
    })
    expect(given.status).toBe(201)
    expect((await list()).map(({ id }: Any) => id.user_id)).toEqual(['plain'])
  })

  it('a channel of the token that is repeated with an Idempotency-Key is the same', async () => {
    const create = () => call('createChannel', { body: { title }, headers: { 'idempotency-key': 'c' }, token })
    const [first, again] = [await create(), await create()]
    expect([again.status, again.body]).toEqual([first.status, first.body])
  })

  it('settings of the calendar name nobody', async () => {
    await call('updateCalendarSettings', { body: { week_start: 'SUNDAY' } })
    const { body } = await call('updateCalendarSettings', { body: { week_start: 'SATURDAY' }, token })
    expect([body.updated_by, body.updated_at]).toEqual([null, service.now().toISOString()])
    expect((await call('viewCalendarSettings', { token })).status).toBe(200)
  })

  it('work that goes on after the call names the token', async () => {
    await call('createGroup', { body: { id: 'crew', title, parent_id: 'root' } })
    await call('createUser', {
      body: {
        ...ordinary,
        id: 'mover',
        username: 'mover',
        first_name: 'M',
        last_name: 'M',
        primary_user_group_id: 'crew',
      },
    })
    await call('archiveGroup', { path: { group_id: 'crew' }, token })
    const { body } = await call('listUserEvents', { path: { user_id: 'mover' } })
    expect(body.events[0]).toMatchObject({
      type: 'user.updated',
      actor: { kind: 'SERVICE_TOKEN', id: twin, operation: 'archiveGroup' },
    })
  })
})

describe('roles and actions follow the scopes', () => {
  const rolesFor = async (by: object) => {
    const { body } = await call('listAssignableGroupRoles', { path: { group_id: 'sales' }, ...by })
    return body.assignable_roles.map(({ role_id }: Any) => role_id)
  }
  it('assignable roles are those that the token may hand out', async () => {
    const all = await rolesFor({})
    expect(all.length).toBeGreaterThan(1)
    expect(await rolesFor({ token })).toEqual(all)
    expect(await rolesFor({ token: await giveToken(service, ['READ', 'CHANNELS']) })).toEqual([])
    expect(await rolesFor({ token: await giveToken(service, ['READ', 'SCIM']) })).toEqual(['group-member'])
    const channelRoles = async (by: string) =>
      (await call('listAssignableChannelRoles', { path: { channel_id: 'news' }, token: by })).body.assignable_roles
        .length
    expect(await channelRoles(token)).toBeGreaterThan(0)
    expect(await channelRoles(await giveToken(service, ['READ', 'USER_GROUPS']))).toBe(0)
  })

  it('actions are not allowed to one that only reads', async () => {
    const reader = await giveToken(service, ['READ'])
    await call('createGroupAssignment', {
      path: { group_id: 'sales' },
      body: { user_id: 'admin', role_id: 'group-owner' },
    })
    const answers = async (by: string) => {
      const at = { query: { embed: 'ACTIONS' }, token: by }
      const group = (await call('getGroup', { path: { group_id: 'sales' }, ...at })).body
      const list = (await call('listGroupAssignments', { path: { group_id: 'sales' }, ...at })).body
      const one = { group_id: 'sales', user_id: 'admin', role_id: 'group-owner' }
      const assignment = (await call('getGroupAssignment', { path: one, ...at })).body
      const onChannel = { channel_id: 'news', user_id: 'plain', role_id: 'channel-owner' }
      await call('createChannelAssignment', {
        path: { channel_id: 'news', user_id: 'admin' },
        body: { role_id: 'channel-owner' },
      })
      const channel = (await call('getChannelAssignment', { path: onChannel, ...at })).body
      const { users } = (await call('listUsers', { ...at })).body
      const allowed = [group, list, ...list.assignments, assignment, channel, ...users].flatMap(({ actions }) =>
        Object.values<Any>(actions).map((action) => action.allowed),
      )
      return new Set(allowed)
    }
    expect([...(await answers(reader))]).toEqual([false])
    expect(await answers(token)).toContain(true)
  })
})
