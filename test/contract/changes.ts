import { createHash, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { keyIn, textOfKey } from '../../domain/table/items.ts'
import type { Item, Key } from '../../domain/table/store.ts'
import { handler as finishWork } from '../../handlers/maintenance/finishWork.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { dump } from '../harness/audit.ts'
import { call, type Request } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { tokenId } from '../harness/serviceTokens.ts'
import { handedOver } from '../plans/plans.ts'

const title = [{ language: 'en-GB', text: 'Some title' }]
const embed = { query: { embed: 'ACTIONS' } }
const user = (user_id: string) => ({ path: { user_id }, ...embed })
const group = (group_id: string) => ({ path: { group_id }, ...embed })
const role = (user_id: string, role_id: string) => ({ path: { channel_id: 'news', user_id, role_id } })
const task = { path: { task_id: 'drill' } }
const own = { path: { assignment_id: 'drill,plain' }, as: 'plain' }
const person = { first_name: 'Zoë', last_name: 'Weiß', role: 'USER', status: 'ACTIVE' }
const token = { path: { token_id: tokenId('0') } }
const rule = { path: { rule_id: 'movers' } }
const conditions = [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['Moves'] }]
const membership = { group_id: 'team', user_id: 'bob', role_id: 'coach' }

/** The users before any change, without the two administrators and `plain`. */
export const others = [
  { id: 'bob', username: 'bob' },
  { id: 'cid', username: 'cid' },
  { id: 'lou', username: 'lou', status: 'LOCKED' },
  { id: 'dee', username: 'dee', status: 'DEACTIVATED' },
  { id: 'pen', username: 'pen' },
] as const

/** Makes what the changes are about. */
export async function prepare(): Promise<void> {
  const recipients = ['plain', 'bob', 'cid'].map((id) => ({ id, type: 'USER' }))
  const steps: [string, Request][] = [
    ['deleteUser', user('pen')],
    ...['team', 'old'].map((id): [string, Request] => ['createGroup', { body: { id, title, parent_id: 'root' } }]),
    ['updateUser', { path: { user_id: 'cid' }, body: { primary_user_group_id: 'team' } }],
    ['createGroupAssignment', { path: { group_id: 'team' }, body: { user_id: 'bob', role_id: 'coach' } }],
    ['archiveGroup', group('old')],
    ['createRole', { body: { id: 'mentor', title, scope: 'USER_GROUPS' } }],
    [
      'createRule',
      { body: { id: 'movers', title: 'Movers', user_group_id: 'team', role_id: 'group-owner', conditions } },
    ],
    ...['news', 'closed'].map((id): [string, Request] => ['createChannel', { body: { id, title } }]),
    ['archiveChannel', { path: { channel_id: 'closed' } }],
    ['createChannelAssignment', { path: { channel_id: 'news', user_id: 'bob' }, body: { role_id: 'channel-owner' } }],
    ['createChannelGroup', { path: { channel_id: 'news' }, body: { user_group_id: 'team' } }],
    ['createAttributeDefinition', { body: { technical_name: 'badge', title, attribute_type: 'TEXT' } }],
    ['createTask', { body: { id: 'drill', title: 'Fire drill', recipients } }],
    ['finishTaskAssignment', { path: { assignment_id: 'drill,bob' }, as: 'bob' }],
  ]
  for (const [name, request] of steps) {
    const { status, body } = await call(name, request)
    expect(status, `${name}: ${JSON.stringify(body)}`).toBeLessThan(300)
  }
  const { newSecret } = environment
  environment.newSecret = () => new Uint8Array(32)
  const { body } = await call('createServiceToken', { body: { name: 'Old', scopes: ['READ'] } })
  environment.newSecret = newSecret
  expect(body.id).toBe(token.path.token_id)
  await prepareWebhook()
  await preparePlan()
}

