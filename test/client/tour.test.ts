import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startEmpty } from '../http/service.ts'
import { answered, clientOf } from './client.ts'

// One walk through the service from a directory that nobody has put anything in, by a client made from its OpenAPI
// document: that it compiles shows that the document says what a client needs, that it passes shows that it is true.

let service: Running
let admin: ReturnType<typeof clientOf>
beforeAll(async () => {
  service = await startEmpty()
  admin = clientOf(service.baseUrl, await service.tokenOf('service-account-admin'))
}, 120_000)
afterAll(() => service?.stop())

test('an empty directory is filled, and a task is done, with nothing but the API', async () => {
  const organisation = await answered(
    admin.PATCH('/api/admin/organisations/v4/settings', {
      body: { languages: ['en-GB', 'de-DE'], features: { tasks: true } },
    }),
  )
  expect(organisation).toMatchObject({ default_language: 'en-GB', languages: ['en-GB', 'de-DE'] })

  const ann = await answered(
    admin.POST('/api/admin/users/v4/users', { body: { first_name: 'Ann', last_name: 'Lee', username: 'ann' } }),
  )
  expect([ann.status, ann.role]).toEqual(['ACTIVE', 'USER'])
  const calendar = await answered(
    admin.PATCH('/api/admin/calendar/v4/calendar-settings', {
      body: { time_zone: 'Europe/Berlin', working_hours: { end: '18:00' } },
    }),
  )
  expect(calendar.working_hours).toEqual({ start: '09:00', end: '18:00' })
})

test('a refusal has its code by name', async () => {
  const path = { user_id: 'nobody' }
  const { error } = await admin.GET('/api/admin/users/v4/users/{user_id}', { params: { path } })
  expect(error?.error_code === 'USER_NOT_FOUND' && error.status === 404).toBe(true)
})
