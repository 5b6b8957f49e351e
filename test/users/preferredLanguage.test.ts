import { beforeEach, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { faultLines } from '../../domain/import/importErrors.ts'
import { USER_URN } from '../../domain/scim/schema.ts'
import { userKey } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { contextOf } from '../import/directory.ts'
import { emptyTable } from '../import/emptyTable.ts'
import { patchBody, scim } from '../scim/scim.ts'

let service: Service
beforeEach(async () => {
  service = await startService()
  await speak('en-GB', 'de-DE', 'fr')
})

const speak = async (...languages: string[]) =>
  expect((await call('updateOrganisationSettings', { body: { languages } })).status).toBe(200)
const names = (id: string) => ({ id, username: id, first_name: id, last_name: 'X' })
const create = (id: string, parts: object = {}) => call('createUser', { body: { ...names(id), ...ordinary, ...parts } })
const update = (id: string, body: object, headers = {}) => call('updateUser', { path: { user_id: id }, body, headers })
const get = (id: string) => call('getUser', { path: { user_id: id } })
const stored = async (id: string): Promise<Any> => (await service.store.get(userKey(id)))?.data
const refused = { code: 'LANGUAGE_NOT_ENABLED', property: 'preferred_language' }
const refusalIn = ({ body }: { body: Any }) => ({ code: body.error_code, property: body.property })

const propertiesIn = ({ errors }: Any): string[] =>
  [...new Set<string>(errors.map(({ property }: Any) => property))].sort()

describe('a preferred language', () => {
  it.each([
    ['de-DE', 'de-DE'],
    ['DE-de', 'de-DE'],
    ['FR', 'fr'],
    [null, null],
    [undefined, null],
  ])('sent as %s is stored as %s', async (sent, expected) => {
    const made = await create('u', { preferred_language: sent })
    expect([made.status, made.body.preferred_language]).toEqual([201, expected])
    expect((await get('u')).body.preferred_language).toBe(expected)
    expect('preferred_language' in (await stored('u'))).toBe(expected !== null)
    await create('v')
    const patched = await update('v', { preferred_language: sent })
    expect([patched.status, patched.body.preferred_language]).toEqual([200, expected])
    await audit(service)
  })

  it.each([
    ['nl', refused],
    ['de', refused],
    ['de-DE-1996', refused],
    ['klingon!', refused],
    ['', refused],
    [7, { code: 'VALIDATION_ERROR', property: 'preferred_language' }],
    [['de-DE'], { code: 'VALIDATION_ERROR', property: 'preferred_language' }],
  ])('%j is refused', async (preferred_language, fault) => {
    expect(refusalIn(await create('u', { preferred_language }))).toEqual(fault)
    await create('v', { preferred_language: 'fr' })
    expect(refusalIn(await update('v', { preferred_language }))).toEqual(fault)
    const batch = await call('updateUsers', { body: { items: [{ id: 'v', body: { preferred_language } }] } })
    expect(refusalIn({ body: batch.body.items[0].error })).toEqual(fault)
    expect((await get('v')).body.preferred_language).toBe('fr')
  })

  it('is one of all faults of a body', async () => {
    const { body } = await create('u', { preferred_language: 'nl', email: 'x', primary_user_group_id: 'nowhere' })
    expect(propertiesIn(body)).toEqual(['email', 'preferred_language', 'primary_user_group_id'])
  })

  it('stays when the organisation drops it, and may be sent back', async () => {
    await create('u', { preferred_language: 'fr' })
    await speak('en-GB', 'de-DE')
    const { body, headers } = await get('u')
    expect(body.preferred_language).toBe('fr')
    for (const sent of ['fr', 'FR']) {
      const same = await update('u', { preferred_language: sent, last_name: 'X' }, { 'if-match': headers['etag'] })
      expect([same.status, same.headers['etag'], same.body]).toEqual([200, headers['etag'], body])
    }
    const both = await update('u', { preferred_language: 'fr', email: 'x' })
    expect(propertiesIn(both.body)).toEqual(['email'])
    expect((await update('u', { preferred_language: null })).body.preferred_language).toBeNull()
    expect(refusalIn(await update('u', { preferred_language: 'fr' }))).toEqual(refused)
  })

  it('shows in events, and a user without one has the version of before', async () => {
    const { headers } = await create('u')
    await update('u', { preferred_language: 'fr' })
    await update('u', { preferred_language: 'de-DE' })
    // The service's clock stands still: all else is as it was.
    expect((await update('u', { preferred_language: null })).headers['etag']).toBe(headers['etag'])
    const { events } = (await call('listUserEvents', { path: { user_id: 'u' } })).body
    const changes = events.flatMap(({ changes }: Any) =>
      changes.filter(({ field }: Any) => field === 'preferred_language'),
    )
    expect(changes.map(({ before, after }: Any) => [before, after])).toEqual([
      ['de-DE', null],
      ['fr', 'de-DE'],
      [null, 'fr'],
    ])
    expect(await stored('u')).not.toHaveProperty('preferred_language')
  })

  it('is part of what a repeated creation compares', async () => {
    await create('u', { preferred_language: 'fr' })
    expect((await create('u', { preferred_language: 'FR' })).status).toBe(200)
    expect((await create('u')).body.error_code).toBe('USER_ID_ALREADY_EXISTS')
  })
})

it('texts are in the preferred language of a caller who names none, while the organisation uses it', async () => {
  await create('u', { preferred_language: 'de-DE', role: 'ADMIN' })
  const title = ['en-GB', 'de-DE', 'fr'].map((language) => ({ language, text: `title ${language}` }))
  await call('createRole', { body: { id: 'r', title, scope: 'CHANNELS', permissions: [] } })
  const shown = async (header?: string, as = 'u') => {
    const headers = header === undefined ? {} : { 'accept-language': header }
    const [list, access] = await Promise.all([
      call('listRoles', { as, query: 'type=CUSTOM', headers }),
      call('listUserAccess', { as, path: { user_id: 'u' }, headers }),
    ])
    expect(access.status).toBe(200)
    return [list.body.roles.find(({ id }: Any) => id === 'r').title.language, list.headers['content-language']]
  }
  expect(await shown()).toEqual(['de-DE', expect.stringContaining('de-DE')])
  expect((await shown('*'))[0]).toBe('de-DE')
  expect((await shown('*;q=0.5'))[0]).toBe('de-DE')
  expect((await shown('fr'))[0]).toBe('fr')
  expect((await shown('nl'))[0]).toBe('en-GB')
  expect((await shown(undefined, 'admin'))[0]).toBe('en-GB')
  await speak('en-GB', 'fr')
  expect((await shown())[0]).toBe('en-GB')
})

it('people see their language, and no one else does', async () => {
  await create('u', { preferred_language: 'fr' })
  expect((await call('getMe', { as: 'u' })).body.preferred_language).toBe('fr')
  expect((await call('getPerson', { as: 'plain', path: { person_id: 'u' } })).body).not.toHaveProperty(
    'preferred_language',
  )
})

describe('preferredLanguage of SCIM', () => {
  const post = (preferredLanguage: unknown) =>
    scim('POST', '/Users', { body: { schemas: [USER_URN], userName: 'u', preferredLanguage } })

  it.each([
    ['de-DE', 'de-DE'],
    ['DE-de', 'de-DE'],
    ['de-DE-1996', 'de-DE'],
    ['nl, fr;q=0.5, en-GB;q=0.8', 'en-GB'],
    ['fr-CH, de;q=0.9', 'fr'],
    ['de', undefined],
    ['de-AT', undefined],
    ['nl', undefined],
    ['*', undefined],
    ['', undefined],
    ['de_DE!', undefined],
  ])('%j means %s', async (sent, expected) => {
    const { status, body } = await post(sent)
    expect([status, body.preferredLanguage]).toEqual([201, expected])
    const ours = (await get(body.id)).body
    expect(ours.preferred_language).toBe(expected ?? null)
    // A language that means nothing changes nothing.
    await update(body.id, { preferred_language: 'en-GB' })
    const patched = await scim('PATCH', `/Users/${body.id}`, {
      body: patchBody({ op: 'replace', path: 'preferredLanguage', value: sent }),
    })
    expect([patched.status, patched.body.preferredLanguage]).toEqual([
      200,
      sent === '' ? undefined : (expected ?? 'en-GB'),
    ])
  })

  it('is cleared by a PUT without it, and by removing it', async () => {
    const { body } = await post('fr')
    const put = await scim('PUT', `/Users/${body.id}`, { body: { schemas: [USER_URN], userName: 'u' } })
    expect([put.status, put.body.preferredLanguage]).toEqual([200, undefined])
    await update(body.id, { preferred_language: 'fr' })
    const removed = await scim('PATCH', `/Users/${body.id}`, {
      body: patchBody({ op: 'remove', path: 'preferredLanguage' }),
    })
    expect([removed.status, removed.body.preferredLanguage]).toEqual([200, undefined])
  })

  it('stays as it is while the organisation does not use it', async () => {
    const { body } = await post('fr')
    await speak('en-GB')
    const resource = (await scim('GET', `/Users/${body.id}`)).body
    expect(resource.preferredLanguage).toBe('fr')
    const put = await scim('PUT', `/Users/${body.id}`, { body: resource })
    expect([put.status, put.body]).toEqual([200, resource])
    const patched = await scim('PATCH', `/Users/${body.id}`, {
      body: patchBody({ op: 'replace', path: 'displayName', value: 'Someone Else' }),
    })
    expect([patched.status, patched.body.preferredLanguage]).toEqual([200, 'fr'])
  })
})

it('rules can look at it, also at one that the organisation has dropped', async () => {
  for (const [id, preferred_language] of Object.entries({ a: 'fr', b: 'de-DE', c: null }))
    await create(id, { preferred_language })
  await speak('en-GB')
  const matching = async (operator: string, values?: string[]) => {
    const conditions = [{ field: 'PREFERRED_LANGUAGE', operator, ...(values ? { values } : {}) }]
    const { status, body } = await call('previewRule', { body: { conditions } })
    return status === 200
      ? body.users
          .map(({ id }: Any) => id)
          .filter((id: string) => id.length === 1)
          .sort()
      : body.property
  }
  expect(await matching('EQUALS', ['FR', 'nl'])).toEqual(['a'])
  expect(await matching('NOT_EQUALS', ['fr'])).toEqual(['b', 'c'])
  expect(await matching('IS_SET')).toEqual(['a', 'b'])
  expect(await matching('IS_NOT_SET')).toEqual(['c'])
  expect(await matching('STARTS_WITH', ['d'])).toBe('conditions.0.operator')
  expect(await matching('CONTAINS', ['d'])).toBe('conditions.0.operator')
})

it('a rule follows a change of the language', async () => {
  await create('u')
  const title = [{ language: 'en-GB', text: 'Group' }]
  const group = (await call('createGroup', { body: { title, parent_id: 'root' } })).body.id
  const [role] = (await call('listRoles', { query: 'scope=USER_GROUPS' })).body.roles
  const conditions = [{ field: 'PREFERRED_LANGUAGE', operator: 'EQUALS', values: ['fr'] }]
  const body = { title: 'French', user_group_id: group, role_id: role.id, conditions }
  expect((await call('createRule', { body })).status).toBe(201)
  const members = async () =>
    (await call('listGroupAssignments', { path: { group_id: group } })).body.assignments.length
  expect(await members()).toBe(0)
  await update('u', { preferred_language: 'fr' })
  expect(await members()).toBe(1)
  await update('u', { preferred_language: null })
  expect(await members()).toBe(0)
  await audit(service)
})

it('an import takes the languages of its file, and lists a stored user who has another one', async () => {
  const table = await emptyTable()
  const put = (users: object[], more: object = {}) =>
    importDirectory(contextOf(table), { ...more, users }).catch((error: unknown) => error as Any)
  const user = (id: string, preferred_language?: string) => ({ ...names(id), preferred_language })
  const organisation = { default_language: 'en-GB', languages: ['en-GB', 'fr-FR'] }
  await put([user('a', 'FR-fr'), user('b')], { organisation })
  const languageOf = async (id: string) => (await table.store.get(userKey(id)))?.data
  expect(await languageOf('a')).toMatchObject({ preferred_language: 'fr-FR' })
  expect(await languageOf('b')).not.toHaveProperty('preferred_language')
  const fault = 'users[0].preferred_language: must be a language of the organisation'
  expect(faultLines((await put([user('c', 'nl')])).faults, 10)).toEqual([fault])
  const again = await put([user('a', 'fr-fr'), user('b', 'en-gb')])
  expect(again.users).toMatchObject({ unchanged: 1, different: 1 })
  await put([], { organisation: { languages: ['en-GB'] } })
  expect((await put([user('a', 'fr-FR')])).users).toMatchObject({ unchanged: 1 })
  expect(faultLines((await put([user('b', 'fr-FR')])).faults, 10)).toEqual([fault])
  await audit(table)
})
