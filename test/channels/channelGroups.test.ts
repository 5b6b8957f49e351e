import { beforeAll, describe, expect, it } from 'vitest'
import { type Channel, channels } from '../../domain/people/records/channel.ts'
import type { Group } from '../../domain/people/records/group.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { countRoleUse } from '../../domain/people/records/heldRoles.ts'
import { type Role, roles } from '../../domain/people/records/role.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { channelKey, channelsOfGroup } from '../../domain/table/keys.ts'
import { all } from '../../domain/table/reader.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { channelRecord, groupRecord, ordinary, roleRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
const en = (text: string) => ({ language: 'en-GB', text })
const de = (text: string) => ({ language: 'de-DE', text })

const group = (id: string, title: Group['title'], parts: Partial<Group> = {}): Group => ({
  ...groupRecord(id),
  title,
  ...parts,
})
const channel = (id: string, parts: Partial<Channel> = {}) =>
  itemOf(channels, channelRecord(id, { title: [en(id)], ...parts }))
const role = (id: string, parts: Partial<Role> = {}) =>
  itemOf(roles, roleRecord(id, { title: [en(id)], scope: 'CHANNELS', permissions: [], ...parts }))

beforeAll(async () => {
  service = await startService()
  const groups = [
    group('north', [en('Zulu'), de('Ärzte')]),
    group('below', [en('Below')], { parent_id: 'north' }),
    ...['south', 'east', 'west'].map((id) => group(id, [en(id)])),
  ]
  await service.store.bulk(
    [
      ...groups.flatMap(groupItems),
      ...['news', 'race', 'plainly', 'owned', 'left', 'shut'].map((id) => channel(id)),
      channel('closed', { status: 'ARCHIVED' }),
      channel('edited', { default_role_id: 'editor' }),
      channel('sealed', { default_role_id: 'sealed' }),
      role('editor'),
      role('sealed', { assignable: false }),
    ].map((put) => ({ put })),
  )
  await service.store.write(['editor', 'sealed'].flatMap((id) => countRoleUse(id, 1, { predefined: {}, shard: 0 })))
  const ann = { id: 'ann', username: 'ann', first_name: 'Ann', last_name: 'A', primary_user_group_id: 'below' }
  await call('createUser', { body: { ...ordinary, ...ann } })
})

const attach = (channel_id: string, user_group_id: unknown, role_id?: unknown): Promise<Reply> =>
  call('createChannelGroup', {
    path: { channel_id },
    body: { user_group_id, ...(role_id === undefined ? {} : { role_id }) },
  })
const detach = (channel_id: string, user_group_id: string): Promise<Reply> =>
  call('deleteChannelGroup', { path: { channel_id, user_group_id } })
const attached = async (channel_id: string, query: object = {}, headers: Record<string, string> = {}) =>
  (await call('listChannelGroups', { path: { channel_id }, query: query as never, headers })).body
const ids = ({ assignments }: Any): string[] => assignments.map(({ id }: Any) => id)
const members = async (channel_id: string): Promise<string[]> =>
  (await call('listChannelAssignments', { path: { channel_id } })).body.assignments.map(
    ({ id, source }: Any) => `${id.user_id} ${id.role_id} ${source}`,
  )
const channelsOf = async (id: string): Promise<string[]> =>
  (await all(service.store, channelsOfGroup(id))).map(({ sk }) => sk)
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]

