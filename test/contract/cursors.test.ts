import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { cursorSecretKey, SECRETS } from '../../domain/table/keys.ts'
import { rotateSecret } from '../../handlers/middleware/seals.ts'
import { contracts } from '../../schemas/contracts.ts'
import { type Any, call } from '../harness/call.ts'
import { allowedTo, isAllowed, statementsOf } from '../harness/permissions.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// Every list that takes page_number takes page_cursor, too, under the same rules.

const paths: Record<string, Record<string, string>> = {
  listGroupAssignments: { group_id: 'all-users' },
  listAssignableGroupRoles: { group_id: 'all-users' },
  listChannelAssignments: { channel_id: 'news' },
  listAssignableChannelRoles: { channel_id: 'news' },
  listChannelGroups: { channel_id: 'news' },
}
/** A sort and a filter of each list. */
const others: Record<string, Record<string, string>> = {
  listUsers: { sort: 'EMAIL_DESC' },
  listGroups: { sort: 'GROUP_NAME_DESC' },
  listRoles: { sort: 'TITLE_DESC' },
  listRules: { enabled: 'true' },
  listChannels: { sort: 'CHANNEL_NAME_DESC' },
  listPeople: { sort: 'FIRST_NAME_DESC' },
  listOwnChannels: { sort: 'CHANNEL_NAME_DESC' },
  listGroupAssignments: { sort: 'USER_FIRST_NAME_ASC' },
  listChannelAssignments: { sort: 'USER_FIRST_NAME_ASC' },
  listAssignableGroupRoles: { sort: 'TITLE_DESC' },
  listAssignableChannelRoles: { sort: 'TITLE_DESC' },
}
const lists = Object.entries(contracts).flatMap(([name, { query }]) =>
  'page_number' in ((query as Any)?.properties ?? {}) ? [name] : [],
)

let service: Service

beforeAll(async () => {
  service = await startService({ users: [...people, { id: 'second', role: 'ADMIN' }], indexes: 'all' })
  const title = [{ language: 'en-GB', text: 'News' }]
  await call('createChannel', { body: { id: 'news', title, default_role_id: 'channel-member' } })
  for (const name of ['one', 'two']) await call('createServiceToken', { body: { name, scopes: ['READ'] } })
  for (const group_id of ['all-users', 'sales'])
    await call('createChannelGroup', { path: { channel_id: 'news' }, body: { user_group_id: group_id } })
  const rule = { user_group_id: 'sales', role_id: 'coach', conditions: [{ field: 'TAG', operator: 'IS_SET' }] }
  for (const name of ['First', 'Second']) await call('createRule', { body: { title: name, ...rule } })
})

const ask = (name: string, query: object, as?: string) =>
  call(name, { path: paths[name] ?? {}, query: { page_limit: 1, ...query }, ...(as ? { as } : {}) })

const refused = ({ status, body }: Any) => [status, body.error_code, body.property]

/** A cursor with another character in its middle: at its end, some bits of base64 mean nothing. */
const changed = (cursor: string): string => {
  const middle = Math.floor(cursor.length / 2)
  return cursor.slice(0, middle) + (cursor[middle] === 'x' ? 'y' : 'x') + cursor.slice(middle + 1)
}

it('`paths` names every list below a record', () => {
  const below = lists.filter((name) => contracts[name]?.path)
  expect(Object.keys(paths).sort(), '`paths` of this file').toEqual(below.sort())
})

describe.each(lists)('%s', (name) => {
  it('refuses a cursor with a page number, or that was made elsewhere', async () => {
    expect(refused(await ask(name, { page_cursor: 'x' }))).toEqual([400, 'VALIDATION_ERROR', 'page_cursor'])
    const { body } = await ask(name, { page_cursor: 'x', page_number: 1, page_limit: 0 })
    expect(body.errors.map(({ property }: Any) => property).sort(), 'all faults at once').toEqual([
      'page_cursor',
      'page_limit',
    ])
    const first = await ask(name, {})
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect(first.body.pagination).toMatchObject({ page_number: 1, total_relation: 'EQUAL' })
    const { next_cursor } = first.body.pagination
    if (next_cursor === null) return
    const refusal = [400, 'VALIDATION_ERROR', 'page_cursor']
    expect(refused(await ask(name, { page_cursor: next_cursor, page_number: 2 }))).toEqual(refusal)
    expect(refused(await ask(name, { page_cursor: next_cursor }, 'second'))).toEqual(refusal)
    expect(refused(await ask(name, { page_cursor: changed(next_cursor) }))).toEqual(refusal)
    if (others[name]) expect(refused(await ask(name, { page_cursor: next_cursor, ...others[name] }))).toEqual(refusal)
    const next = await ask(name, { page_cursor: next_cursor, page_limit: 2 })
    expect(next.status).toBe(200)
    expect(Object.keys(next.body.pagination).sort()).toEqual(['has_more', 'next_cursor', 'page_limit'])
    expect(next.body.pagination.page_limit).toBe(2)
    const elsewhere = lists.find((other) => other !== name) as string
    expect(refused(await ask(elsewhere, { page_cursor: next_cursor }))).toEqual(refusal)
  })
})

