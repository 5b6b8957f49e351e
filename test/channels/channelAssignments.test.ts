import { beforeAll, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { attachmentItems, channels } from '../../domain/people/records/channel.ts'
import type { Group } from '../../domain/people/records/group.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { betweenReads, meanwhile } from '../harness/meanwhile.ts'
import { channelRecord, groupRecord, ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
const group = (id: string, parent_id: string): Group => ({
  ...groupRecord(id),
  title: [{ language: 'en-GB', text: id }],
  parent_id,
})
const channel = (id: string, status: 'ACTIVE' | 'ARCHIVED' = 'ACTIVE') =>
  itemOf(channels, channelRecord(id, { status }))

beforeAll(async () => {
  service = await startService()
  const empty = [channel('news'), channel('closed', 'ARCHIVED'), channel('quiet')]
  await service.store.bulk(empty.map((put) => ({ put })))
})

const newUser = async (id: string, parts: object = {}): Promise<string> => {
  const body = { id, first_name: 'Fi', last_name: id, username: id, ...parts }
  expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
  return id
}
const join = (group_id: string, user_id: string, role_id = 'coach') =>
  call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id } })
const give = (user_id: string, role_id: string, channel_id = 'news'): Promise<Reply> =>
  call('createChannelAssignment', { path: { channel_id, user_id }, body: { role_id } })
const listed = async (query: Record<string, string | number> = {}, channel_id = 'news') =>
  (await call('listChannelAssignments', { path: { channel_id }, query: { page_limit: 100, ...query } })).body
const lines = (list: Any): string[] =>
  list.assignments.map(({ id, source }: Any) => `${id.user_id} ${id.role_id} ${source}`)
const on = (user_id: string, role_id: string, channel_id = 'news') => ({ channel_id, user_id, role_id })

