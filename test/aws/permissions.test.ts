import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { handler as refuseInactiveUser } from '../../handlers/identity/refuseInactiveUser.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import type { Permission } from '../../local/build/deployment.ts'
import { contracts } from '../../schemas/contracts.ts'
import { type Any, call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'

const yaml = parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8'), { logLevel: 'silent' })
const used = new Set<string>()
let service: Service

/** What IAM asks permission for when a command is sent. */
function actionsOf(command: string, { TransactItems = [], IndexName }: Any): string[] {
  const kinds: Record<string, string> = { Check: 'ConditionCheckItem', Put: 'PutItem', Update: 'UpdateItem' }
  if (command === 'TransactWriteItemsCommand')
    return TransactItems.map(
      (item: object) => kinds[Object.keys(item)[0]?.replace('Condition', '') ?? ''] ?? 'DeleteItem',
    )
  return [command.replace(/Command$/, '') + (IndexName ? ` ${IndexName}` : '')]
}

beforeAll(async () => {
  service = await startService({
    users: [
      ...['admin', 'admin-2'].map((id) => ({ id, username: id, role: 'ADMIN' as const })),
      ...Array.from({ length: 12 }, (_, n) => ({ id: `user-${n}`, username: `user-${n}` })),
    ],
    features: { user_deactivation: true },
  })
  service.client.middlewareStack.add(
    (next, context) => async (args) => {
      for (const action of actionsOf(String(context.commandName), args.input)) used.add(action)
      return next(args)
    },
    { step: 'initialize', name: 'record' },
  )
})

/** What the function's role in serverless.yml lets it do. */
function allowed(name: string): Set<string> {
  const { actions = [], indexes = [] }: Permission = yaml.custom.permissions[yaml.functions[name].permission]
  const names = yaml.resources.Resources.Table.Properties.GlobalSecondaryIndexes.map(({ IndexName }: Any) => IndexName)
  return new Set([...actions, ...indexes.flatMap((action) => names.map((index: string) => `${action} ${index}`))])
}

const path = { user_id: 'user-1' }
const attributes = [{ name: 'department', value: 'Sales' }]
const items = ['user-2', 'user-3'].map((id) => ({ id }))
const body = { first_name: 'New', last_name: 'Name', username: 'new.name', external_id: 'x-1', attributes }

// Each endpoint in the ways that lead it to other records.
const requests: Record<string, Any[]> = {
  listUsers: [
    {},
    { query: 'sort=EMAIL_DESC,STATUS_ASC&status=ACTIVE,LOCKED&embed=ACTIONS' },
    { query: 'search_term=new+na&status=ACTIVE' },
    { query: 'search_term=user-1' },
    { query: 'username=user-1' },
    { query: 'external_id=x-1' },
    { query: 'attribute_technical_name=department&attribute_value=Sales' },
  ],
  createUser: [{ body: { ...body, id: 'new' } }, { body: { ...body, id: 'new' } }, { body }],
  getUser: [{ path, query: 'embed=ACTIONS' }, { path: { user_id: 'nobody' } }],
  updateUser: [
    { path, body: { last_name: 'Other', attributes, external_id: 'x-2', primary_user_group_id: 'sales' } },
    { path, body: { username: 'renamed', role: 'ADMIN', primary_user_group_id: null } },
    { path, body: { role: 'USER', attributes: [], external_id: null } },
  ],
  lockUser: [{ path }],
  unlockUser: [{ path }],
  deactivateUser: [{ path }],
  deleteUser: [{ path }],
  restoreUser: [{ path }, { path: { user_id: 'nobody' } }],
  updateUsers: [{ body: { items: items.map(({ id }) => ({ id, body: { first_name: 'Many', attributes } })) } }],
  deleteUsers: [{ body: { items: [...items, { id: 'nobody' }] } }],
  restoreUsers: [{ body: { items } }],
}

test('every endpoint is tried here', () => {
  expect(Object.keys(requests).sort()).toEqual(Object.keys(contracts).sort())
})

test.each(Object.keys(requests))('%s asks the table for nothing that its role refuses', async (name) => {
  used.clear()
  for (const request of requests[name] ?? []) await call(name, request)
  expect(used.size).toBeGreaterThan(0)
  expect([...allowed(name)]).toEqual(expect.arrayContaining([...used]))
})

test('purge, and the user pool’s trigger', async () => {
  await call('deleteUsers', { body: { items } })
  service.setNow('2026-12-24T09:00:00.000Z')
  used.clear()
  const summary = await purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
  expect(summary.purged).toBe(2)
  expect([...allowed('purge')].sort()).toEqual([...used].sort())
  used.clear()
  await refuseInactiveUser({
    version: '1',
    triggerSource: 'PreAuthentication_Authentication',
    userName: 'ADMIN',
  } as Any)
  expect([...allowed('refuseInactiveUser')]).toEqual(expect.arrayContaining([...used]))
})
