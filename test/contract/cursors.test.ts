import { beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'

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
  listChannels: { sort: 'CHANNEL_NAME_DESC' },
  listGroupAssignments: { sort: 'USER_FIRST_NAME_ASC' },
  listChannelAssignments: { sort: 'USER_FIRST_NAME_ASC' },
  listAssignableGroupRoles: { sort: 'TITLE_DESC' },
  listAssignableChannelRoles: { sort: 'TITLE_DESC' },
}
const lists = Object.entries(contracts).flatMap(([name, { query }]) =>
  'page_number' in ((query as Any)?.properties ?? {}) ? [name] : [],
)

beforeAll(async () => {
  await startService({ users: [...people, { id: 'second', role: 'ADMIN' }], indexes: 'all' })
  const title = [{ language: 'en-GB', text: 'News' }]
  await call('createChannel', { body: { id: 'news', title, default_role_id: 'channel-member' } })
  for (const group_id of ['all-users', 'sales'])
    await call('createChannelGroup', { path: { channel_id: 'news' }, body: { user_group_id: group_id } })
})

const ask = (name: string, query: object, as?: string) =>
  call(name, { path: paths[name] ?? {}, query: { page_limit: 1, ...query }, ...(as ? { as } : {}) })

const refused = ({ status, body }: Any) => [status, body.error_code, body.property]

describe.each(lists)('%s', (name) => {
  it('refuses a cursor with a page number, or that was made elsewhere', async () => {
    expect(refused(await ask(name, { page_cursor: 'x' }))).toEqual([400, 'VALIDATION_ERROR', 'page_cursor'])
    const first = await ask(name, {})
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect(first.body.pagination).toMatchObject({ page_number: 1, total_relation: 'EQUAL' })
    const { next_cursor } = first.body.pagination
    if (next_cursor === null) return
    const refusal = [400, 'VALIDATION_ERROR', 'page_cursor']
    expect(refused(await ask(name, { page_cursor: next_cursor, page_number: 2 }))).toEqual(refusal)
    expect(refused(await ask(name, { page_cursor: next_cursor }, 'second'))).toEqual(refusal)
    expect(refused(await ask(name, { page_cursor: `${next_cursor.slice(0, -2)}xx` }))).toEqual(refusal)
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