describe('assignments that groups confer', () => {
  /** A channel with groups: `staff` makes members and `north` below it owners; `old` below it is archived. */
  async function conferring(id: string) {
    const [staff, north, old, belowOld, apart] = ['staff', 'north', 'old', 'below-old', 'apart'].map(
      (name) => `${id}-${name}`,
    ) as [string, string, string, string, string]
    const groups = [
      group(staff, 'root'),
      group(north, staff),
      group(old, staff),
      group(belowOld, old),
      group(apart, 'root'),
    ]
    const items = [
      ...groups.flatMap(groupItems),
      channel(id),
      ...attachmentItems(id, { group_id: staff, role_id: 'channel-member' }),
      ...attachmentItems(id, { group_id: north, role_id: 'channel-owner' }),
    ]
    await service.store.bulk(items.map((put) => ({ put })))
    await call('archiveGroup', { path: { group_id: old } })
    return { staff, north, old, belowOld, apart, list: (query: object = {}) => listed({ ...query }, id) }
  }

  it('begin and end with the membership, groups below included, each user and role once', async () => {
    const { staff, north, old, belowOld, apart, list } = await conferring('conferred')
    await newUser('ab')
    expect(lines(await list())).toEqual([])
    await join(staff, 'ab')
    await join(staff, 'ab', 'group-owner')
    await join(north, 'ab')
    await join(apart, 'ab')
    await newUser('cd', { primary_user_group_id: north })
    await newUser('ef')
    await join(old, 'ef').catch(() => {})
    await join(belowOld, 'ef')
    expect(lines(await list())).toEqual([
      'ab channel-member USER_GROUP',
      'ab channel-owner USER_GROUP',
      'cd channel-member USER_GROUP',
      'cd channel-owner USER_GROUP',
      'ef channel-member USER_GROUP',
    ])
    expect(lines(await list({ role_id: 'channel-owner', sort: 'USER_LAST_NAME_DESC' }))).toEqual([
      'cd channel-owner USER_GROUP',
      'ab channel-owner USER_GROUP',
    ])
    await call('deleteGroupAssignment', { path: { group_id: north, user_id: 'ab', role_id: 'coach' } })
    expect(lines(await list({ search_term: 'ab' }))).toEqual(['ab channel-member USER_GROUP'])
    await call('updateUser', { path: { user_id: 'cd' }, body: { primary_user_group_id: null } })
    expect(lines(await list({ search_term: 'cd' }))).toEqual([])
    await audit(service)
  })

  it('give way to one held directly', async () => {
    const { staff, list } = await conferring('both')
    for (const id of ['gh', 'ij']) await join(staff, await newUser(id))
    expect((await give('gh', 'channel-member', 'both')).status).toBe(201)
    const { status, body } = await give('gh', 'channel-member', 'both')
    expect([status, body.source]).toEqual([200, 'MANUAL'])
    expect(lines(await list({ search_term: 'gh' }))).toEqual(['gh channel-member MANUAL'])
    expect(lines(await list({ source: 'USER_GROUP' }))).toEqual(['ij channel-member USER_GROUP'])
    expect(lines(await list({ 'source[]': 'MANUAL' }))).toEqual(['gh channel-member MANUAL'])
    const path = on('gh', 'channel-member', 'both')
    expect((await call('deleteChannelAssignment', { path })).body).toEqual({ id: path, source: 'MANUAL' })
    expect((await call('getChannelAssignment', { path })).body.source).toBe('USER_GROUP')
    expect((await call('deleteChannelAssignment', { path })).body.error_code).toBe('ROLE_ASSIGNMENT_NOT_DELETABLE')
    await audit(service)
  })

  it('follow the life of their users', async () => {
    const { staff, list } = await conferring('lived')
    await join(staff, await newUser('kl'))
    const shown = async () =>
      (await list({ search_term: 'kl', embed: 'USER' })).assignments.map(({ user }: Any) => user.is_deleted)
    for (const [name, expected] of [
      ['lockUser', [false]],
      ['deleteUser', [true]],
      ['restoreUser', [false]],
      ['deleteUser', [true]],
    ] as const) {
      await call(name, { path: { user_id: 'kl' } })
      expect(await shown()).toEqual(expected)
    }
    service.setNow(new Date(service.now().getTime() + 29 * 86_400_000))
    expect(await shown()).toEqual([])
    expect((await call('getChannelAssignment', { path: on('kl', 'channel-member', 'lived') })).status).toBe(404)
    await purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
    expect(await shown()).toEqual([])
    await audit(service)
  })
})

describe('assignments held directly', () => {
  it.each<[string, string, string, string, number]>([
    ['nowhere', 'nobody', 'nothing', 'CHANNEL_NOT_FOUND', 404],
    ['closed', 'nobody', 'nothing', 'CHANNEL_ARCHIVED', 409],
    ['news', 'nobody', 'nothing', 'USER_NOT_ASSIGNABLE', 409],
    ['news', 'plain', 'nothing', 'ROLE_NOT_FOUND', 404],
    ['news', 'plain', 'coach', 'ROLE_NOT_ASSIGNABLE', 403],
  ])('on %s for %s as %s are refused: %s', async (channel_id, user, role, code, status) => {
    const reply = await give(user, role, channel_id)
    expect([reply.status, reply.body.error_code]).toEqual([status, code])
  })

  it('embed user, role and actions', async () => {
    await service.store.bulk([{ put: channel('shown') }])
    const { body } = await call('createChannelAssignment', {
      path: { channel_id: 'shown', user_id: 'plain' },
      body: { role_id: 'channel-owner' },
      query: 'embed=USER,ROLE&embed[]=ACTIONS',
      headers: { 'accept-language': 'de-DE' },
    })
    const path = on('plain', 'channel-owner', 'shown')
    expect(body).toMatchObject({
      id: path,
      source: 'MANUAL',
      user: { id: 'plain', last_name: 'Plain' },
      role: { id: 'channel-owner', title: { language: 'de-DE' }, predefined_role_type: 'CHANNEL_OWNER' },
    })
    const read = await call('getChannelAssignment', { path, query: { embed: 'ACTIONS' } })
    expect(read.body.actions).toEqual({ delete: { allowed: false } })
  })

  it('leave one owner, whatever comes at the same time', async () => {
    await service.store.bulk([{ put: channel('owned') }])
    await give('plain', 'channel-owner', 'owned')
    const remove = (user: string) => call('deleteChannelAssignment', { path: on(user, 'channel-owner', 'owned') })
    expect((await remove('plain')).body.error_code).toBe('ROLE_NOT_DELETABLE')
    await give('admin', 'channel-owner', 'owned')
    const replies = await Promise.all([remove('plain'), remove('admin')])
    expect(replies.map(({ body }) => body.error_code ?? 'gone').sort()).toEqual(['ROLE_NOT_DELETABLE', 'gone'])
    expect((await remove('admin-2')).body.error_code).toBe('CHANNEL_USER_ASSIGNMENT_NOT_FOUND')
    await audit(service)
  })

  it('are read on an archived channel, and found nowhere else', async () => {
    expect(lines(await listed({}, 'closed'))).toEqual([])
    expect((await call('listChannelAssignments', { path: { channel_id: 'nowhere' } })).body.error_code).toBe(
      'CHANNEL_NOT_FOUND',
    )
    const roles = await call('listAssignableChannelRoles', { path: { channel_id: 'news' }, query: { embed: 'ROLE' } })
    expect(roles.body.assignable_roles.map(({ role_id }: Any) => role_id)).toEqual(['channel-member', 'channel-owner'])
  })
})

