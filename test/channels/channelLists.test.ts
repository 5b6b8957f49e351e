import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachmentItems, channels as channelRecords } from '../../domain/people/records/channel.ts'
import type { Group } from '../../domain/people/records/group.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { roles } from '../../domain/people/records/role.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { testClient } from '../harness/client.ts'
import { keepLedger } from '../harness/ledger.ts'
import { SEED } from '../harness/runs.ts'
import { people as callers, channelRecord, groupRecord, roleRecord, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { walkByCursor } from '../harness/walk.ts'

// The list of who holds which role on a channel, against what the whole table says.

let state = SEED
const chance = (likelihood: number): boolean => {
  state = (state * 1103515245 + 12345) % 2147483648
  return state / 2147483648 < likelihood
}

const created_at = '2026-01-01T00:00:00.000Z'
const day = 86_400_000
const group = (id: string, parent_id: string): Group => ({
  ...groupRecord(id),
  title: [],
  parent_id,
})
const channel = (id: string) => itemOf(channelRecords, channelRecord(id))
const editor = itemOf(roles, roleRecord('editor', { title: [], scope: 'CHANNELS', permissions: [] }))

const PEOPLE = 48
const lastNames = ['Ångström', 'Abel', 'abel', 'Baum', 'van Dyk', 'Van', 'Özil', 'Zorn']
const firstNames = ['Anna', 'Bo', 'Émile', 'zoe', 'Ann']
const people = Array.from({ length: PEOPLE }, (_, n) => ({
  id: `p-${String((n * 37) % PEOPLE).padStart(2, '0')}`,
  first_name: firstNames[n % firstNames.length] as string,
  last_name: lastNames[n % lastNames.length] as string,
}))
const groups = [
  group('top', 'root'),
  group('middle', 'top'),
  group('bottom', 'middle'),
  group('shut', 'root'),
  group('inside', 'shut'),
  group('big', 'root'),
  group('tiny', 'root'),
]
const likelihoods: Record<string, number> = { big: 0.9, tiny: 0.02 }
const channelRoles = ['channel-member', 'channel-owner', 'editor']
// As many as there are orders.
const channels = ['c-0', 'c-1', 'c-2', 'one', 'lean', 'bare']
const attachments: [channel: string, group: string, role: string][] = [
  ['one', 'big', 'channel-member'],
  ['lean', 'big', 'channel-member'],
  ['lean', 'tiny', 'channel-member'],
]

let service: Service
beforeAll(async () => {
  service = await startService({ users: [...callers, ...people], indexes: ['by_first_name'] })
  for (const one of channels.slice(0, 3))
    for (const { id } of groups)
      if (chance(0.5)) attachments.push([one, id, channelRoles[chance(0.6) ? 0 : 1] as string])
  await service.store.bulk(
    [
      ...groups.flatMap(groupItems),
      ...channels.map(channel),
      editor,
      ...attachments.flatMap(([one, group_id, role_id]) => attachmentItems(one, { group_id, role_id })),
    ].map((put) => ({ put })),
  )
  const memberships = people.flatMap(({ id: user_id }) =>
    groups.flatMap(({ id: group_id }) =>
      ['coach', 'group-owner'].flatMap((role_id, n) =>
        chance((likelihoods[group_id] ?? 0.3) / (n * 4 + 1)) ? [{ group_id, body: { user_id, role_id } }] : [],
      ),
    ),
  )
  memberships.push({ group_id: 'tiny', body: { user_id: 'p-00', role_id: 'coach' } })
  for (let start = 0; start < memberships.length; start += 100)
    await call('createGroupAssignments', { body: { items: memberships.slice(start, start + 100) } })
  for (const { id: user_id } of people)
    for (const channel_id of channels)
      for (const role_id of channelRoles)
        if (chance(channel_id === 'lean' ? 0.02 : channel_id === 'one' ? 0 : 0.08))
          await call('createChannelAssignment', { path: { channel_id, user_id }, body: { role_id } })
  expect((await call('archiveGroup', { path: { group_id: 'shut' } })).status).toBe(200)
  const end = async (ids: string[]) => {
    await call('deleteUsers', { body: { items: ids.map((id) => ({ id })) } })
  }
  await end(people.slice(0, 8).map(({ id }) => id))
  service.setNow(new Date(service.now().getTime() + 10 * day))
  await end(people.slice(8, 16).map(({ id }) => id))
  service.setNow(new Date(service.now().getTime() + 5 * day))
})

type Entry = { user: UserRecord; role: string; source: string }
type Query = { sort?: string; role_id?: string; source?: string; search_term?: string }

/** Active groups at and below one. */
const below = (id: string): string[] => {
  if (id === 'shut') return []
  return [id, ...groups.filter(({ parent_id }) => parent_id === id).flatMap((one) => below(one.id))]
}

/** Everybody's roles on a channel, out of the whole table. */
function holdersIn(items: readonly Item[], channelId: string): Entry[] {
  const living = items
    .filter(({ sk }) => sk === 'USER')
    .map((item) => item['data'] as UserRecord)
    .filter(({ deletion_at }) => deletion_at === undefined || deletion_at > service.now().toISOString())
  const entries = living.flatMap((user) => {
    const held = new Map<string, string>()
    const own = items.filter(({ pk }) => pk === `USER#${user.id}`).map(({ sk }) => sk.split('#'))
    for (const [one, groupId, role] of attachments)
      if (one === channelId && own.some(([kind, place = '']) => kind === 'GA' && below(groupId).includes(place)))
        held.set(role, 'USER_GROUP')
    for (const [kind, place, role = ''] of own) if (kind === 'CA' && place === channelId) held.set(role, 'MANUAL')
    return [...held].map(([role, source]) => ({ user, role, source }))
  })
  return entries
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function expected(entries: readonly Entry[], { sort = 'USER_LAST_NAME_ASC', ...filters }: Query): string[] {
  const sorts = sort.split(',')
  const sign = (one = ''): number => (one.endsWith('_DESC') ? -1 : 1)
  const value = ({ user }: Entry, one: string): string => plain(one.includes('LAST') ? user.last_name : user.first_name)
  return entries
    .filter(({ role }) => !filters.role_id || filters.role_id.split(',').includes(role))
    .filter(({ source }) => !filters.source || filters.source.split(',').includes(source))
    .filter(({ user }) => {
      const words = plain(`${user.first_name} ${user.last_name}`).split(' ')
      return words.some((word) => word.startsWith(filters.search_term ?? ''))
    })
    .sort((a, b) => {
      const differing = sorts.find((one) => value(a, one) !== value(b, one))
      if (differing) return sign(differing) * compare(value(a, differing), value(b, differing))
      return sign(sorts.at(-1)) * (compare(a.user.id, b.user.id) || compare(a.role, b.role))
    })
    .map(({ user, role, source }) => `${user.id} ${role} ${source}`)
}

async function walked(channel_id: string, query: Query, page_limit: number, isQuiet = true): Promise<string[]> {
  const lines: string[] = []
  for (let page_number = 1; ; page_number++) {
    const { body } = await call('listChannelAssignments', {
      path: { channel_id },
      query: { ...query, page_limit, page_number },
    })
    lines.push(...body.assignments.map(({ id, source }: Any) => `${id.user_id} ${id.role_id} ${source}`))
    if (page_number >= body.pagination.total_pages) {
      expect(body.pagination.total_elements, 'the total is what was walked').toBe(lines.length)
      // A cursor does not know who was shown under an old name.
      if (!isQuiet) return lines
      const byCursor = await walkByCursor('listChannelAssignments', { path: { channel_id }, query }, [7, 37])
      expect(byCursor.map(({ id, source }) => `${id.user_id} ${id.role_id} ${source}`)).toEqual(lines)
      return lines
    }
  }
}

const sorts = [
  'USER_LAST_NAME_ASC',
  'USER_LAST_NAME_DESC',
  'USER_FIRST_NAME_ASC',
  'USER_FIRST_NAME_DESC',
  'USER_LAST_NAME_ASC,USER_FIRST_NAME_DESC',
  'USER_FIRST_NAME_DESC,USER_LAST_NAME_ASC',
]
const filters: Query[] = [
  {},
  { source: 'MANUAL' },
  { source: 'USER_GROUP' },
  { source: 'USER_GROUP,MANUAL' },
  { role_id: 'channel-member' },
  { role_id: 'channel-owner,editor', source: 'USER_GROUP' },
  { search_term: 'an' },
  { search_term: 'v', source: 'USER_GROUP' },
  { search_term: 'anna', role_id: 'channel-member', source: 'MANUAL' },
]

describe(`the pages of a channel (SEED=${SEED})`, () => {
  let items: Item[]
  beforeAll(async () => {
    await audit(service)
    items = await dump(service)
  })

  it.each(channels)('%s: hold everybody exactly once, in order, under each filter', async (channelId) => {
    const entries = holdersIn(items, channelId)
    // Each filter meets each order on some channel.
    const turn = channels.indexOf(channelId) + (SEED % sorts.length)
    for (const [n, filter] of filters.entries()) {
      const query = { ...filter, sort: sorts[(n + turn) % sorts.length] as string }
      const lines = await walked(channelId, query, n % 2 ? 13 : 31)
      expect(lines, JSON.stringify(query)).toEqual(expected(entries, query))
    }
  })

  it('say who may lose the role though owners past their deadline are counted', async () => {
    for (const channel_id of channels) {
      const owners = holdersIn(items, channel_id).filter(({ role }) => role === 'channel-owner')
      const direct = owners.filter(({ source }) => source === 'MANUAL')
      const query = { embed: 'ACTIONS', role_id: 'channel-owner', page_limit: 100 }
      const { assignments } = (await call('listChannelAssignments', { path: { channel_id }, query })).body
      for (const { source, actions } of assignments)
        expect(actions.delete.allowed).toBe(source === 'MANUAL' && direct.length > 1)
    }
  })

  it('hold somebody once whose new name has not reached all lists', async () => {
    const name = (item: Item): string => String(item['by_last_name'])
    const moved = items.filter(({ sk }, n) => sk.startsWith('GA#') && n % 5 === 0)
    const place = (item: Item): string => name(item).replace(/^0[^\u0001]*/, '0mmm')
    await service.store.bulk(moved.map((item) => ({ put: { ...item, by_last_name: place(item) } })))
    for (const [c, channelId] of channels.entries()) {
      const entries = holdersIn(items, channelId)
      for (const [n, filter] of [{}, { source: 'USER_GROUP' }, { source: 'MANUAL' }].entries()) {
        const sort = (c + n) % 2 ? 'USER_LAST_NAME_ASC' : 'USER_LAST_NAME_DESC,USER_FIRST_NAME_ASC'
        const lines = await walked(channelId, { ...filter, sort }, 29, false)
        expect(lines.sort()).toEqual(expected(entries, filter).sort())
      }
    }
    await service.store.bulk(moved.map((put) => ({ put })))
  })
})

describe('what a page costs', () => {
  /** A group with so many members. */
  const crowd = (id: string, from: number, count: number): Item[] => [
    ...groupItems(group(id, 'root')),
    { ...groupCountKey(id, 0), [roleCount('coach')]: count },
    ...Array.from({ length: count }, (_, n) => {
      const user = userRecord({ id: `x-${from + n}`, last_name: `Lind ${from + n}` }, created_at)
      return groupAssignmentItem(user, { group: id, role: 'coach', source: 'MANUAL' })
    }),
  ]
  let close: () => void
  afterAll(() => close())
  let cost: (channel_id: string, query?: Query) => Promise<{ waves: number; reads: number; total: number }>
  beforeAll(async () => {
    const conferring = (one: string, group_id: string): Item[] =>
      attachmentItems(one, { group_id, role_id: 'channel-member' })
    const items = [
      ...['few', 'many', 'many-and-few', 'three'].map(channel),
      ...crowd('few', 0, 120),
      ...crowd('many', 0, 1200),
      ...crowd('others', 800, 800),
      ...crowd('couple', 1199, 2),
      ...conferring('few', 'few'),
      ...conferring('many', 'many'),
      ...['many', 'couple'].flatMap((id) => conferring('many-and-few', id)),
      ...['many', 'few', 'others'].flatMap((id) => conferring('three', id)),
    ]
    await service.store.bulk(items.map((put) => ({ put })))
    const ledger = await keepLedger(service.client, testClient())
    close = ledger.close
    cost = async (channel_id, query = {}) => {
      const list = () => call('listChannelAssignments', { path: { channel_id }, query: { ...query } })
      const { answer, entry } = await ledger.of(list)
      return { waves: entry.waves, reads: entry.reads, total: answer.body.pagination.total_elements }
    }
  })

  it('does not grow with the members of its one group', async () => {
    for (const query of [{}, { sort: 'USER_FIRST_NAME_DESC' }, { source: 'USER_GROUP' }]) {
      const [few, many] = [await cost('few', query), await cost('many', query)]
      expect([few.total, many.total]).toEqual([120, 1200])
      // Eight people past their deadline are looked up.
      expect(many.reads).toBeLessThanOrEqual(few.reads + 4)
      expect(many.waves).toBeLessThanOrEqual(3)
    }
  })

  it('nor where few come from elsewhere', async () => {
    const [few, many] = [await cost('few'), await cost('many-and-few')]
    expect(many.total).toBe(1201)
    expect(many.reads).toBeLessThanOrEqual(few.reads + 8)
    expect(many.waves).toBeLessThanOrEqual(4)
  })

  it('is four waves where large groups overlap', async () => {
    expect(await cost('three')).toMatchObject({ total: 1600, waves: expect.toSatisfy((waves: number) => waves <= 4) })
    expect(await cost('three', { source: 'USER_GROUP' })).toMatchObject({ total: 1600 })
  })

  it('is that of the direct holders where only they are asked for', async () => {
    const { waves, reads } = await cost('three', { source: 'MANUAL' })
    expect(waves).toBeLessThanOrEqual(3)
    expect(reads).toBeLessThan(12)
  })
})
