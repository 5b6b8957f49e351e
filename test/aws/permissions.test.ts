import { beforeAll, expect, test } from 'vitest'
import { layoutKey, serviceTokenKey, webhookKey } from '../../domain/table/keys.ts'
import { noteOnce, workEntry } from '../../domain/table/work.ts'
import { noteRecipients } from '../../domain/tasks/addRecipients.ts'
import { taskItem } from '../../domain/tasks/task.ts'
import { handler as refuseInactiveUser } from '../../handlers/identity/refuseInactiveUser.ts'
import { handler as finishWork } from '../../handlers/maintenance/finishWork.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { serviceFunctions } from '../../local/build/yamlFiles.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite, strike } from '../harness/faults.ts'
import { allowedTo, isAllowed, statementsOf, usedBy } from '../harness/permissions.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { handedOver } from '../plans/plans.ts'

// call() holds every endpoint's calls against its role, in all tests; here are the functions that are not endpoints.

const webhookWriters = [
  ...['createWebhook', 'deleteWebhook', 'deliver', 'redeliver'],
  ...['replayEvents', 'rotateWebhook', 'testWebhook', 'updateWebhook'],
]

let service: Service

beforeAll(async () => {
  service = await startService({ users: [...people, { id: 'leaving', username: 'leaving' }], indexes: ['by_id'] })
})

test('a call is seen to ask for what it does', async () => {
  const path = { user_id: 'plain' }
  const { used } = await usedBy(() => call('getUser', { path }))
  expect(used).toEqual([])
  await expect(usedBy(() => service.store.get({ pk: 'a', sk: 'b' }))).resolves.toMatchObject({ used: ['BatchGetItem'] })
  const search = { index: 'find', hash: 'x' }
  await expect(usedBy(() => service.store.query(search))).resolves.toMatchObject({ used: ['Query find'] })
  expect(allowedTo('getUser')).not.toContain('PutItem')
  expect(allowedTo('getUser')).not.toContain('Query find')
})

const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']

test.each<[string, string, string[]]>([
  [
    'service tokens',
    serviceTokenKey('x').pk,
    // The schedule notes in a token that it has announced its end.
    ['createServiceToken', 'deleteServiceToken', 'purge', 'rotateServiceToken', 'updateServiceToken'],
  ],
  ['webhooks', webhookKey('x').pk, webhookWriters],
  ['deliveries', 'WEBHOOK#x', webhookWriters],
  ['the layout', layoutKey.pk, ['finishWork', 'purge']],
])('%s are written only by functions that have code for it', (_what, partition, wanted) => {
  const writers = Object.keys(serviceFunctions()).filter((name) =>
    writing.some((action) => isAllowed(statementsOf(name), action, [partition])),
  )
  expect(writers.sort()).toEqual(wanted)
  // A batch with one such item among others is denied as a whole.
  expect(isAllowed(statementsOf('importDirectory'), 'BatchWriteItem', ['USER#x', partition])).toBe(false)
  expect(isAllowed(statementsOf('importDirectory'), 'BatchWriteItem', ['USER#x'])).toBe(true)
})

test.each([
  ['PutItem serviceTokens', { put: { ...serviceTokenKey('x'), scopes: ['ADMINISTRATORS'] } }],
  ['DeleteItem webhooks', { delete: webhookKey('x') }],
  ['PutItem layout', { put: { ...layoutKey, number: 9 } }],
])('a function with `write` that tries %s is refused', async (asked, action) => {
  const { used } = await usedBy(() => service.store.write([action, { put: { pk: 'USER#x', sk: 'TEST' } }]))
  expect(used).toEqual([...new Set([asked, 'PutItem'])].sort())
  expect(allowedTo('updateUser')).toContain('PutItem')
  expect(allowedTo('updateUser')).not.toContain(asked)
  await service.store.write([
    { delete: layoutKey },
    { delete: serviceTokenKey('x') },
    { delete: { pk: 'USER#x', sk: 'TEST' } },
  ])
})

test('the purge may do exactly what it does', async () => {
  await call('createGroupAssignment', {
    path: { group_id: 'sales' },
    body: { user_id: 'plain', role_id: 'group-member' },
  })
  await call('updateUser', { path: { user_id: 'plain' }, body: { primary_user_group_id: 'sales' } })
  // A call died before the task was given to all recipients.
  const task = { id: 'task', external_id: null, title: '', body: {}, author_id: 'admin', due_at: null, settings: null }
  const at = service.now().toISOString()
  const whole = { ...task, created_at: at, updated_at: at }
  await service.store.bulk([{ put: taskItem(whole, { count: 0, open: 0, finished: 0 }) }])
  await noteRecipients(service.store, { task: whole, userIds: ['plain'], now: at, id: 'work' })
  // Another one died after it had changed the task.
  await service.store.write([noteOnce(workEntry('places', 'task', { task: 'task' }, at))])
  // A call that archived a group died before its members had been moved.
  const throttled = strike(service.client, (_n, command) => (command.startsWith('Query') ? 'throttle' : undefined))
  await call('archiveGroup', { path: { group_id: 'sales' } }).finally(throttled.heal)
  await call('deleteUser', { path: { user_id: 'leaving' } })
  // The first rule of an organisation is applied by the schedule.
  await call('createGroup', { body: { id: 'crew', title: [{ language: 'en-GB', text: 'Crew' }], parent_id: 'root' } })
  const conditions = [{ field: 'TAG', operator: 'IS_SET' }]
  await call('createRule', { body: { title: 'Tags', user_group_id: 'crew', role_id: 'coach', conditions } })
  // A worker died while it looked at everybody for a plan.
  const plan = { kind: 'SELECTION', select: { all: true }, change: { action: 'LOCK' } }
  const { body } = await call('createPlan', { body: plan })
  const { heal } = dieAfterWrite(service.client, 2)
  await finishWork(...handedOver(body.id))
  heal()
  service.setNow('2026-12-24T09:00:00.000Z')
  const { used, answer } = await usedBy(() => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any))
  expect(answer.purged).toBe(1)
  // It writes the layout only in a migration, and service tokens when it announces their end.
  expect(
    allowedTo('purge')
      .filter((one) => !/ (layout|serviceTokens)$/.test(one))
      .sort(),
  ).toEqual(used)
})

test('the user pool’s trigger reads', async () => {
  const event = { version: '1', triggerSource: 'PreAuthentication_Authentication', userName: 'admin' }
  const { used } = await usedBy(() =>
    refuseInactiveUser(event as Any, { getRemainingTimeInMillis: () => 5_000 } as Any),
  )
  expect(used).toEqual(['BatchGetItem'])
  expect(allowedTo('refuseInactiveUser')).toEqual(expect.arrayContaining(used))
})
