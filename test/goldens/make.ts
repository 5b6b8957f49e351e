import { writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { textOfKey } from '../../domain/table/items.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import { newWorker } from '../../local/start/workerLoop.ts'
import { contracts } from '../../schemas/contracts.ts'
import { prepare } from '../contract/changes.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, writesAmong } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { contextOf } from '../import/directory.ts'
import * as r from '../rules/rules.ts'
import { patchBody, scim } from '../scim/scim.ts'
import { onThisMachine } from '../webhooks/receiver.ts'
import { finishAll } from './finishing.ts'
import { type Golden, type GoldenCase, packItem, unpackItem } from './golden.ts'
import { lookAround, nameOfRow, rowsOf } from './looks.ts'

// Makes the goldens of a release: see README.md. The code of that release runs this, not the present one.

const { RELEASE = '', GOLDENS = '' } = process.env
const title = (text: string) => [{ language: 'en-GB', text }]
const others = [
  { id: 'bob', username: 'bob' },
  { id: 'cid', username: 'cid' },
  { id: 'lou', username: 'lou', status: 'LOCKED' },
  { id: 'dee', username: 'dee', status: 'DEACTIVATED' },
  { id: 'pen', username: 'pen' },
] as const
/** More than one transaction holds. */
const crowd = Array.from({ length: 105 }, (_, n) => `c-${n}`)
const crowded = (id: string) => ({ id, username: id, first_name: 'Crowd', last_name: id })

const must = async (name: string, request: Any) => {
  const { status, body } = await call(name, request)
  expect(status, `${name}: ${JSON.stringify(body)}`).toBeLessThan(300)
  return body
}

/** Moves the clock, so that nothing is remembered. */
const pass = (service: Service, seconds: number) => service.setNow(new Date(service.now().getTime() + seconds * 1000))

/** The table that all cases begin with. */
async function makeBase(service: Service): Promise<void> {
  await prepare()
  await must('updateUser', {
    path: { user_id: 'bob' },
    body: {
      email: 'bob@example.com',
      external_id: 'E-bob',
      attributes: [
        { name: 'department', value: 'Moves' },
        { name: 'location', value: 'Zürich' },
      ],
      tags: [{ name: 'mentor' }],
      profile_picture: { file_id: 'f-1' },
    },
  })
  await must('updateWebhook', { path: { webhook_id: 'hook' }, body: { url: 'http://127.0.0.1:65535/' } })
  await r.firstRule(service)
  const groups = { body: { user_group_id: 'all-users' }, path: { channel_id: 'news' } }
  await must('createChannelGroup', groups)
  await must('createTask', {
    body: {
      id: 'busy',
      title: 'Busy',
      body: { plain: 'Do it', html: '<p>Do it</p>' },
      recipients: [{ id: 'news', type: 'CHANNEL' }],
    },
  })
  await must('createGroup', { body: { id: 'deep', title: title('Deep'), parent_id: 'team' } })
  for (let n = 0; n < 36; n++) {
    const { status } = await r.createRule(`many-${n}`, await r.newGroup(`many-${n}`), {
      role_id: 'coach',
      conditions: [r.inDepartment('Many')],
    })
    expect(status).toBe(201)
    if (n % 18 === 17) await r.later(service)
  }
  pass(service, 120)
  await finishAll(service)
  pass(service, 120)
}

/** The tables that cases begin with, beside the base: calls that succeed before the one that dies. */
type Case = {
  name: string
  first?: (service: Service) => Promise<unknown>
  dies: (service: Service) => Promise<unknown>
}

const ofTask = (task_id: string) => ({ path: { task_id } })
const cases: Case[] = [
  {
    name: 'a renamed user with many roles',
    first: async () => {
      for (let n = 0; n < 36; n++)
        await must('createGroupAssignment', {
          path: { group_id: `many-${n}` },
          body: { user_id: 'c-1', role_id: 'group-owner' },
        })
    },
    dies: () => call('updateUser', { path: { user_id: 'c-1' }, body: { first_name: 'Other', last_name: 'Name' } }),
  },
  {
    name: 'a task for a channel',
    dies: () =>
      call('createTask', { body: { id: 'new', title: 'New', recipients: [{ id: 'news', type: 'CHANNEL' }] } }),
  },
  {
    name: 'a changed task with many recipients',
    dies: () =>
      call('updateTask', {
        ...ofTask('busy'),
        body: { title: 'Later', due_at: { due_at_type: 'DATE', date: '2027-01-01' } },
      }),
  },
  {
    name: 'a hundred recipients removed',
    dies: () =>
      call('deleteTaskAssignments', {
        ...ofTask('busy'),
        body: { assignment_ids: crowd.slice(0, 100).map((id) => `busy~${id}`) },
      }),
  },
  { name: 'a deleted task', dies: () => call('deleteTask', ofTask('busy')) },
  {
    name: 'members by SCIM',
    dies: () =>
      scim('PATCH', '/Groups/sales', {
        body: patchBody({ op: 'add', path: 'members', value: crowd.map((value) => ({ value })) }),
      }),
  },
  { name: 'an archived group', dies: () => call('archiveGroup', { path: { group_id: 'team' } }) },
  {
    name: 'a deleted group',
    first: () => must('archiveGroup', { path: { group_id: 'team' } }),
    dies: () => call('deleteGroup', { path: { group_id: 'team' } }),
  },
  {
    name: 'a user whose rules do not fit',
    dies: () =>
      call('updateUser', { path: { user_id: 'bob' }, body: { attributes: [{ name: 'department', value: 'Many' }] } }),
  },
  {
    name: 'a new rule',
    dies: () =>
      r.createRule('wide', 'deep', {
        role_id: 'coach',
        conditions: [{ field: 'USERNAME', operator: 'STARTS_WITH', values: ['c-'] }],
      }),
  },
  {
    name: 'a deleted rule',
    first: async (service) => {
      await r.createRule('wide', 'deep', {
        role_id: 'coach',
        conditions: [{ field: 'USERNAME', operator: 'STARTS_WITH', values: ['c-'] }],
      })
      await finishAll(service)
    },
    dies: () => r.deleteRule('wide'),
  },
  {
    name: 'a purge',
    dies: async (service) => {
      pass(service, 15 * 86_400)
      await r.purge(service)
    },
  },
  {
    name: 'an import',
    dies: (service) =>
      importDirectory(contextOf(service), {
        users: ['eva', 'evo'].map((id) => ({
          id,
          username: id,
          first_name: 'Newcomer',
          last_name: id,
          primary_user_group_id: 'sales',
        })),
        user_group_assignments: [{ group_id: 'sales', user_id: 'bob', role_id: 'coach', source: 'RULE' }],
        tasks: [{ id: 'welcome', author_id: 'admin', title: 'Welcome', body: {} }],
        task_assignments: ['eva', 'evo', 'bob'].map((user_id) => ({ task_id: 'welcome', user_id })),
      } as never),
  },
  {
    name: 'webhooks',
    first: () => must('updateWebhook', { path: { webhook_id: 'hook' }, body: { types: ['user.*'] } }),
    dies: async (service) => {
      pass(service, 6)
      for (const user_id of ['c-3', 'c-4', 'c-5']) await call('lockUser', { path: { user_id } })
      await newWorker().deliver()
    },
  },
]

/** A service with what the base holds, and the calls of a case before the one that dies. */
async function begin(base: Golden, one: Case): Promise<Service> {
  const fill = (store: Service['store']) => store.bulk(base.base.map((item) => ({ put: unpackItem(item) })))
  const service = await startService({ fill, indexes: 'all' })
  onThisMachine()
  service.setNow(base.now)
  await one.first?.(service)
  return service
}

/** Numbers of writes after which a case dies: the first, the last but one, and some between them. */
async function deathsOf(base: Golden, one: Case): Promise<number[]> {
  const service = await begin(base, one)
  const { calls, heal } = strike(service.client, () => undefined)
  await one.dies(service)
  heal()
  const last = writesAmong(calls).length
  return [...new Set([1, 2, Math.ceil(last / 3), Math.ceil((2 * last) / 3), last])].filter(
    (nth) => nth > 0 && nth <= last,
  )
}

/** What a case leaves that dies after its nth write, and what is seen when all noted work has been done. */
async function run(base: Golden, one: Case, nth: number): Promise<GoldenCase> {
  const service = await begin(base, one)
  let writes = 0
  const { heal } = strike(service.client, (_n, name) =>
    name.includes('Write') && ++writes === nth ? 'death' : undefined,
  )
  await one.dies(service).catch(() => undefined)
  heal()
  const left = (await dump(service)).map((item) => [textOfKey(item), packItem(item)] as const)
  const before = new Map(base.base.map((item) => [textOfKey(unpackItem(item)), item]))
  const put = left.flatMap(([name, item]) => (isDeepStrictEqual(before.get(name), item) ? [] : [item]))
  const stays = new Set(left.map(([name]) => name))
  const gone = base.base.map(unpackItem).filter((item) => !stays.has(textOfKey(item)))
  const work = [...new Set((await readAllWork(service.store)).map(({ kind }) => kind))]
  const now = service.now().toISOString()
  pass(service, 120)
  await finishAll(service)
  const looks = await lookAround()
  const names = Object.keys({ ...base.looks, ...looks })
  const after = names.filter((look) => !isDeepStrictEqual(base.looks[look], looks[look]))
  return {
    name: `${one.name}, after write ${nth}${work.length > 0 ? ` (${work.join(', ')})` : ''}`,
    now,
    put,
    gone: gone.map(({ pk, sk }) => [pk, sk]),
    after: Object.fromEntries(after.map((look) => [look, looks[look] ?? null])),
  }
}

it('makes the goldens', async () => {
  const service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...others, ...crowd.map(crowded)],
    indexes: 'all',
  })
  onThisMachine()
  await makeBase(service)
  const base = await dump(service)
  const golden: Golden = {
    release: RELEASE,
    now: service.now().toISOString(),
    base: base.map(packItem),
    looks: {},
    records: [],
    lists: [],
    cases: [],
  }
  for (const [endpoint, { query }] of Object.entries(contracts as Any) as [string, Any][]) {
    if (!('page_cursor' in (query?.properties ?? {}))) continue
    for (const request of requests[endpoint] ?? [{}]) {
      const { status, body } = await call(endpoint, { ...request, query: { ...request.query, page_limit: 2 } })
      expect(status, `${endpoint}: ${JSON.stringify(body)}`).toBe(200)
      const cursor = body.pagination.next_cursor
      if (cursor === null) continue
      golden.lists.push({ endpoint, request, cursor, rest: (await rowsOf(endpoint, request, cursor)).map(nameOfRow) })
    }
  }
  for (const [endpoint, ...some] of records)
    for (const request of some) {
      const { status, body, headers } = await call(endpoint, request)
      expect(status, `${endpoint}: ${JSON.stringify(body)}`).toBe(200)
      golden.records.push({ endpoint, request, tag: String(headers['etag']), body })
    }
  golden.looks = await lookAround()
  for (const one of cases)
    for (const nth of await deathsOf(golden, one)) {
      const left = await run(golden, one, nth)
      console.log(left.name)
      golden.cases.push(left)
    }
  writeFileSync(GOLDENS, gzipSync(JSON.stringify(golden), { level: 9 }))
})

