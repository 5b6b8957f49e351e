import { expect } from 'vitest'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'

// The calls by which the tests of user groups set up what they need.

export const title = [{ language: 'en-GB', text: 'Some group' }]

export async function made(group: string, parent_id = 'root', more = {}): Promise<string> {
  const reply = await call('createGroup', { body: { id: group, title, parent_id, ...more } })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return group
}

export async function newUser(user: string, group = 'all-users'): Promise<string> {
  const body = { id: user, username: user, first_name: 'Ann', last_name: user, primary_user_group_id: group }
  expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
  return user
}

export const on = (name: string, group_id: string, query = {}): Promise<Reply> =>
  call(name, { path: { group_id }, query })

export const primaryOf = async (user_id: string): Promise<string> =>
  (await call('getUser', { path: { user_id } })).body.primary_user_group?.id

export async function codeOf(reply: Promise<Reply>) {
  const { body } = await reply
  return [body.error_code, body.property]
}

/** The scheduled run, by default when all that is left to do is due. */
export async function runSchedule(service: Service, moment = '2026-11-21T09:05:00.000Z'): Promise<void> {
  service.setNow(moment)
  await purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
}