describe('a user group attached to a channel', () => {
  it('gives its members the role until it is detached', async () => {
    expect(await attach('news', 'north')).toMatchObject({
      status: 201,
      body: {
        id: 'north',
        role_id: 'channel-member',
        user_group: { id: 'north', title: en('Zulu'), status: 'ACTIVE' },
      },
    })
    expect(await members('news')).toEqual(['ann channel-member USER_GROUP'])
    expect(await channelsOf('north')).toEqual(['C#news'])
    const { status, body } = await detach('news', 'north')
    expect([status, body]).toEqual([204, undefined])
    expect(await members('news')).toEqual([])
    expect(await channelsOf('north')).toEqual([])
    expect(coded(await detach('news', 'north'))).toEqual([404, 'CHANNEL_USER_GROUP_NOT_FOUND', 'user_group_id'])
    await audit(service)
  })

  it.each<[string, string, unknown, unknown, unknown[]]>([
    ['no group', 'news', undefined, undefined, [400, 'VALIDATION_ERROR', 'user_group_id']],
    ['null', 'news', null, undefined, [400, 'VALIDATION_ERROR', 'user_group_id']],
    ['a number for a role', 'news', 'north', 7, [400, 'VALIDATION_ERROR', 'role_id']],
    ['an invalid channel id', 'a b', 'north', undefined, [400, 'VALIDATION_ERROR', 'channel_id']],
    ['an unknown channel', 'nowhere', 'nobody', 'clown', [404, 'CHANNEL_NOT_FOUND', 'channel_id']],
    ['an archived channel', 'closed', 'nobody', 'clown', [409, 'CHANNEL_ARCHIVED', 'channel_id']],
    ['an unknown group', 'news', 'nobody', 'clown', [400, 'INVALID_USER_GROUP', 'user_group_id']],
    ['an endless name of a group', 'news', 'x'.repeat(255), undefined, [400, 'INVALID_USER_GROUP', 'user_group_id']],
    ['an archived group', 'news', 'archived', 'clown', [400, 'INVALID_USER_GROUP', 'user_group_id']],
    ['an unknown role', 'news', 'north', 'clown', [404, 'ROLE_NOT_FOUND', 'role_id']],
    ['a role of groups', 'news', 'north', 'coach', [403, 'ROLE_NOT_ASSIGNABLE', 'role_id']],
    ['a role of nobody', 'news', 'north', 'sealed', [403, 'ROLE_NOT_ASSIGNABLE', 'role_id']],
    ['a default role of nobody', 'sealed', 'north', null, [403, 'ROLE_NOT_ASSIGNABLE', 'role_id']],
  ])('refuses %s', async (_what, channel_id, user_group_id, role_id, expected) => {
    expect(coded(await attach(channel_id, user_group_id, role_id))).toEqual(expected)
  })

  it('is attached once, whatever the role', async () => {
    const replies = await Promise.all(['channel-member', 'channel-owner'].map((one) => attach('news', 'south', one)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(coded(await attach('news', 'south'))).toEqual([409, 'ASSIGNMENT_ALREADY_EXISTS', 'user_group_id'])
    expect((await attach('plainly', 'south')).status).toBe(201)
    expect(await channelsOf('south')).toEqual(['C#news', 'C#plainly'])
  })

  it('takes the default role of the channel, whose uses are counted', async () => {
    expect((await attach('edited', 'east')).body.role_id).toBe('editor')
    expect((await attach('edited', 'west', null)).body.role_id).toBe('editor')
    expect((await attach('edited', 'below', 'channel-owner')).body.role_id).toBe('channel-owner')
    expect((await detach('edited', 'west')).status).toBe(204)
    await audit(service)
  })

  it.each<[string, string, string, unknown[]]>([
    ['nowhere', 'north', 'an unknown channel', [404, 'CHANNEL_NOT_FOUND', 'channel_id']],
    ['plainly', 'nobody', 'an unknown group', [404, 'CHANNEL_USER_GROUP_NOT_FOUND', 'user_group_id']],
    ['plainly', 'a b', 'no id', [400, 'VALIDATION_ERROR', 'user_group_id']],
  ])('of %s, %s is not detached: %s', async (channel_id, id, _what, expected) => {
    expect(coded(await detach(channel_id, id))).toEqual(expected)
  })

  it('is detached from an archived channel, too, and though owners came through it', async () => {
    await attach('owned', 'below', 'channel-owner')
    expect(await members('owned')).toEqual(['ann channel-owner USER_GROUP'])
    await call('archiveChannel', { path: { channel_id: 'owned' } })
    expect((await detach('owned', 'below')).status).toBe(204)
  })
})

describe('between the look at it and the write', () => {
  const put = (one: Group) => service.store.write(groupItems(one).map((item) => ({ put: item })))

  it('a group that is archived is not attached', async () => {
    await put(group('fleeting', [en('F')]))
    const archive = () => call('archiveGroup', { path: { group_id: 'fleeting' } })
    const reply = await meanwhile(service, archive, () => attach('race', 'fleeting'))
    expect(coded(reply)).toEqual([400, 'INVALID_USER_GROUP', 'user_group_id'])
    expect(ids(await attached('race'))).toEqual([])
  })

  it('nor one that is deleted', async () => {
    const one = group('passing', [en('P')])
    await put(one)
    const remove = () => service.store.write(groupItems(one).map(({ pk, sk }) => ({ delete: { pk, sk } })))
    const reply = await meanwhile(service, remove, () => attach('race', 'passing'))
    expect(coded(reply)).toEqual([400, 'INVALID_USER_GROUP', 'user_group_id'])
  })

  it('nor any to a channel that is archived', async () => {
    await put(group('late', [en('L')]))
    const archive = () => call('archiveChannel', { path: { channel_id: 'shut' } })
    const reply = await meanwhile(service, archive, () => attach('shut', 'late'))
    expect(coded(reply)).toEqual([409, 'CHANNEL_ARCHIVED', 'channel_id'])
    expect((await service.store.get(channelKey('shut')))?.['data']).toMatchObject({ status: 'ARCHIVED' })
    expect(await channelsOf('late')).toEqual([])
  })

  it('who is detached already is detached once', async () => {
    expect((await attach('left', 'east')).status).toBe(201)
    const replies = await Promise.all([1, 2].map(() => detach('left', 'east')))
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404])
    await audit(service)
  })
})

