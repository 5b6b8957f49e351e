import { beforeAll, describe, expect, it } from 'vitest'
import { organisationKey } from '../../domain/table/keys.ts'
import { type Any, call } from '../harness/call.ts'
import { people as first } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// What people see of each other: an ordinary user calls, unless a test says otherwise.

const attributes = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))
const crowd = [
  {
    id: 'ann',
    username: 'secretname',
    first_name: 'Ann',
    last_name: 'Meyer',
    email: 'hidden@mail.example',
    external_id: 'E-77',
    tags: [{ name: 'vip' }],
    profile_picture: { file_id: 'p-1' },
    attributes: attributes({ department: 'Sales North', location: 'Köln', job_title: 'Buyer', note: 'salary' }),
  },
  { id: 'bea', first_name: 'Béa', last_name: 'Meyer', role: 'ADMIN' as const },
  { id: 'cid', first_name: 'Ann', last_name: 'Meyer', role: 'ADMIN' as const },
  { id: 'dan', first_name: 'Dan', last_name: 'Abel', attributes: attributes({ department: 'Salesforce' }) },
  { id: 'eve', first_name: 'Eve', last_name: 'Locked', status: 'LOCKED' as const },
  { id: 'fay', first_name: 'Fay', last_name: 'Former', status: 'DEACTIVATED' as const },
  { id: 'gus', first_name: 'Gus', last_name: 'Going' },
]
const active = ['dan', 'admin', 'admin-2', 'ann', 'cid', 'bea', 'plain']
const unseen = { first_name: '', last_name: '', department: null, location: null, job_title: null }

let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...first, ...crowd],
    indexes: ['by_last_name', 'by_first_name', 'by_id', 'find'],
  })
  await call('deleteUser', { path: { user_id: 'gus' } })
})

const list = (query: Any = {}, as = 'plain') => call('listPeople', { query, as })
const idsOf = ({ body }: Any): string[] => body.users.map(({ id }: Any) => id)
const found = async (search_term: string, as = 'plain') => {
  const answer = await list({ search_term }, as)
  expect(answer.body.pagination.total_elements).toBe(answer.body.users.length)
  return idsOf(answer)
}
const person = (user_id: string, as = 'plain', headers: Record<string, string> = {}) =>
  call('getPerson', { path: { user_id }, as, headers })
const permit = (id: string, user_permission: string) =>
  call('updateAttributeDefinition', { path: { definition_id: id }, body: { user_permission } })

