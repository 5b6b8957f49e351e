import { beforeEach, expect, it } from 'vitest'
import { audit } from './audit.ts'
import { call } from './call.ts'
import { strike } from './faults.ts'
import { meanwhile } from './meanwhile.ts'
import { people } from './seed.ts'
import { type Service, startService } from './service.ts'

// The example of README.md.

const path = { user_id: 'zoe' }
let service: Service
beforeEach(async () => {
  service = await startService({ users: [...people, { id: 'zoe' }] })
})

it('a user who is deleted while another call locks them stays deleted', async () => {
  const deleteMeanwhile = async () => expect(await call('deleteUser', { path })).toMatchObject({ status: 200 })
  const reply = await meanwhile(service, deleteMeanwhile, () => call('lockUser', { path }))
  // The write is refused, so the operation runs again: now it sees the user pending deletion.
  expect([reply.status, reply.body.error_code]).toEqual([403, 'USER_MODIFICATION_NOT_ALLOWED'])
  expect((await call('getUser', { path })).body.status).toBe('PENDING_DELETION')
  await audit(service)
})

it.each([1, 2])('a process that dies after request %i of a deletion leaves nothing half done', async (request) => {
  const { heal } = strike(service.client, (number) => (number === request ? 'death' : undefined))
  const reply = await call('deleteUser', { path }).finally(heal)
  expect(reply.status).toBe(500)
  await audit(service)
  service.setNow('2026-11-21T09:01:00.000Z')
  expect((await call('deleteUser', { path })).body.status).toBe('PENDING_DELETION')
})