it('lists that are long enough were asked', async () => {
  for (const name of ['listUsers', 'listRoles', 'listGroups', 'listGroupAssignments', 'listChannelAssignments'])
    expect((await ask(name, {})).body.pagination.has_more, name).toBe(true)
})

const takes = (name: string) => 'page_cursor' in ((contracts[name]?.query as Any)?.properties ?? {})

it('only what makes cursors may read what they are sealed with', () => {
  for (const name of [
    ...Object.keys(contracts),
    'purge',
    'finishWork',
    'importDirectory',
    'importFile',
    'unknownRoute',
  ]) {
    const leave = takes(name) ? ['BatchGetItem', 'Query', 'PutItem'] : []
    expect([name, ...allowedTo(name).filter((action) => action.endsWith(` ${SECRETS}`))]).toEqual([
      name,
      ...leave.map((action) => `${action} ${SECRETS}`),
    ])
  }
  // Not even together with other items.
  expect(isAllowed(statementsOf('getUser'), 'BatchGetItem', ['USER#id'])).toBe(true)
  expect(isAllowed(statementsOf('getUser'), 'BatchGetItem', ['USER#id', SECRETS])).toBe(false)
  expect(isAllowed(statementsOf('listUsers'), 'PutItem', ['USER#id'])).toBe(false)
  expect(isAllowed(statementsOf('listUsers'), 'PutItem', [])).toBe(false)
})

describe('what cursors are sealed with', () => {
  const MINUTE = 60_000
  const pass = (ms: number) => service.setNow(new Date(service.now().getTime() + ms))
  const cursor = async () => (await ask('listRoles', {})).body.pagination.next_cursor
  const statusOf = async (page_cursor: string) => (await ask('listRoles', { page_cursor })).status
  it('is made by the first calls, also by two at once, and read in their first wave', async () => {
    const own = await startService({ users: people })
    await own.store.bulk([{ delete: cursorSecretKey }])
    onTestFinished(() => service.activate())
    const costs = async (asked: Promise<unknown>) => {
      own.measured()
      await asked
      const { DatabaseRequests, DatabaseRounds } = own.measured().at(-1) ?? {}
      return [DatabaseRequests, DatabaseRounds]
    }
    const both = await Promise.all([cursor(), cursor()])
    expect(await Promise.all(both.map(statusOf))).toEqual([200, 200])
    const warm = [await costs(cursor()), await costs(statusOf(both[0]))]
    const later = async () => own.setNow(new Date(own.now().getTime() + 1.5 * MINUTE))
    await later()
    const first = await costs(cursor())
    await later()
    expect([first, await costs(statusOf(both[1]))]).toEqual(warm)
  })

  it('changes while calls go on: cursors from before are good for another day', async () => {
    const old = await cursor()
    await rotateSecret(service.store, service.now())
    // A function that knows the old key only, and one that knows both.
    const meanwhile = await cursor()
    pass(MINUTE)
    expect(await statusOf(meanwhile)).toBe(200)
    pass(MINUTE)
    const fresh = await cursor()
    pass(23 * 60 * MINUTE)
    expect(await Promise.all([old, meanwhile, fresh].map(statusOf))).toEqual([200, 200, 200])
    pass(62 * MINUTE)
    expect(await Promise.all([old, meanwhile, fresh].map(statusOf))).toEqual([400, 400, 200])
    await rotateSecret(service.store, service.now(), { forget: true })
    pass(2 * MINUTE)
    expect(await statusOf(fresh)).toBe(400)
    expect(await statusOf(await cursor())).toBe(200)
  })

  it('is read again where a cursor was sealed with a key that a function does not know yet', async () => {
    const known = await cursor()
    await rotateSecret(service.store, service.now(), { forget: true })
    await startService({ users: people })
    await cursor()
    // The process has forgotten the first table by now, like one that has just begun.
    service.activate()
    const fresh = await cursor()
    expect([await statusOf(known), await statusOf(fresh)]).toEqual([400, 200])
  })
})
