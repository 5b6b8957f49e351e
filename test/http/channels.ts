import { describe, expect, it } from 'vitest'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import type { Ask } from './service.ts'

const channelsPath = '/api/admin/channels/v4/channels'
const title = [{ language: 'en-GB', text: 'Board' }]
const attach = (user_group_id: string) => ({ body: { user_group_id } })
const rows: ErrorRow[] = [
  ['VALIDATION_ERROR', 'POST', channelsPath, { body: {} }],
  ['LANGUAGE_NOT_ENABLED', 'POST', channelsPath, { body: { title: [{ language: 'fr', text: 'X' }] } }],
  ['ROLE_NOT_FOUND', 'POST', channelsPath, { body: { title, default_role_id: 'clown' } }],
  ['ROLE_NOT_ASSIGNABLE', 'POST', channelsPath, { body: { title, default_role_id: 'coach' } }],
  ['DUPLICATE_ID', 'POST', channelsPath, { body: { id: 'closed', title } }],
  ['CHANNEL_NOT_FOUND', 'GET', `${channelsPath}/nowhere`],
  ['CHANNEL_ARCHIVED', 'PATCH', `${channelsPath}/closed`, { body: {} }],
  ['CHANNEL_NOT_ARCHIVED', 'POST', `${channelsPath}/news/restore`],
  ['INVALID_USER_GROUP', 'POST', `${channelsPath}/news/assignments/user-groups`, attach('archived')],
  ['ASSIGNMENT_ALREADY_EXISTS', 'POST', `${channelsPath}/news/assignments/user-groups`, attach('all-users')],
  ['CHANNEL_USER_GROUP_NOT_FOUND', 'DELETE', `${channelsPath}/news/assignments/user-groups/sales`],
  ['METHOD_NOT_ALLOWED', 'DELETE', `${channelsPath}/news`],
]

export const channels = (ask: Ask) =>
  describe('channels', () => {
    it('a channel is set up, filled, closed and opened with nothing but HTTP', async () => {
      const created = await ask('POST', channelsPath, { body: { id: 'board', title } })
      expect(created).toMatchObject({ status: 201, body: { id: 'board', title, status: 'ACTIVE' } })
      const merge = { 'content-type': 'application/merge-patch+json' }
      const raw = '{"description":[{"language":"de-DE","text":"Für alle"}]}'
      const patched = await ask('PATCH', `${channelsPath}/board`, { raw, headers: merge })
      expect((await ask('GET', `${channelsPath}/board`)).body).toEqual(patched.body)
      const list = await ask('GET', `${channelsPath}?search_term=fur&status[]=ACTIVE&typo=1`)
      expect(list.body).toMatchObject({
        channels: [{ id: 'board', title: title[0] }],
        pagination: { total_elements: 1 },
      })
      expect(list.headers.get('x-ignored-parameters')).toBe('typo')
      expect(list.headers.get('content-language')).toBe('en-GB, de-DE')
      const groups = `${channelsPath}/board/assignments/user-groups`
      expect((await ask('POST', groups, { body: { user_group_id: 'sales' } })).status).toBe(201)
      expect((await ask('GET', groups)).body).toMatchObject({
        assignments: [{ id: 'sales', role_id: 'channel-member', user_group: { title: { text: 'Group sales' } } }],
        pagination: { total_elements: 1 },
      })
      expect(await ask('DELETE', `${groups}/sales`)).toMatchObject({ status: 204, body: undefined })
      expect((await ask('POST', `${channelsPath}/board/archive`)).body.status).toBe('ARCHIVED')
      expect((await ask('POST', `${channelsPath}/board/restore`)).body.status).toBe('ACTIVE')
    })

    it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

    it('reach every code that the contracts name', () => {
      expect(unreached(['Channels'], rows, [])).toEqual([])
    })
  })
