import { beforeAll, describe, expect, it } from 'vitest'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import type { Ask } from './service.ts'

const rolesPath = '/api/admin/users/v4/roles'
const groups = '/api/admin/users/v4/user-groups'
const title = [{ language: 'en-GB', text: 'Mentor' }]
const mentor = { title, scope: 'USER_GROUPS' }
const rows: ErrorRow[] = [
  ['PERMISSION_MISSING', 'GET', rolesPath, { as: 'plain' }],
  ['VALIDATION_ERROR', 'POST', rolesPath, { body: {} }],
  ['LANGUAGE_NOT_ENABLED', 'POST', rolesPath, { body: { ...mentor, title: [{ language: 'fr', text: 'X' }] } }],
  ['DUPLICATE_ID', 'POST', rolesPath, { body: { ...mentor, id: 'coach' } }],
  ['DUPLICATE_EXTERNAL_ID', 'POST', rolesPath, { body: { ...mentor, external_id: 'R-1' } }],
  ['ROLE_NOT_FOUND', 'GET', `${rolesPath}/nobody`],
  ['ROLE_NOT_MODIFIABLE', 'PATCH', `${rolesPath}/group-owner`, { body: { assignable: false } }],
  ['ROLE_NOT_MODIFIABLE', 'DELETE', `${rolesPath}/group-owner`],
  ['ROLE_IN_USE', 'DELETE', `${rolesPath}/used`],
  ['METHOD_NOT_ALLOWED', 'PUT', `${rolesPath}/used`],
]

export const roles = (ask: Ask) =>
  describe('roles', () => {
    beforeAll(async () => {
      await ask('POST', rolesPath, { body: { ...mentor, id: 'used', external_id: 'R-1' } })
      await ask('POST', `${groups}/sales/assignments`, { body: { user_id: 'plain', role_id: 'used' } })
    })

    it('a role is made, handed out, changed, taken back and deleted with nothing but HTTP', async () => {
      const created = await ask('POST', rolesPath, { body: { ...mentor, id: 'mentor', permissions: ['GROUP_VIEW'] } })
      expect(created).toMatchObject({ status: 201, body: { id: 'mentor', title, type: 'CUSTOM' } })
      const assignment = `${groups}/sales/assignments`
      expect((await ask('POST', assignment, { body: { user_id: 'plain', role_id: 'mentor' } })).status).toBe(201)
      const merge = { 'content-type': 'application/merge-patch+json' }
      const raw = '{"title":[{"language":"de-DE","text":"Mentorin"}],"assignable":false}'
      const patched = await ask('PATCH', `${rolesPath}/mentor`, { raw, headers: merge })
      expect((await ask('GET', `${rolesPath}/mentor`)).body).toEqual(patched.body)
      const list = await ask('GET', `${rolesPath}?scope=USER_GROUPS&type[]=CUSTOM&sort=TITLE_DESC`)
      expect(list.body.roles.map(({ id }: { id: string }) => id)).toEqual(['reserved', 'coach', 'mentor', 'used'])
      expect((await ask('DELETE', `${assignment}/plain/mentor`)).status).toBe(200)
      expect(await ask('DELETE', `${rolesPath}/mentor`)).toMatchObject({ status: 204, body: undefined })
    })

    it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

    it('reach every code that the contracts name', () => {
      expect(unreached(['Roles'], rows, [])).toEqual([])
    })
  })