const user = (user_id: string) => ({ path: { user_id } })
const from = '2026-11-01T00:00:00.000Z'
/** What lists are asked for, if not everything. */
const requests: Record<string, Any[]> = {
  listUsers: [
    {},
    { query: { sort: 'EMAIL_DESC,FIRST_NAME_ASC' } },
    { query: { search_term: 'crowd' } },
    { query: { status: 'ACTIVE', role: 'USER', sort: 'UPDATED_AT_DESC' } },
  ],
  listGroupAssignments: [
    { path: { group_id: 'all-users' } },
    { path: { group_id: 'all-users' }, query: { search_term: 'crowd' } },
  ],
  listAssignableGroupRoles: [{ path: { group_id: 'sales' } }],
  listChannelAssignments: [{ path: { channel_id: 'news' }, query: { embed: 'USER' } }],
  listAssignableChannelRoles: [{ path: { channel_id: 'news' } }],
  listChannelGroups: [{ path: { channel_id: 'news' } }],
  listTasks: [{ query: { distribution_kind: 'DISTRIBUTED' } }],
  listOwnTaskAssignments: [{ query: { distribution_kind: 'RECEIVED' }, as: 'bob' }],
  listTaskAssignments: [{ path: { task_id: 'busy' } }],
  listEvents: [{ query: { from } }, { query: { from, sort: 'TIME_ASC' } }],
  listUserEvents: [user('bob')],
  listDeliveries: [{ path: { webhook_id: 'hook' } }],
}
const records: [string, ...Any[]][] = [
  ['getUser', ...['bob', 'lou', 'dee', 'pen', 'c-0'].map(user)],
  ['getGroup', { path: { group_id: 'team' } }, { path: { group_id: 'old' } }],
  ['getGroupAssignment', { path: { group_id: 'team', user_id: 'bob', role_id: 'coach' } }],
  ['getRole', { path: { role_id: 'mentor' } }],
  ['getRule', { path: { rule_id: 'movers' } }],
  ['getChannel', { path: { channel_id: 'news' } }, { path: { channel_id: 'closed' } }],
  ['getChannelAssignment', { path: { channel_id: 'news', user_id: 'bob', role_id: 'channel-owner' } }],
  ['getAttributeDefinition', { path: { definition_id: 'badge' } }],
  ['getTask', { path: { task_id: 'drill' } }, { path: { task_id: 'busy' } }],
  ['getCalendarSettings', {}],
  ['getOrganisationSettings', {}],
  ['getServiceToken', { path: { token_id: '0'.repeat(22) } }],
  ['getWebhook', { path: { webhook_id: 'hook' } }],
]
