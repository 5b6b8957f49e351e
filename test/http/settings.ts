import { describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type ErrorRow, expectError } from './errorRows.ts'
import type { Ask } from './service.ts'

const calendar = '/api/admin/calendar/v4/calendar-settings'
const organisation = '/api/admin/organisations/v4/settings'
const users = '/api/admin/users/v4/users'
const mergePatch = { 'content-type': 'application/merge-patch+json' }

const rows: ErrorRow[] = [
  ['UNAUTHENTICATED', 'GET', calendar, { token: null }],
  ['UNAUTHENTICATED', 'GET', '/api/calendar/v4/settings', { token: 'a.b.c' }],
  ['UNAUTHENTICATED', 'PATCH', organisation, { token: null, body: {} }],
  ['PERMISSION_MISSING', 'GET', calendar, { as: 'plain' }],
  ['PERMISSION_MISSING', 'PATCH', calendar, { as: 'plain', body: {} }],
  ['PERMISSION_MISSING', 'GET', organisation, { as: 'plain' }],
  ['PERMISSION_MISSING', 'PATCH', organisation, { as: 'plain', body: {} }],
  ['PERMISSION_MISSING', 'POST', `${users}/idle/reactivate`, { as: 'plain' }],
  ['VALIDATION_ERROR', 'PATCH', calendar],
  ['VALIDATION_ERROR', 'PATCH', calendar, { body: { time_zone: '+01:00' } }],
  ['VALIDATION_ERROR', 'PATCH', calendar, { body: { working_hours: { start: '23:00' } } }],
  ['VALIDATION_ERROR', 'PATCH', organisation, { raw: '{', headers: mergePatch }],
  ['VALIDATION_ERROR', 'PATCH', organisation, { body: { languages: [] } }],
  ['LANGUAGE_NOT_ENABLED', 'PATCH', organisation, { body: { default_language: 'fr-FR' } }],
  ['UNSUPPORTED_MEDIA_TYPE', 'PATCH', calendar, { raw: 'a=b', headers: { 'content-type': 'text/plain' } }],
  ['METHOD_NOT_ALLOWED', 'PATCH', '/api/calendar/v4/settings', { body: {} }],
  ['METHOD_NOT_ALLOWED', 'DELETE', organisation],
  ['USER_NOT_FOUND', 'POST', `${users}/nobody/reactivate`],
  ['USER_MODIFICATION_NOT_ALLOWED', 'POST', `${users}/leaving/reactivate`],
  ['USER_MODIFICATION_NOT_ALLOWED', 'POST', `${users}/robot/reactivate`],
]

export const settings = (ask: Ask) =>
  describe('settings', () => {
    it('of the calendar are changed by administrators and seen by everybody', async () => {
      const raw =
        '{ "time_zone": "Europe/Berlin", "working_hours": { "end": "18:00" }, "default_reminder_minutes": null }'
      const changed = await ask('PATCH', calendar, { raw, headers: mergePatch })
      expect([changed.status, changed.body.updated_by]).toEqual([200, 'admin'])
      expect((await ask('GET', calendar)).body).toEqual(changed.body)
      const { updated_by: _by, ...everybody } = changed.body
      expect((await ask('GET', '/api/calendar/v4/settings', { as: 'plain' })).body).toEqual(everybody)
      expect(everybody).toMatchObject({
        working_hours: { start: '09:00', end: '18:00' },
        default_reminder_minutes: null,
      })
    })

    it('of the organisation switch features off', async () => {
      const off = { raw: '{ "features": { "tasks": false, "user_deactivation": false } }', headers: mergePatch }
      expect((await ask('PATCH', organisation, off)).status).toBe(200)
      // An instance remembers the settings for up to five seconds.
      const tasks = () => ask('GET', '/api/tasks/v4/tasks/assignments?distribution_kind=RECEIVED', { as: 'plain' })
      await expect.poll(async () => (await tasks()).body.error_code).toBe('FEATURE_DISABLED')
      const deactivated = () => ask('POST', `${users}/plain/deactivate`)
      await expect.poll(async () => (await deactivated()).body.error_code).toBe('FEATURE_NOT_ENABLED')
      expect((await ask('POST', `${users}/idle/reactivate`)).body.status).toBe('ACTIVE')
      const on = await ask('PATCH', organisation, { body: { features: { tasks: true, user_deactivation: true } } })
      expect(on.body.features).toEqual({ tasks: true, user_deactivation: true, people_directory: true })
      expect((await ask('GET', organisation)).body).toEqual(on.body)
      expect((await ask('POST', `${users}/idle/deactivate`)).body.status).toBe('DEACTIVATED')
    })

    it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

    it('reach every code that the contracts name', () => {
      const named = Object.values(contracts)
        .filter(({ tag, name }) => ['Calendar settings', 'Organisation'].includes(tag) || name === 'reactivateUser')
        .flatMap((contract) => contract.errors)
      const reached = rows.map(([code]) => code)
      expect([...new Set(named)].filter((code) => !reached.includes(code))).toEqual([])
    })
  })
