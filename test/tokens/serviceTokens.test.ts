import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceTokens } from '../../domain/people/tokens/serviceToken.ts'
import { tokenFrom } from '../../domain/people/tokens/tokenRules.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { serviceTokenCountKey, tokenUseKey } from '../../domain/table/keys.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_created_at'] })
})
afterAll(() => audit(service))

const start = '2026-11-21T09:00:00.000Z'
const create = (body: object, as = 'admin'): Promise<Reply> => call('createServiceToken', { body, as })
const made = async (scopes: string[] = ['READ']): Promise<Any> => (await create({ name: 'Some', scopes })).body
const get = (token_id: string): Promise<Reply> => call('getServiceToken', { path: { token_id } })
const patch = (token_id: string, body: object): Promise<Reply> =>
  call('updateServiceToken', { path: { token_id }, body })
const rotate = (token_id: string, body: object = {}): Promise<Reply> =>
  call('rotateServiceToken', { path: { token_id }, body })
const statusWith = async (token: string): Promise<number> => (await call('listRoles', { token })).status
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const eventsOf = async (record_id: string): Promise<Any[]> =>
  (await call('listEvents', { query: { record_kind: 'service_token', record_id, sort: 'TIME_ASC' } })).body.events

describe('creating a token', () => {
  it('answers it with its secret, once', async () => {
    const { status, body } = await create({ name: '  HR system ', scopes: ['USERS', 'READ'] })
    const { token, ...record } = body
    expect([status, record]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
        name: 'HR system',
        scopes: ['READ', 'USERS'],
        created_by: 'admin',
        created_at: start,
        expires_at: '2027-11-21T09:00:00.000Z',
        last_used_at: null,
        previous_expires_at: null,
      },
    ])
    expect(token).toMatch(new RegExp(`^rct_${body.id}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`))
    expect((await get(body.id)).body).toEqual(record)
    const { service_tokens } = (await call('listServiceTokens', { query: { page_limit: 100 } })).body
    expect(service_tokens.find(({ id }: Any) => id === body.id)).toEqual(record)
    expect(await statusWith(token)).toBe(200)
  })

  it('keeps nothing of the secret but its hash', async () => {
    service.logged()
    const { id, token } = await made()
    const second = (await rotate(id)).body.token
    await statusWith(token)
    await patch(id, { name: 'Other' })
    const secrets = [token, second].map((text: string) => text.split('_')[2] as string)
    const kept = JSON.stringify([await dump(service), service.logged(), await eventsOf(id), (await get(id)).body])
    for (const secret of secrets) expect(kept).not.toContain(secret)
    const shown = JSON.stringify([await eventsOf(id), (await get(id)).body])
    expect(shown).not.toMatch(/secret/)
  })

  it.each<[string, object, unknown[]]>([
    ['without a name', { scopes: ['READ'] }, ['name']],
    ['with a blank name', { name: ' ', scopes: ['READ'] }, ['name']],
    ['with a name of 121 characters', { name: 'n'.repeat(121), scopes: ['READ'] }, ['name']],
    ['without scopes', { name: 'n', scopes: [] }, ['scopes']],
    ['with an unknown scope', { name: 'n', scopes: ['ALL'] }, ['scopes.0']],
    ['with a scope twice', { name: 'n', scopes: ['READ', 'READ'] }, ['scopes']],
    ['with WEBHOOKS alone', { name: 'n', scopes: ['WEBHOOKS'] }, ['scopes']],
    ['that ends now', { name: 'n', scopes: ['READ'], expires_at: start }, ['expires_at']],
    [
      'that ends in more than two years',
      { name: 'n', scopes: ['READ'], expires_at: '2028-11-21T09:00:01Z' },
      ['expires_at'],
    ],
    ['that ends on no day', { name: 'n', scopes: ['READ'], expires_at: 'tomorrow' }, ['expires_at']],
    [
      'with several faults',
      { scopes: ['WEBHOOKS'], expires_at: 'x', token: 'mine' },
      ['name', 'token', 'scopes', 'expires_at'],
    ],
  ])('%s: 400', async (_what, body, properties) => {
    const reply = await create(body)
    expect([reply.status, reply.body.error_code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(new Set(reply.body.errors.map(({ property }: Any) => property))).toEqual(new Set(properties))
  })

  it('makes another one each time, with an Idempotency-Key, too', async () => {
    const headers = { 'idempotency-key': 'k' }
    const body = { name: 'Twice', scopes: ['READ'] }
    const replies = [
      await call('createServiceToken', { body, headers }),
      await call('createServiceToken', { body, headers }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(new Set(replies.map((reply) => reply.body.token)).size).toBe(2)
  })
})

describe('a patch', () => {
  it('changes name, scopes and end; scopes count from the next request on', async () => {
    const { id, token } = await made(['READ'])
    expect(await statusWith(token)).toBe(200)
    const { status, body } = await patch(id, {
      name: 'New',
      scopes: ['CHANNELS'],
      expires_at: '2026-12-24T18:00:00+01:00',
    })
    expect([status, body.name, body.scopes, body.expires_at]).toEqual([
      200,
      'New',
      ['CHANNELS'],
      '2026-12-24T17:00:00.000Z',
    ])
    expect(await statusWith(token)).toBe(403)
    expect((await call('listChannels', { token })).status).toBe(200)
  })

  it('takes the record as it was read', async () => {
    const { id, token: _token, ...record } = await made()
    const { status, body } = await patch(id, { id, ...record })
    expect([status, body]).toEqual([200, { id, ...record }])
  })

  it.each<[string, object, string]>([
    ['null for a field', { name: null }, 'name'],
    ['no end', { expires_at: null }, 'expires_at'],
    ['WEBHOOKS alone', { scopes: ['WEBHOOKS'] }, 'scopes'],
    ['an end in the past', { expires_at: '2026-01-01T00:00:00Z' }, 'expires_at'],
    ['an end too far away', { expires_at: '2030-01-01T00:00:00Z' }, 'expires_at'],
    ['a secret', { token: 'rct_mine' }, 'token'],
  ])('with %s: 400, also for a token that does not exist', async (_what, body, property) => {
    const { id } = await made()
    expect(coded(await patch(id, body))).toEqual([400, 'VALIDATION_ERROR', property])
    expect(coded(await patch('nobody', body))).toEqual([400, 'VALIDATION_ERROR', property])
  })

  it('depends on If-Match, which uses do not change', async () => {
    const { id, token } = await made()
    const { headers } = await get(id)
    await statusWith(token)
    const matching = { path: { token_id: id }, headers: { 'if-match': headers['etag'] as string } }
    expect((await call('updateServiceToken', { ...matching, body: { name: 'A' } })).status).toBe(200)
    expect((await call('updateServiceToken', { ...matching, body: { name: 'B' } })).status).toBe(412)
    const { headers: after } = await get(id)
    await rotate(id)
    const stale = { path: { token_id: id }, headers: { 'if-match': after['etag'] as string } }
    expect((await call('deleteServiceToken', stale)).status).toBe(412)
  })
})

describe('the end of a token', () => {
  it('deleting it: refused from the next request on, and gone', async () => {
    const { id, token } = await made()
    expect((await call('deleteServiceToken', { path: { token_id: id } })).status).toBe(204)
    expect(await statusWith(token)).toBe(401)
    for (const reply of [
      await get(id),
      await patch(id, {}),
      await rotate(id),
      await call('deleteServiceToken', { path: { token_id: id } }),
    ])
      expect(coded(reply)).toEqual([404, 'SERVICE_TOKEN_NOT_FOUND', 'token_id'])
  })

  it('once expired it is not revived and not rotated, but listed, renamed and deleted', async () => {
    const token = await giveToken(service, ['READ'], { id: tokenId('expired'), expires_at: '2026-11-21T09:00:00.000Z' })
    const id = tokenId('expired')
    expect(await statusWith(token)).toBe(401)
    expect(coded(await patch(id, { expires_at: '2027-01-01T00:00:00Z' }))).toEqual([
      409,
      'SERVICE_TOKEN_EXPIRED',
      'token_id',
    ])
    expect(coded(await rotate(id))).toEqual([409, 'SERVICE_TOKEN_EXPIRED', 'token_id'])
    const { body } = await call('listServiceTokens', { query: { page_limit: 100 } })
    expect(body.service_tokens.map((one: Any) => one.id)).toContain(id)
    expect((await patch(id, { name: 'Old' })).status).toBe(200)
    expect((await call('deleteServiceToken', { path: { token_id: id } })).status).toBe(204)
  })

  it('outlives the administrator who made it', async () => {
    const person = {
      id: 'leaver',
      username: 'leaver',
      first_name: 'L',
      last_name: 'L',
      role: 'ADMIN',
      status: 'ACTIVE',
    }
    await call('createUser', { body: person })
    const { body } = await create({ name: 'Mine', scopes: ['READ'] }, 'leaver')
    await call('deleteUser', { path: { user_id: 'leaver' } })
    expect(await statusWith(body.token)).toBe(200)
    expect((await get(body.id)).body.created_by).toBe('leaver')
  })
})

describe('rotating', () => {
  it('answers a new token; the one before works for the overlap', async () => {
    const { id, token } = await made()
    const { status, body } = await rotate(id, { overlap_minutes: 30 })
    expect([status, body.id, body.previous_expires_at]).toEqual([200, id, '2026-11-21T09:30:00.000Z'])
    expect([await statusWith(token), await statusWith(body.token)]).toEqual([200, 200])
    expect((await rotate(id, { overlap_minutes: 0 })).body.previous_expires_at).toBeNull()
    expect([await statusWith(token), await statusWith(body.token)]).toEqual([401, 401])
  })

  it.each([-1, 10_081, 1.5, '60'])('refuses an overlap of %s', async (overlap_minutes) => {
    const { id } = await made()
    expect(coded(await rotate(id, { overlap_minutes }))).toEqual([400, 'VALIDATION_ERROR', 'overlap_minutes'])
  })

  it('twice at the same time: both succeed, and two secrets work', async () => {
    const { id, token } = await made()
    const replies = await Promise.all([rotate(id), rotate(id)])
    const statuses = await Promise.all([token, ...replies.map(({ body }) => body.token)].map(statusWith))
    expect(statuses.sort()).toEqual([200, 200, 401])
    expect(await statusWith(token)).toBe(200)
  })
})

describe('events', () => {
  it('tell what was done, by whom, and never a secret', async () => {
    const { id } = await made()
    await patch(id, { scopes: ['READ', 'USERS'] })
    await rotate(id)
    await call('deleteServiceToken', { path: { token_id: id } })
    const events = await eventsOf(id)
    expect(events.map(({ type }) => type)).toEqual(
      ['created', 'updated', 'rotated', 'deleted'].map((verb) => `service_token.${verb}`),
    )
    for (const { actor } of events) expect(actor).toMatchObject({ id: 'admin', kind: 'USER' })
    expect(events[1].changes).toEqual([{ field: 'scopes', before: ['READ'], after: ['READ', 'USERS'] }])
    expect(events[2].changes.map(({ field }: Any) => field)).toEqual(['previous_expires_at', 'rotated_at'])
  })

  it('tell of a rotation without an overlap, too', async () => {
    const { id } = await made()
    await rotate(id, { overlap_minutes: 0 })
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['service_token.created', 'service_token.rotated'])
  })
})

const record = tokenFrom({ name: 'n', scopes: ['READ'] }, { id: 'i', secret: 'hash', now: start, by: 'admin' })

describe('the limit', () => {
  it('of 100 tokens holds for creations at the same time', async () => {
    const full = await startService()
    const tokens = Array.from({ length: 97 }, (_, n) => ({ ...record, id: tokenId(`of${n}x`) }))
    await full.store.bulk([
      ...tokens.map((token) => ({ put: itemOf(serviceTokens, token) })),
      ...tokens.map(({ id }) => ({ put: { ...tokenUseKey(id), at: null } })),
      { put: { ...serviceTokenCountKey, count: tokens.length } },
    ])
    const replies = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'n', scopes: ['READ'] })))
    expect(replies.map(coded).sort()).toEqual([
      ...Array(3).fill([201, undefined, undefined]),
      ...Array(3).fill([409, 'SERVICE_TOKENS_LIMIT_EXCEEDED', undefined]),
    ])
    const { body } = await call('listServiceTokens', { query: { page_limit: 100 } })
    expect([body.service_tokens.length, body.pagination.total_elements]).toEqual([100, 100])
    await call('deleteServiceToken', { path: { token_id: body.service_tokens[0].id } })
    expect((await create({ name: 'n', scopes: ['READ'] })).status).toBe(201)
    await audit(full)
    service.activate()
  })
})