describe('the list', () => {
  it('has the active users, whatever their role, by last name, first name and id', async () => {
    const answer = await list()
    expect(idsOf(answer)).toEqual(active)
    expect(answer.body.pagination).toMatchObject({ total_elements: active.length, total_relation: 'EQUAL' })
    expect(answer.body.users[3]).toEqual({
      id: 'ann',
      first_name: 'Ann',
      last_name: 'Meyer',
      department: 'Sales North',
      location: 'Köln',
      job_title: 'Buyer',
      profile_picture: { file_id: 'p-1' },
      is_deleted: false,
    })
  })

  it.each([
    ['LAST_NAME_DESC', active.toReversed()],
    ['FIRST_NAME_ASC', ['admin', 'ann', 'cid', 'admin-2', 'bea', 'dan', 'plain']],
    ['FIRST_NAME_DESC,LAST_NAME_ASC', ['plain', 'dan', 'admin-2', 'bea', 'ann', 'cid', 'admin']],
  ])('sorts by %s, page by page, by number and by cursor', async (sort, wanted) => {
    expect(idsOf(await list({ sort }))).toEqual(wanted)
    const byNumber: string[] = []
    const byCursor: string[] = []
    for (let page_number = 1; page_number <= wanted.length; page_number++)
      byNumber.push(...idsOf(await list({ sort, page_limit: 1, page_number })))
    for (let query: Any = { sort, page_limit: 2 }; query; ) {
      const answer = await list(query)
      byCursor.push(...idsOf(answer))
      const { has_more, next_cursor } = answer.body.pagination
      query = has_more ? { sort, page_limit: 2, page_cursor: next_cursor } : undefined
    }
    expect([byNumber, byCursor]).toEqual([wanted, wanted])
  })

  it.each([
    ['a first name', 'ann', ['ann', 'cid']],
    ['the beginning of a last name', 'MEY', ['ann', 'cid', 'bea']],
    ['a name without its accent', 'bea', ['admin-2', 'bea']],
    ['a department', 'sales', ['dan', 'ann']],
    ['a location', 'koln', ['ann']],
    ['words of several fields', 'nor mey köln', ['ann']],
    ['an e-mail address', 'hidden@mail.example', []],
    ['a part of it', 'mail.example', []],
    ['a username', 'secretname', []],
    ['an id', 'cid', []],
    ['an external id', 'E-77', []],
    ['a job title', 'buyer', []],
    ['another attribute', 'salary', []],
    ['a tag', 'vip', []],
    ['a name with a username', 'ann secretname', []],
    ['a locked user', 'eve', []],
    ['a deactivated user', 'fay', []],
    ['a deleted user', 'gus', []],
  ])('finds by %s: %s', async (_what, term, wanted) => {
    expect(await found(term)).toEqual(wanted)
  })

  it('neither shows nor finds what is hidden, except for administrators', async () => {
    await permit('department', 'HIDDEN')
    await permit('job_title', 'HIDDEN')
    expect(await found('sales')).toEqual([])
    expect(await found('sales', 'admin')).toEqual(['dan', 'ann'])
    expect(await found('koln')).toEqual(['ann'])
    const shown = { department: null, location: 'Köln', job_title: null }
    for (const query of [{ search_term: 'koln' }, { id: 'ann' }, { sort: 'FIRST_NAME_ASC', page_limit: 2 }])
      expect((await list(query)).body.users.find(({ id }: Any) => id === 'ann')).toMatchObject(shown)
    expect((await person('ann')).body).toMatchObject(shown)
    expect((await person('ann', 'ann')).body).toMatchObject(shown)
    expect((await person('ann', 'admin')).body).toMatchObject({ department: 'Sales North', job_title: 'Buyer' })
    await permit('department', 'VIEW')
    await permit('job_title', 'EDIT')
    expect((await person('ann')).body).toMatchObject({ department: 'Sales North', job_title: 'Buyer' })
  })
})

describe('people by id', () => {
  it('come in the order asked for, each once, whatever their status, on one page', async () => {
    const id = [
      'plain',
      'gus',
      'nobody',
      'eve',
      'ann',
      'plain',
      'fay',
      ...Array.from({ length: 60 }, (_, n) => `no-${n}`),
    ]
    const { body } = await list({ id })
    expect(body.users.map(({ id, last_name, is_deleted }: Any) => [id, last_name, is_deleted])).toEqual([
      ['plain', 'Plain', false],
      ['gus', '', true],
      ['eve', 'Locked', false],
      ['ann', 'Meyer', false],
      ['fay', 'Former', false],
    ])
    expect(body.pagination).toEqual({
      page_number: 1,
      page_limit: 100,
      total_pages: 1,
      total_elements: 5,
      total_relation: 'EQUAL',
      next_cursor: null,
      has_more: false,
    })
    for (const one of body.users) expect((await person(one.id)).body).toEqual(one)
  })

  it.each([
    ['search_term', { search_term: 'ann' }],
    ['sort', { sort: 'LAST_NAME_ASC' }],
    ['page_number', { page_number: 1 }],
    ['page_limit', { page_limit: 5 }],
    ['page_cursor', { page_cursor: 'x' }],
    ['id', { id: Array.from({ length: 101 }, (_, n) => `u-${n}`) }],
    ['id', { id: ['ann', '../x'] }],
  ])('are refused with %s: %j', async (property, query) => {
    const { status, body } = await list({ id: 'ann', ...query })
    expect([status, body.error_code, body.property]).toEqual([400, 'VALIDATION_ERROR', property])
  })
})