describe('the list of groups attached', () => {
  const titles: [string, Group['title']][] = [
    ['zulu', [en('Zulu'), de('Ärzte')]],
    ['elan', [en('Élan')]],
    ['alpha', [en('alpha'), de('Zebra')]],
  ]
  /** A channel with a group for each title. */
  const fill = async (id: string, nameOf: (title: string) => string) => {
    const groups = titles.map(([name, title]) => group(nameOf(name), title))
    await service.store.bulk([channel(id), ...groups.flatMap(groupItems)].map((put) => ({ put })))
    for (const one of groups) expect((await attach(id, one.id)).status).toBe(201)
  }
  beforeAll(() => fill('full', (title) => title))

  it('is sorted by the title that is shown', async () => {
    expect(ids(await attached('full'))).toEqual(['alpha', 'elan', 'zulu'])
    const german = await attached('full', {}, { 'accept-language': 'de-DE' })
    expect(german.assignments).toEqual([
      { id: 'zulu', role_id: 'channel-member', user_group: { id: 'zulu', title: de('Ärzte'), status: 'ACTIVE' } },
      { id: 'elan', role_id: 'channel-member', user_group: { id: 'elan', title: en('Élan'), status: 'ACTIVE' } },
      { id: 'alpha', role_id: 'channel-member', user_group: { id: 'alpha', title: de('Zebra'), status: 'ACTIVE' } },
    ])
  })

  it('has pages', async () => {
    for (const [page_number, found] of [
      [1, ['alpha', 'elan']],
      [2, ['zulu']],
      [3, []],
    ] as const) {
      const body = await attached('full', { page_limit: 2, page_number })
      expect(ids(body)).toEqual(found)
      expect(body.pagination).toMatchObject({ page_number, page_limit: 2, total_pages: 2, total_elements: 3 })
    }
  })

  it('keeps groups that are archived, not those that are gone', async () => {
    await fill('fading', (title) => `fading-${title}`)
    const archived = groupItems(group('fading-elan', [en('Élan')], { status: 'ARCHIVED' }))
    await service.store.bulk(archived.map((put) => ({ put })))
    const gone = groupItems(group('fading-alpha', []))
    await service.store.bulk(gone.map(({ pk, sk }) => ({ delete: { pk, sk } })))
    const { assignments, pagination } = await attached('fading')
    expect(assignments.map(({ user_group }: Any) => [user_group.id, user_group.status])).toEqual([
      ['fading-elan', 'ARCHIVED'],
      ['fading-zulu', 'ACTIVE'],
    ])
    expect(pagination.total_elements).toBe(2)
    const left = (await dump(service)).filter(({ pk, sk }) => /fading/.test(pk + sk))
    await service.store.bulk(left.map(({ pk, sk }) => ({ delete: { pk, sk } })))
  })

  it('refuses what it does not know', async () => {
    expect(coded(await call('listChannelGroups', { path: { channel_id: 'nowhere' } }))).toEqual([
      404,
      'CHANNEL_NOT_FOUND',
      'channel_id',
    ])
    const reply = await call('listChannelGroups', { path: { channel_id: 'full' }, query: { page_limit: 101 } })
    expect(coded(reply)).toEqual([400, 'VALIDATION_ERROR', 'page_limit'])
  })
})
