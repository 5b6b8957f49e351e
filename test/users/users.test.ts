import { beforeAll, describe, expect, it } from 'vitest'
import { type Any, call, type Reply } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
let id = ''

const ann = {
  first_name: ' Ann ',
  last_name: 'Müller-Łukasz',
  username: 'Ann.Mueller',
  email: 'ann.mueller@example.com',
  external_id: 'E-1',
  attributes: [
    { name: 'department', value: 'Forschung & Entwicklung' },
    { name: 'joined_on', value: '2024-02-29' },
  ],
  tags: [{ name: 'new' }],
}

/** A new service with Ann in it. */
async function created(): Promise<Reply> {
  service = await startService({ indexes: ['by_id'] })
  const reply = await call('createUser', { body: { ...ordinary, ...ann }, query: { embed: 'ACTIONS' } })
  id = reply.body.id
  return reply
}

describe('a user at first', () => {
  it('is created', async () => {
    const { status, body } = await created()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      first_name: 'Ann',
      status: 'ACTIVE',
      role: 'USER',
      primary_user_group: { id: 'all-users', title: { language: 'en-GB', text: 'Group all-users' }, status: 'ACTIVE' },
      actions: { lock: { allowed: true }, unlock: { allowed: true }, restore: { allowed: false } },
    })
  })
})

describe('a user', () => {
  beforeAll(created)

  it.each(['muller', 'ŁUKASZ', 'ann lukasz', 'forsch', 'example', 'ann.mueller@ex', 'mueller'])(
    'is found by %s',
    async (term) => {
      const { body } = await call('listUsers', { query: { search_term: term } })
      expect(body.users.map((user: Any) => user.id)).toEqual([id])
      expect(body.pagination).toEqual({
        page_number: 1,
        page_limit: 25,
        total_pages: 1,
        total_elements: 1,
        total_relation: 'EQUAL',
        next_cursor: null,
        has_more: false,
      })
    },
  )

  it.each<[string, Record<string, string>]>([
    ['username', { username: 'ANN.mueller' }],
    ['external id', { external_id: 'E-1' }],
    ['attribute', { attribute_technical_name: 'joined_on', attribute_value: '2024-02-29' }],
    [
      'attribute and search',
      { attribute_technical_name: 'joined_on', attribute_value: '2024-02-29', search_term: 'an' },
    ],
    ['status and search', { status: 'ACTIVE,LOCKED', search_term: 'ann' }],
  ])('is found by %s', async (_name, query) => {
    const { body } = await call('listUsers', { query })
    expect(body.users.map((user: Any) => user.id)).toEqual([id])
  })
})

describe('a user who changes', () => {
  it('is patched, found anew and no longer as before', async () => {
    await created()
    const { body } = await call('updateUser', { path: { user_id: id }, body: { last_name: 'Özil', email: null } })
    expect(body).toMatchObject({ last_name: 'Özil', email: null, first_name: 'Ann' })
    expect((await call('listUsers', { query: { search_term: 'ozil' } })).body.pagination.total_elements).toBe(1)
    expect((await call('listUsers', { query: { search_term: 'lukasz' } })).body.pagination.total_elements).toBe(0)
  })

  it('is locked, unlocked, deactivated, deleted, restored and gone', async () => {
    await created()
    const act = async (name: string) => (await call(name, { path: { user_id: id } })).body
    expect((await act('lockUser')).status).toBe('LOCKED')
    expect((await call('listUsers', { token: null })).body.error_code).toBe('UNAUTHENTICATED')
    expect((await act('unlockUser')).status).toBe('ACTIVE')
    expect((await act('deactivateUser')).status).toBe('DEACTIVATED')
    expect(await act('deleteUser')).toMatchObject({
      status: 'PENDING_DELETION',
      deletion_at: '2026-12-05T09:00:00.000Z',
    })
    expect((await act('restoreUser')).status).toBe('DEACTIVATED')
    await act('deleteUser')
    expect((await call('listUsers')).body.pagination.total_elements).toBe(4)
    service.setNow('2026-12-05T09:00:00.000Z')
    expect((await call('getUser', { path: { user_id: id } })).body.error_code).toBe('USER_NOT_FOUND')
    expect((await act('restoreUser')).error_code).toBe('USER_NOT_RESTORABLE')
    expect((await call('listUsers')).body.pagination.total_elements).toBe(3)
    expect((await call('listUsers', { query: { search_term: 'muller' } })).body.pagination.total_elements).toBe(0)
    expect((await call('createUser', { body: { ...ordinary, ...ann } })).status).toBe(201)
    expect((await call('createUser', { body: { ...ordinary, ...ann, id } })).body.error_code).toBe(
      'USER_ID_ALREADY_EXISTS',
    )
  })
})