describe('a person', () => {
  it.each(['eve', 'fay', 'ann', 'plain', 'admin'])('%s is shown, whatever their status', async (id) => {
    const { status, body } = await person(id)
    expect([status, body.id, body.is_deleted, body.last_name === '']).toEqual([200, id, false, false])
  })

  it('who is pending deletion is an id, and then nobody', async () => {
    expect((await person('gus')).body).toEqual({ id: 'gus', ...unseen, profile_picture: null, is_deleted: true })
    const now = service.now()
    service.setNow(new Date(now.getTime() + 15 * 86_400_000))
    const gone = await Promise.all([person('gus'), list({ id: 'gus' })])
    service.setNow(now)
    expect([gone[0].status, gone[0].body.error_code, gone[1].body.users]).toEqual([404, 'USER_NOT_FOUND', []])
  })

  it.each(['nobody', 'all-users', 'e-77'])('%s is nobody', async (id) => {
    const { status, body } = await person(id)
    expect([status, body.error_code]).toEqual([404, 'USER_NOT_FOUND'])
  })

  it('has an ETag of what is shown, and of nothing else', async () => {
    const tag = async () => (await person('ann')).headers['etag'] as string
    const before = await tag()
    const change = (body: Any) => call('updateUser', { path: { user_id: 'ann' }, body })
    for (const unshown of [
      { email: 'new@mail.example' },
      { tags: [] },
      { attributes: { note: 'less' } },
      { role: 'ADMIN' },
    ]) {
      expect((await change(unshown)).status).toBe(200)
      expect([unshown, await tag()]).toEqual([unshown, before])
    }
    expect((await person('ann', 'plain', { 'if-none-match': before })).status).toBe(304)
    await change({ attributes: { job_title: 'Seller' } })
    const after = await tag()
    expect(after).not.toBe(before)
    await permit('job_title', 'HIDDEN')
    const hidden = await tag()
    expect(hidden).not.toBe(after)
    await change({ attributes: { job_title: 'Boss' } })
    expect(await tag()).toBe(hidden)
    await permit('job_title', 'VIEW')
    await change({ role: 'USER', attributes: { job_title: 'Buyer', note: 'salary' }, tags: [{ name: 'vip' }] })
  })
})

describe('the feature people_directory', () => {
  const answers = async () =>
    (await Promise.all([list(), person('ann'), list({ id: 'ann' })])).map(({ status, body }) => [
      status,
      body.error_code,
    ])
  const ok = [200, undefined]
  const off = [403, 'FEATURE_DISABLED']

  it('is on by default, can be switched off and on', async () => {
    expect(await answers()).toEqual([ok, ok, ok])
    const { body } = await call('updateOrganisationSettings', { body: { features: { people_directory: false } } })
    expect(body.features).toEqual({ tasks: true, user_deactivation: true, people_directory: false })
    expect(await answers()).toEqual([off, off, off])
    expect((await call('listPeople', {})).body.error_code).toBe('FEATURE_DISABLED')
    await call('updateOrganisationSettings', { body: { features: { people_directory: true } } })
    expect(await answers()).toEqual([ok, ok, ok])
  })

  it('is on in settings that were stored before it, and switching it on there changes nothing', async () => {
    const features = async () => ((await service.store.get(organisationKey)) as Any).data.features
    const older = { tasks: true, user_deactivation: true }
    expect(await features()).toEqual(older)
    expect(await answers()).toEqual([ok, ok, ok])
    const settings = await call('getOrganisationSettings', {})
    expect(settings.body.features.people_directory).toBe(true)
    expect((await call('getMe', { as: 'plain' })).body.features.people_directory).toBe(true)
    const same = await call('updateOrganisationSettings', {
      body: { features: { people_directory: true } },
      headers: { 'if-match': settings.headers['etag'] as string },
    })
    expect([same.status, same.headers['etag']]).toEqual([200, settings.headers['etag']])
    expect(await features()).toEqual(older)
    await call('updateOrganisationSettings', { body: { features: { people_directory: false } } })
    expect(await answers()).toEqual([off, off, off])
    await call('updateOrganisationSettings', { body: { features: { people_directory: true } } })
  })
})