/** Makes a plan with a known id, which is worked out. */
async function preparePlan(): Promise<void> {
  const { newId } = environment
  environment.newId = () => 'plan'
  const { body } = await call('createPlan', { body: { ...locking, select: { user_ids: ['bob'] } } })
  environment.newId = newId
  expect(body.id).toBe(plan.path.plan_id)
  await finishWork(...handedOver(body.id))
  environment.newId = () => 'file'
  const { status } = await call('createPlan', { body: { kind: 'FILE' } })
  environment.newId = newId
  expect([status, (await call('putPlanPart', { path: { ...filePlan.path, n: '1' }, octets })).status]).toEqual([
    201, 204,
  ])
}
const filePlan = { path: { plan_id: '20261121T090000000Z-file' } }
const octets = Buffer.from('external_id\n')
const locking = { kind: 'SELECTION', change: { action: 'LOCK' } }
/** Its id begins with the time of the service's clock. */
export const plan = { path: { plan_id: '20261121T090000000Z-plan' } }

/** Makes a webhook with a known id, and a delivery of it. */
async function prepareWebhook(): Promise<void> {
  const { newId } = environment
  environment.newId = () => 'hook'
  const { body } = await call('createWebhook', { body: { url: 'https://1.1.1.1/' } })
  const test = await call('testWebhook', webhook)
  environment.newId = newId
  expect([body.id, test.body.id]).toEqual(['hook', delivery])
}
const webhook = { path: { webhook_id: 'hook' } }
/** Its id begins with the time of the service's clock. */
const delivery = '20261121T090000000Z-hook'

const itemsOf = async (service: Service) => new Map((await dump(service)).map((item) => [textOfKey(item), item]))

/** Remembers what is stored now. The function it answers undoes all changes since, and names the items that had changed. */
export async function undoer(service: Service): Promise<() => Promise<string[]>> {
  const before = await itemsOf(service)
  const written = noteWrittenKeys(service)
  return async () => {
    const keys = written()
    const after = await Promise.all(keys.map(service.store.get))
    const changes = keys.flatMap((key, n) => {
      const [was, is] = [before.get(textOfKey(key)), after[n]]
      if (isDeepStrictEqual(was, is)) return []
      return was ? { put: was } : { delete: key }
    })
    await service.store.bulk(changes)
    return changes.map((change) => textOfKey('put' in change ? change.put : change.delete))
  }
}

type Keyed = { Key?: Key; Item?: Item }
type Written = { TransactItems?: Record<string, Keyed>[]; RequestItems?: Record<string, unknown> }

/** The function it answers names the keys that were in writes since its last call: reading a whole table takes much longer. */
function noteWrittenKeys({ client }: Service): () => Key[] {
  const keys = new Map<string, Key>()
  client.middlewareStack.add(
    (next) => (args) => {
      const { TransactItems = [], RequestItems = {} } = args.input as Written
      // A batch of reads has an object for each table, a batch of writes a list.
      const batches: Record<string, Keyed>[] = Object.values(RequestItems).filter(Array.isArray).flat()
      for (const { Key, Item } of [...TransactItems, ...batches].flatMap((write) => Object.values(write))) {
        const key = keyIn((Key ?? Item) as Key)
        keys.set(textOfKey(key), key)
      }
      return next(args)
    },
    { step: 'initialize', name: `noteWrittenKeys-${randomUUID()}` },
  )
  return () => {
    const noted = [...keys.values()]
    keys.clear()
    return noted
  }
}

