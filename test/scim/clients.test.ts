import { beforeAll, expect, it } from 'vitest'
import { ENTERPRISE_URN, GROUP_URN, USER_URN } from '../../domain/scim/schema.ts'
import type { Any } from '../harness/call.ts'
import { startService } from '../harness/service.ts'
import { expectAnswer, patchBody, scim } from './scim.ts'

// What the tests of Okta and Entra send to a service, in their order.

beforeAll(() => startService({ indexes: 'all' }))

const list = (query: Record<string, string | number>) => scim('GET', '/Users', { query })

it('Okta: twelve requests of a new connection', async () => {
  // 1. A page of users: integers, and the first one can be read.
  const page = await list({ startIndex: 1, count: 2 })
  expect(page.body).toMatchObject({ itemsPerPage: 2, startIndex: 1, totalResults: expect.any(Number) })
  expect(page.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:ListResponse'])
  const [first] = page.body.Resources
  for (const name of ['id', 'userName', 'active']) expect(first[name]).toBeDefined()
  for (const name of ['givenName', 'familyName']) expect(first.name[name]).toBeTruthy()
  // 2. That user by id.
  expect((await scim('GET', `/Users/${first.id}`)).body.userName).toBe(first.userName)
  // 3. A userName that does not exist, in upper case.
  const none = await list({ filter: 'userName eq "RUNSCOPE700ABC@EXAMPLE.COM"' })
  expect(none.body).toMatchObject({ totalResults: 0, Resources: [] })
  // 4. An id that does not exist.
  const unknown = await scim('GET', '/Users/010101001010101011001010101011')
  expectAnswer(unknown, 404)
  expect(unknown.body.detail).toBeTruthy()
  // 5. A new user, with a body in the answer.
  const body = {
    schemas: [USER_URN],
    userName: 'okta.runner@example.com',
    name: { givenName: 'Okta', familyName: 'Runner' },
    emails: [{ primary: true, value: 'okta.runner@example.com', type: 'work' }],
    displayName: 'Okta Runner',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = await scim('POST', '/Users', { body })
  expectAnswer(created, 201)
  const { id } = created.body
  expect(created.body).toMatchObject({ active: true, userName: body.userName, name: { familyName: 'Runner' } })
  // 6. They can be read, and 7. found.
  expect((await scim('GET', `/Users/${id}`)).body).toEqual(created.body)
  expect(
    (await list({ filter: 'userName eq "okta.runner@example.com"', startIndex: 1, count: 100 })).body.totalResults,
  ).toBe(1)
  // 8. The same user again.
  const again = await scim('POST', '/Users', { body })
  expectAnswer(again, 409, 'uniqueness')
  // 9. Without a token.
  expectAnswer(await scim('GET', '/Users', { token: null }), 401)
  // 10. Groups.
  expect((await scim('GET', '/Groups')).body.totalResults).toEqual(expect.any(Number))
  // 11. The user is deactivated without a path, and 12. replaced by what GET answers, groups included.
  expect(
    (await scim('PATCH', `/Users/${id}`, { body: patchBody({ op: 'replace', value: { active: false } }) })).body.active,
  ).toBe(false)
  const current = (await scim('GET', `/Users/${id}`)).body
  const replaced = await scim('PUT', `/Users/${id}`, {
    body: { ...current, active: true, name: { ...current.name, givenName: 'Other' } },
  })
  expect(replaced.body).toMatchObject({ id, active: true, name: { givenName: 'Other', familyName: 'Runner' } })
})

it('Entra: a cycle of provisioning', async () => {
  // The test of a connection.
  expect((await list({ filter: 'userName eq "2819c223-7f76-453a-919d-413861904646"' })).body.totalResults).toBe(0)
  expect((await list({ filter: 'externalId eq jyoung' })).body.Resources).toEqual([])
  // A manager first, then a user who has them.
  const create = (userName: string, more: object = {}) =>
    scim('POST', '/Users', {
      body: { schemas: [USER_URN, ENTERPRISE_URN], userName, active: true, roles: [], ...more },
    })
  const boss = (await create('boss@contoso.example', { externalId: 'boss' })).body
  const user = (await create('jyoung@contoso.example', { externalId: 'jyoung', displayName: 'Joy Young' })).body
  const byId = await list({ filter: `id eq "${user.id}" and manager eq "${boss.id}"`, attributes: 'id' })
  expect(byId.body.totalResults).toBe(0)
  const patch = (...operations: unknown[]) => scim('PATCH', `/Users/${user.id}`, { body: patchBody(...operations) })
  expectAnswer(
    await patch(
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'jyoung@contoso.example' },
      { op: 'Add', path: `${ENTERPRISE_URN}:manager`, value: [{ $ref: null, value: boss.id }] },
      { op: 'Replace', path: 'name.familyName', value: 'Jung' },
    ),
    200,
  )
  expect((await list({ filter: 'emails[type eq "work"].value eq "jyoung@contoso.example"' })).body.totalResults).toBe(1)
  expectAnswer(await patch({ op: 'Replace', path: 'active', value: 'False' }), 200)
  expect((await scim('GET', `/Users/${user.id}`)).body).toMatchObject({ active: false, name: { familyName: 'Jung' } })
  // Groups.
  const group = (
    await scim('POST', '/Groups', {
      body: {
        schemas: [GROUP_URN, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'Contoso',
        meta: { resourceType: 'Group' },
      },
    })
  ).body
  const found = await scim('GET', '/Groups', {
    query: { excludedAttributes: 'members', filter: 'displayName eq "Contoso"' },
  })
  expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: group.id, displayName: 'Contoso' }] })
  expect(found.body.Resources[0]).not.toHaveProperty('members')
  const members = (op: string, ...ids: string[]) =>
    scim('PATCH', `/Groups/${group.id}`, {
      body: patchBody({ op, path: 'members', value: ids.map((value) => ({ $ref: null, value })) }),
    })
  expectAnswer(await members('Add', user.id, boss.id), 204)
  expectAnswer(await members('Remove', user.id), 204)
  const { body } = await scim('GET', `/Groups/${group.id}`)
  expect(body.members.map(({ value }: Any) => value)).toEqual([boss.id])
  // The end.
  expectAnswer(await scim('DELETE', `/Users/${user.id}`), 204)
  expectAnswer(await scim('DELETE', `/Groups/${group.id}`), 204)
})
