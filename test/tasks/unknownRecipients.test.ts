import { beforeAll, expect, it } from 'vitest'
import { type Any, call } from '../harness/call.ts'
import { startService } from '../harness/service.ts'
import * as w from './work.ts'

// Of many recipients that a request names, its refusal says which are unknown, as the request has spelt them.

beforeAll(async () => {
  const service = await startService()
  for (const id of ['author', 'ann', 'bob', 'locked', 'gone']) await w.newUser(id)
  await call('lockUser', { path: { user_id: 'locked' } })
  await w.newTask(service.store, { id: 'drill' }, { ann: 'NEW', bob: 'OPEN', gone: 'NEW' })
  await w.newTask(service.store, { id: 'walk' }, { ann: 'NEW', bob: 'OPEN', gone: 'NEW' })
  await call('lockUser', { path: { user_id: 'gone' } })
  await w.newChannel(service.store, 'foreign', { owner: 'ann' })
})

const user = (id: string) => ({ id, type: 'USER' })
const channel = (id: string) => ({ id, type: 'CHANNEL' })
const path = { task_id: 'drill' }

it.each<[string, Any, string, string, string[]]>([
  ['createTask', [user('ann'), user('nobody')], 'UNKNOWN_USER_ID', 'must name an active user', ['recipients.1.id']],
  [
    'createTask',
    [user('ann'), user('ann'), user('locked'), user('bob'), user('nobody'), user('locked')],
    'UNKNOWN_USER_ID',
    'must name an active user',
    ['recipients.2.id', 'recipients.4.id'],
  ],
  ['createTask', [channel('nowhere')], 'UNKNOWN_CHANNEL_ID', 'must name an active channel', ['recipients.0.id']],
  [
    'addTaskAssignments',
    ['gone', { id: 'ann' }, 'nobody', { id: 'locked' }, 'author'],
    'UNKNOWN_USER_ID',
    'must name an active user',
    ['user_ids.2', 'user_ids.3.id'],
  ],
  [
    'addTaskAssignments',
    ['author', { id: 'locked', type: 'USER' }],
    'UNKNOWN_USER_ID',
    'must name an active user',
    ['user_ids.1.id'],
  ],
  [
    'deleteTaskAssignments',
    ['drill~ann', 'drill,ann', { id: 'drill~bob' }, 'drill,nobody', { id: 'other~ann' }, 'nonsense'],
    'UNKNOWN_TASK_ASSIGNMENT_ID',
    'must name an assignment of the task',
    ['assignment_ids.3', 'assignment_ids.4.id', 'assignment_ids.5'],
  ],
  ['addTaskRecipient', user('locked'), 'UNKNOWN_USER_ID', 'must name an active user', ['recipient.id']],
  ['addTaskRecipient', channel('nowhere'), 'UNKNOWN_CHANNEL_ID', 'must name an active channel', ['recipient.id']],
])('%s of %j: %s, it %s', async (name, named, code, message, properties) => {
  const bodies: Record<string, Any> = {
    createTask: { title: 'T', recipients: named },
    addTaskRecipient: { recipient: named },
    addTaskAssignments: { user_ids: named },
    deleteTaskAssignments: { assignment_ids: named },
  }
  const { status, body } = await call(name, {
    as: 'author',
    body: bodies[name],
    ...(name === 'createTask' ? {} : { path }),
  })
  expect([status, body.error_code, body.property]).toEqual([400, code, properties[0]])
  expect(body.detail).toBe(`${properties[0]} ${message}`)
  expect(body.errors).toEqual(properties.map((property) => ({ property, message })))
})

it('a channel that is not the author’s is named, too', async () => {
  const { body } = await call('createTask', { as: 'author', body: { title: 'T', recipients: [channel('foreign')] } })
  expect([body.error_code, body.property]).toEqual(['NOT_ADMIN_OF_CHANNEL', 'recipients.0.id'])
})

it('of two who take the same away at once, the slower one learns what is gone', async () => {
  const [first, second] = await Promise.all([w.removeMany('walk', ['bob', 'ann']), w.removeMany('walk', ['ann'])])
  const { status, body } = first.status === 200 ? second : first
  expect([first, second].map((one) => one.status).filter((one) => one === 200)).toHaveLength(1)
  const place = first.status === 200 ? 'assignment_ids.0' : 'assignment_ids.1'
  expect([
    [400, 'UNKNOWN_TASK_ASSIGNMENT_ID', place],
    [404, 'TASK_ASSIGNMENT_NOT_FOUND', place],
  ]).toContainEqual([status, body.error_code, body.property])
})
