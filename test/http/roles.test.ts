import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import { type Running, startHttp } from './service.ts'

let service: Running
beforeAll(async () => {
  service = await startHttp()
  await ask('POST', roles, { body: { ...mentor, id: 'used', external_id: 'R-1' } })
  await ask('POST', `${groups}/sales/assignments`, { body: { user_id: 'plain', role_id: 'used' } })
}, 120_000)
afterAll(() => service?.stop())

const roles = '/api/admin/users/v4/roles'
const groups = '/api/admin/users/v4/user-groups'
const ask = (...request: Parameters<Running['request']>) => service.request(...request)
const title = [{ language: 'en-GB', text: 'Mentor' }]
const mentor = { title, scope: 'USER_GROUPS' }

it('a role is made, handed out, changed, taken back and deleted with nothing but HTTP', async () => {
  const created = await ask('POST', roles, { body: { ...mentor, id: 'mentor', permissions: ['GROUP_VIEW'] } })
  expect(created).toMatchObject({ status: 201, body: { id: 'mentor', title, type: 'CUSTOM' } })
  const assignment = `${groups}/sales/assignments`
  expect((await ask('POST', assignment, { body: { user_id: 'plain', role_id: 'mentor' } })).status).toBe(201)
  const merge = { 'content-type': 'application/merge-patch+json' }
  const raw = '{"title":[{"language":"de-DE","text":"Mentorin"}],"assignable":false}'
  const patched = await ask('PATCH', `${roles}/mentor`, { raw, headers: merge })
  expect((await ask('GET', `${roles}/mentor`)).body).toEqual(patched.body)
  const list = await ask('GET', `${roles}?scope=USER_GROUPS&type[]=CUSTOM&sort=TITLE_DESC`)
  expect(list.body.roles.map(({ id }: { id: string }) => id)).toEqual(['reserved', 'coach', 'mentor', 'used'])
  expect((await ask('DELETE', `${assignment}/plain/mentor`)).status).toBe(200)
  expect(await ask('DELETE', `${roles}/mentor`)).toMatchObject({ status: 204, body: undefined })
})

const rows: ErrorRow[] = [
  ['PERMISSION_MISSING', 'GET', roles, { as: 'plain' }],
  ['VALIDATION_ERROR', 'POST', roles, { body: {} }],
  ['LANGUAGE_NOT_ENABLED', 'POST', roles, { body: { ...mentor, title: [{ language: 'fr', text: 'X' }] } }],
  ['DUPLICATE_ID', 'POST', roles, { body: { ...mentor, id: 'coach' } }],
  ['DUPLICATE_EXTERNAL_ID', 'POST', roles, { body: { ...mentor, external_id: 'R-1' } }],
  ['ROLE_NOT_FOUND', 'GET', `${roles}/nobody`],
  ['ROLE_NOT_MODIFIABLE', 'PATCH', `${roles}/group-owner`, { body: { assignable: false } }],
  ['ROLE_NOT_MODIFIABLE', 'DELETE', `${roles}/group-owner`],
  ['ROLE_IN_USE', 'DELETE', `${roles}/used`],
  ['METHOD_NOT_ALLOWED', 'PUT', `${roles}/used`],
]

it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

it('every code that the contracts name is reached', () => {
  expect(unreached(['Roles'], rows, [])).toEqual([])
})