describe('an owner past their deadline', () => {
  const remove = (user: string) =>
    call('deleteChannelAssignment', { path: { channel_id: 'guarded', user_id: user, role_id: 'channel-owner' } })
  const mayRemove = async (user: string): Promise<boolean[]> => {
    const path = { channel_id: 'guarded', user_id: user, role_id: 'channel-owner' }
    const { body } = await call('getChannelAssignment', { path, query: { embed: 'ACTIONS' } })
    const { assignments } = await listed({ embed: 'ACTIONS', role_id: 'channel-owner' }, 'guarded')
    const row = assignments.find(({ id }: Any) => id.user_id === user)
    return [body.actions.delete.allowed, row.actions.delete.allowed]
  }
  const purge = () => purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })

  beforeAll(async () => {
    await service.store.bulk([{ put: channel('guarded') }])
    for (const id of ['gone-1', 'gone-2', 'last-1', 'last-2', 'last-3']) {
      await newUser(id)
      await give(id, 'channel-owner', 'guarded')
    }
    for (const user_id of ['gone-1', 'gone-2']) await call('deleteUser', { path: { user_id } })
    service.setNow(new Date(service.now().getTime() + 15 * 86_400_000))
  })

  it('does not count as an owner who is left, purged or not', async () => {
    expect(await mayRemove('last-1')).toEqual([true, true])
    expect((await remove('last-3')).status).toBe(200)
    const replies = await Promise.all([remove('last-1'), remove('last-2')])
    expect(replies.map(({ body }) => body.error_code ?? 'gone').sort()).toEqual(['ROLE_NOT_DELETABLE', 'gone'])
    const left = replies[0]?.status === 200 ? 'last-2' : 'last-1'
    expect(await mayRemove(left)).toEqual([false, false])
    expect((await remove(left)).body.error_code).toBe('ROLE_NOT_DELETABLE')
    await give('last-3', 'channel-owner', 'guarded')
    const [removed] = await Promise.all([remove('last-3'), purge()])
    expect(removed.status).toBe(200)
    expect(await mayRemove(left)).toEqual([false, false])
    expect((await remove(left)).body.error_code).toBe('ROLE_NOT_DELETABLE')
    await audit(service)
  })
})

