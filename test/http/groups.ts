import { beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../harness/call.ts'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import type { Ask } from './service.ts'

const groupsPath = '/api/admin/users/v4/user-groups'
const title = (text: string) => [{ language: 'en-GB', text }]
const group = (parts: object) => ({ body: { title: title('New'), parent_id: 'root', ...parts } })
const rows: ErrorRow[] = [
  ['UNAUTHENTICATED', 'GET', groupsPath, { token: null }],
  ['PERMISSION_MISSING', 'POST', groupsPath, { ...group({}), as: 'plain' }],
  ['METHOD_NOT_ALLOWED', 'PUT', `${groupsPath}/sales`],
  ['VALIDATION_ERROR', 'POST', groupsPath, group({ title: [] })],
  ['VALIDATION_ERROR', 'GET', `${groupsPath}?sort=TITLE_ASC`],
  ['VALIDATION_ERROR', 'GET', `${groupsPath}/-`],
  ['LANGUAGE_NOT_ENABLED', 'POST', groupsPath, group({ title: [{ language: 'fr', text: 'Neuf' }] })],
  ['UNKNOWN_USER_GROUP_ID', 'POST', groupsPath, group({ parent_id: 'nowhere' })],
  ['DUPLICATE_ID', 'POST', groupsPath, group({ id: 'sales' })],
  ['DUPLICATE_EXTERNAL_ID', 'POST', groupsPath, group({ external_id: 'P' })],
  ['USER_GROUP_ARCHIVED', 'PATCH', `${groupsPath}/archived`, { body: { title: title('New') } }],
  ['USER_GROUP_NOT_FOUND', 'GET', `${groupsPath}/nowhere`],
  ['USER_GROUP_NOT_ARCHIVED', 'POST', `${groupsPath}/sales/restore`],
  ['USER_GROUP_IS_PREDEFINED', 'POST', `${groupsPath}/root/archive`],
  ['USER_GROUP_IS_PREDEFINED', 'PATCH', `${groupsPath}/all-users`, { body: { parent_id: 'sales' } }],
  ['PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE', 'PATCH', `${groupsPath}/sales`, { body: { parent_id: 'sales' } }],
]

export const groups = (ask: Ask) =>
  describe('groups', () => {
    beforeAll(() => ask('PATCH', `${groupsPath}/sales`, { body: { external_id: 'P' } }))

    it('one is created, listed, moved and read', async () => {
      const body = { id: 'press', external_id: 'Q', title: title('Press'), parent_id: 'sales' }
      expect(await ask('POST', `${groupsPath}?embed=PATH`, { body })).toMatchObject({
        status: 201,
        body: { type: 'CUSTOM' },
      })
      const list = await ask('GET', `${groupsPath}?search_term=pres&parent_id[]=sales&embed=ACTIONS&typo=1`)
      expect(list.body.groups.map((group: Any) => [group.id, group.title])).toEqual([['press', title('Press')[0]]])
      expect(list.headers.get('x-ignored-parameters')).toBe('typo')
      const merge = { 'content-type': 'application/merge-patch+json' }
      expect(
        (await ask('PATCH', `${groupsPath}/press`, { raw: '{"parent_id":null}', headers: merge })).body,
      ).toMatchObject({
        parent_id: 'root',
      })
      expect((await ask('GET', `${groupsPath}/press?embed=PATH`)).body.path.map((one: Any) => one.id)).toEqual([
        'root',
        'press',
      ])
      expect(await ask('POST', `${groupsPath}/press/archive`, { body: { stray: true } })).toMatchObject({
        status: 200,
        body: { id: 'press', status: 'ARCHIVED' },
      })
      expect((await ask('POST', `${groupsPath}/press/restore?embed=ACTIONS`)).body).toMatchObject({
        status: 'ACTIVE',
        actions: { delete: { allowed: false } },
      })
      await ask('POST', `${groupsPath}/press/archive`)
      expect(await ask('DELETE', `${groupsPath}/press`, { body: {} })).toMatchObject({ status: 204, body: undefined })
      expect((await ask('GET', `${groupsPath}/press`)).body.error_code).toBe('USER_GROUP_NOT_FOUND')
    })

    it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

    it('reach every code that the contracts name', () => {
      expect(unreached(['User groups'], rows, [])).toEqual([])
    })
  })
