import { expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import type { Item } from '../../domain/table/store.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { type Calls, strike, writesAmong } from '../harness/faults.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

const start = '2026-11-21T09:00:00.000Z'
const newcomers = ['eva', 'evo', 'evi']

/** People with roles in a group and on a channel, and with a word that no other user has. */
const second = () => ({
  users: newcomers.map((id) => ({
    id,
    username: id,
    external_id: `x-${id}`,
    first_name: 'Newcomer',
    last_name: id,
    attributes: [{ name: 'department', value: 'Arrivals' }],
  })),
  user_group_assignments: newcomers.map((user_id) => ({
    group_id: 'sales',
    user_id,
    role_id: 'coach',
    source: 'MANUAL',
  })),
  channel_assignments: newcomers.map((user_id) => ({ channel_id: 'news', user_id, role_id: 'editor' })),
  tasks: [{ id: 'welcome', author_id: 'ada', title: 'Welcome', body: {} }],
  task_assignments: [...newcomers, 'ben'].map((user_id) => ({ task_id: 'welcome', user_id })),
})

const runPurge = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)

/** What the first import leaves. */
let first: Item[] | undefined

/** A table whose second import has died after so many calls, and the calls that it came to. */
async function dead(last?: number): Promise<{ service: Service; calls: Calls }> {
  const service = await emptyTable(['by_first_name', 'by_id'])
  service.setNow(start)
  if (first) await service.store.bulk(first.map((put) => ({ put })))
  else await importDirectory(contextOf(service), small())
  first ??= await dump(service)
  const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
  await importDirectory(contextOf(service), second()).catch(() => undefined)
  heal()
  return { service, calls }
}

/** Every list shows the users that exist, and counts them. */
async function checkLists(): Promise<void> {
  const list = (name: string, items: string, request: Any) =>
    call(name, { as: 'ada', ...request }).then(({ body }) => {
      expect(body.pagination.total_elements).toBe(body[items].length)
      return body[items] as Any[]
    })
  const users = await list('listUsers', 'users', {})
  const there = new Set(users.map(({ id }) => id))
  for (const query of [
    { search_term: 'newcomer' },
    { attribute_technical_name: 'department', attribute_value: 'Arrivals' },
    { search_term: 'newcomer', status: 'ACTIVE' },
  ])
    for (const { id } of await list('listUsers', 'users', { query })) expect(there).toContain(id)
  for (const query of [{}, { search_term: 'newcomer' }, { sort: 'USER_FIRST_NAME_DESC,USER_LAST_NAME_ASC' }])
    for (const [name, path] of [
      ['listGroupAssignments', { group_id: 'sales' }],
      ['listGroupAssignments', { group_id: 'everybody' }],
      ['listChannelAssignments', { channel_id: 'news' }],
    ] as const)
      for (const { id } of await list(name, 'assignments', { path, query })) expect(there).toContain(id.user_id)
}

const create = (id: string) =>
  call('createUser', {
    as: 'ada',
    body: { ...ordinary, id, username: `other-${id}`, first_name: 'Other', last_name: 'Other' },
  })

it('a dead import leaves whole users only, and no user gets what belongs to another', async () => {
  const deaths = writesAmong((await dead()).calls)
  expect(deaths.length).toBeGreaterThan(1)
  for (const last of deaths) {
    const { service } = await dead(last)
    for (const moment of ['2026-11-21T09:01:01.000Z', '2026-11-21T09:10:01.000Z']) {
      service.setNow(moment)
      for (const id of newcomers) {
        const { status } = await create(id)
        expect([200, 201, 409], `after call ${last}`).toContain(status)
      }
      const held = await call('listGroupAssignments', { as: 'ada', path: { group_id: 'sales' } })
      const others = held.body.assignments.filter((one: Any) => one.user.first_name === 'Other')
      expect(others, `after call ${last}`).toEqual([])
      await checkLists()
    }
    service.setNow('2026-11-21T09:12:00.000Z')
    await runPurge()
    await audit(service)
    for (const id of newcomers) expect([200, 201, 409], `after call ${last}`).toContain((await create(id)).status)
    await audit(service)
  }
})