describe('an owner role that is given and taken away at the same moment', () => {
  const asks = (text: string) => (_command: string, input: object) => JSON.stringify(input).includes(text)
  const remove = (user: string, channel_id: string) =>
    call('deleteChannelAssignment', { path: { channel_id, user_id: user, role_id: 'channel-owner' } })
  const outcome = ({ status, body }: Reply) => body.error_code ?? status
  /** A channel with these owners. */
  const owned = async (id: string, ...owners: string[]) => {
    await service.store.bulk([{ put: channel(id) }])
    for (const owner of owners) expect((await give(owner, 'channel-owner', id)).status).toBe(201)
  }
  beforeAll(async () => {
    for (const id of ['own-1', 'own-2', 'own-3']) await newUser(id)
  })

  it('is not taken for the last one by an old count', async () => {
    await owned('just-given', 'own-1')
    const count = asks('"CHANNEL#just-given"')
    const holding = (command: string, input: object) =>
      command.startsWith('BatchGet') && asks('"USER#own-2"')(command, input)
    const reply = await betweenReads(
      service,
      [count, holding],
      () => give('own-2', 'channel-owner', 'just-given'),
      () => remove('own-2', 'just-given'),
    )
    expect(outcome(reply)).toBe(200)
    expect(outcome(await remove('own-1', 'just-given'))).toBe('ROLE_NOT_DELETABLE')
    await audit(service)
  })

  it('is not taken for the last one by owners who are gone and are removed meanwhile', async () => {
    await owned('just-purged', 'own-1', 'own-2')
    const now = service.now()
    await newUser('own-gone')
    await give('own-gone', 'channel-owner', 'just-purged')
    await call('deleteUser', { path: { user_id: 'own-gone' } })
    service.setNow(new Date(now.getTime() + 15 * 86_400_000))
    const purge = () => purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
    const due = Promise.withResolvers<void>()
    // Begun here, as the purge is nothing that the endpoint may do itself.
    const purged = due.promise.then(purge)
    const others = async () => {
      due.resolve()
      await purged
    }
    const reply = await meanwhile(service, others, () => remove('own-2', 'just-purged'))
    expect(outcome(reply)).toBe(200)
    expect(outcome(await remove('own-1', 'just-purged'))).toBe('ROLE_NOT_DELETABLE')
    await audit(service)
  })

  it('is there or not, but never the last one, however often that is tried', async () => {
    await owned('given-often', 'own-1')
    const outcomes = new Set<unknown>()
    for (let n = 0; n < 30; n++) {
      const [, taken] = await Promise.all([
        give('own-2', 'channel-owner', 'given-often'),
        remove('own-2', 'given-often'),
      ])
      outcomes.add(outcome(taken))
      if (n % 2 === 0) await remove('own-2', 'given-often')
    }
    expect([200, 'CHANNEL_USER_ASSIGNMENT_NOT_FOUND']).toEqual(expect.arrayContaining([...outcomes]))
    await audit(service)
  })
})

describe('five overlapping groups', () => {
  it('list each user and role once, in order, page by page', async () => {
    const names = ['o-0', 'o-1', 'o-2', 'o-3', 'o-4']
    await service.store.bulk(
      [
        ...names.map((id) => group(id, 'root')).flatMap(groupItems),
        ...names.flatMap((group_id) => attachmentItems('quiet', { group_id, role_id: 'channel-member' })),
      ].map((put) => ({ put })),
    )
    const users = await Promise.all(Array.from({ length: 30 }, (_, n) => newUser(`m-${String(n).padStart(2, '0')}`)))
    const items = users.flatMap((user_id, n) =>
      names.filter((_, g) => (n + g) % 3 > 0).map((group_id) => ({ group_id, body: { user_id, role_id: 'coach' } })),
    )
    for (let start = 0; start < items.length; start += 100)
      await call('createGroupAssignments', { body: { items: items.slice(start, start + 100) } })
    const walked: string[] = []
    for (let page = 1; page <= 5; page++) {
      const list = await listed(
        { page_limit: 7, page_number: page, sort: 'USER_LAST_NAME_DESC,USER_FIRST_NAME_ASC' },
        'quiet',
      )
      expect(list.pagination).toMatchObject({ total_elements: 30, total_pages: 5 })
      walked.push(...list.assignments.map(({ id }: Any) => id.user_id))
    }
    expect(walked).toEqual([...users].reverse())
    await audit(service)
  })
})