/** A change by every endpoint that can make one, each possible in what `prepare` has made. */
export const changes: Record<string, Request> = {
  createUser: { body: { id: 'new', username: 'new', ...person }, ...embed },
  updateUser: { ...user('bob'), body: { last_name: 'Schwarz' } },
  lockUser: user('bob'),
  unlockUser: user('lou'),
  deactivateUser: user('bob'),
  reactivateUser: user('dee'),
  deleteUser: user('bob'),
  restoreUser: user('pen'),
  updateUsers: { ...embed, body: { items: [{ id: 'bob', body: { email: 'bob@example.com' } }] } },
  deleteUsers: { ...embed, body: { items: [{ id: 'bob' }] } },
  restoreUsers: { ...embed, body: { items: [{ id: 'pen' }] } },
  createRole: { body: { id: 'new', title, scope: 'CHANNELS' } },
  updateRole: { path: { role_id: 'mentor' }, body: { assignable: false } },
  deleteRole: { path: { role_id: 'mentor' } },
  createGroup: { body: { id: 'new', title, parent_id: 'team' }, query: { embed: 'PATH,NUMBER_OF_CONTAINED_USERS' } },
  updateGroup: { ...group('team'), body: { external_id: 'T-1' } },
  archiveGroup: { path: { group_id: 'team' }, query: { embed: 'NUMBER_OF_CONTAINED_USERS' } },
  restoreGroup: group('old'),
  deleteGroup: { path: { group_id: 'old' } },
  createGroupAssignment: { path: { group_id: 'team' }, ...embed, body: { user_id: 'plain', role_id: 'coach' } },
  deleteGroupAssignment: { path: membership, ...embed },
  createGroupAssignments: {
    ...embed,
    body: { items: [{ group_id: 'team', body: { user_id: 'plain', role_id: 'coach' } }] },
  },
  deleteGroupAssignments: { ...embed, body: { items: [{ id: membership }] } },
  createRule: { body: { id: 'new', title: 'New', user_group_id: 'team', role_id: 'coach', conditions } },
  updateRule: { ...rule, body: { except_user_ids: ['bob'] } },
  deleteRule: rule,
  createChannel: { body: { id: 'new', title } },
  updateChannel: { path: { channel_id: 'news' }, body: { description: title } },
  archiveChannel: { path: { channel_id: 'news' } },
  restoreChannel: { path: { channel_id: 'closed' } },
  createChannelAssignment: {
    path: { channel_id: 'news', user_id: 'plain' },
    body: { role_id: 'channel-member' },
    query: { embed: 'USER,ROLE,ACTIONS' },
  },
  deleteChannelAssignment: { ...role('bob', 'channel-owner'), query: { embed: 'USER,ROLE,ACTIONS' } },
  createChannelGroup: { path: { channel_id: 'news' }, body: { user_group_id: 'sales' } },
  deleteChannelGroup: { path: { channel_id: 'news', user_group_id: 'team' } },
  createAttributeDefinition: { body: { technical_name: 'new', title, attribute_type: 'DATE' } },
  updateAttributeDefinition: {
    path: { definition_id: 'badge' },
    body: { title: [{ language: 'en-GB', text: 'Other' }] },
  },
  deleteAttributeDefinition: { path: { definition_id: 'badge' } },
  createTask: { body: { id: 'new', title: 'New', recipients: [{ id: 'bob', type: 'USER' }] } },
  updateTask: { ...task, body: { title: 'Other' } },
  deleteTask: task,
  addTaskRecipient: { ...task, body: { recipient: { id: 'admin-2', type: 'USER' } } },
  addTaskAssignments: { ...task, body: { user_ids: ['admin-2', 'admin'] } },
  deleteTaskAssignment: { path: { assignment_id: 'drill,cid' } },
  deleteTaskAssignments: { ...task, body: { assignment_ids: ['drill,cid'] } },
  finishTaskAssignment: own,
  openTaskAssignment: { path: { assignment_id: 'drill,bob' }, as: 'bob' },
  // A recipient who reads a task that is new to them opens it.
  getTask: { ...task, as: 'plain' },
  updateCalendarSettings: { body: { time_zone: 'Europe/Berlin' } },
  updateOrganisationSettings: { body: { languages: ['en-GB', 'de-DE', 'fr-FR'] } },
  createServiceToken: { body: { name: 'New', scopes: ['READ'] } },
  updateServiceToken: { ...token, body: { scopes: ['READ', 'USERS'] } },
  rotateServiceToken: { ...token, body: {} },
  deleteServiceToken: token,
  createWebhook: { body: { url: 'https://1.1.1.1/new' } },
  updateWebhook: { ...webhook, body: { types: ['user.*'] } },
  deleteWebhook: webhook,
  rotateWebhook: webhook,
  testWebhook: webhook,
  redeliver: { path: { webhook_id: 'hook', delivery_id: delivery } },
  replayEvents: { ...webhook, body: { from: '2026-11-01T00:00:00.000Z' } },
  createPlan: { body: { ...locking, select: { tag: 'crew' } } },
  putPlanPart: { path: { ...filePlan.path, n: '2' }, octets },
  checkPlanFile: {
    ...filePlan,
    body: { parts: 1, bytes: octets.length, sha256: createHash('sha256').update(octets).digest('hex') },
  },
  applyPlan: { ...plan, body: { planned: 1 } },
  cancelPlan: plan,
}
