import { beforeEach, describe, expect, it } from 'vitest'
import type { ImportProgress } from '../../domain/import/importContext.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { differenceLines, type ImportSummary, type Tally, talliesOf } from '../../domain/import/importSummary.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import * as keys from '../../domain/table/keys.ts'
import { SHARDS } from '../../domain/table/keys.ts'
import type { Item, Key } from '../../domain/table/store.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { type Directory, generateDirectory, withServiceAccount } from '../../local/demo/demo.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

let service: Service
beforeEach(async () => {
  service = await emptyTable()
  service.setNow('2026-11-21T09:00:00.000Z')
})

const bringIn = (directory: unknown): Promise<ImportSummary> => importDirectory(contextOf(service), directory)
const read = (key: Key): Promise<Item | undefined> => service.store.get(key)
const user = async (id: string) => (await read(keys.userKey(id)))?.data as UserRecord | undefined
const runPurge = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
const only = (summary: ImportSummary, kind: keyof Tally) =>
  Object.fromEntries(
    Object.entries(talliesOf(summary)).flatMap(([section, tally]) => (tally[kind] > 0 ? [[section, tally[kind]]] : [])),
  )

describe('an import', () => {
  it('brings everything in, and what every directory has', async () => {
    const summary = await bringIn(small())
    expect(only(summary, 'created')).toEqual({
      organisation: 1,
      roles: 8,
      user_groups: 5,
      attribute_definitions: 4,
      channels: 2,
      channel_user_groups: 1,
      users: 5,
      user_group_assignments: 5,
      channel_assignments: 2,
      tasks: 2,
      task_assignments: 3,
    })
    for (const kind of ['updated', 'unchanged', 'skipped'] as const) expect(only(summary, kind)).toEqual({})
    expect((await read(keys.organisationKey))?.data).toEqual({
      ...small().organisation,
      predefined: {
        USER_GROUP_MEMBER: 'user-group-member',
        USER_GROUP_OWNER: 'user-group-owner',
        CHANNEL_MEMBER: 'channel-member',
        CHANNEL_OWNER: 'channel-owner',
        ROOT: 'top',
        ALL_USERS: 'everybody',
      },
    })
    await audit(service)
  })

  it('of an empty file makes an organisation that people can be created in', async () => {
    await bringIn({ users: [{ id: 'admin', username: 'admin', first_name: 'A', last_name: 'A', role: 'ADMIN' }] })
    const body = { first_name: 'B', last_name: 'B', username: 'b', attributes: [{ name: 'job_title', value: 'Baker' }] }
    const { status, body: created } = await call('createUser', { body: { ...ordinary, ...body } })
    expect(status).toBe(201)
    expect(created.primary_user_group).toEqual({
      id: 'all-users',
      title: { language: 'en-GB', text: 'All users' },
      status: 'ACTIVE',
    })
    expect((await read(keys.groupKey('all-users')))?.data).toMatchObject({ type: 'ALL_USERS', parent_id: 'root' })
    await audit(service)
  })

  it('gives missing pieces other ids where theirs are taken', async () => {
    const title = [{ language: 'en-GB', text: 'x' }]
    await bringIn({
      roles: [{ id: 'channel-owner', title, scope: 'CHANNELS', type: 'CUSTOM', permissions: [] }],
      user_groups: [{ id: 'root', title, type: 'CUSTOM' }],
    })
    const organisation: Any = await read(keys.organisationKey)
    const { predefined } = organisation.data
    expect(predefined).toMatchObject({ CHANNEL_OWNER: 'predefined-channel-owner', ROOT: 'predefined-root' })
    expect((await read(keys.groupKey('root')))?.data).toMatchObject({ parent_id: 'predefined-root' })
    await bringIn({ user_groups: [{ id: 'other', title, type: 'CUSTOM' }] })
    expect((await read(keys.organisationKey))?.data).toMatchObject({ predefined })
  })

  it('stores users as the API does', async () => {
    service = await emptyTable([])
    service.setNow('2026-11-21T09:00:00.000Z')
    await bringIn(small())
    expect(await user('ben')).toEqual({
      id: 'ben',
      external_id: 'E-2',
      first_name: 'Ben',
      last_name: 'Öhman',
      email: 'ben@example.com',
      username: 'ben',
      status: 'ACTIVE',
      role: 'USER',
      required_actions: [],
      attributes: [
        { name: 'department', value: 'Sales' },
        { name: 'joined_on', value: '2024-02-29' },
      ],
      tags: [{ name: 'mentor' }],
      profile_picture: null,
      primary_user_group_id: 'sales',
      primary_was: null,
      created_at: '2026-11-21T09:00:00.000Z',
      updated_at: '2026-11-21T09:00:00.000Z',
      version: 1,
    })
    expect(await user('eve')).toMatchObject({ protected: true, primary_user_group_id: 'everybody' })
    expect(await user('dan')).toMatchObject({
      status: 'PENDING_DELETION',
      previous_status: 'ACTIVE',
      deletion_at: '2026-12-05T09:00:00.000Z',
    })
    const { body } = await call('listUsers', { as: 'ada', query: { search_term: 'ohm' } })
    expect(body.users.map(({ id }: Any) => id)).toEqual(['ben'])
  })

  it('lets an imported user pending deletion be restored, and removes another one after the deadline', async () => {
    const directory = small()
    directory.users.push({
      id: 'fay',
      username: 'fay',
      first_name: 'Fay',
      last_name: 'F',
      status: 'PENDING_DELETION',
      deletion_at: '2026-11-22T10:00:00.5+01:00',
    })
    await bringIn(directory)
    expect((await call('restoreUser', { as: 'ada', path: { user_id: 'dan' } })).body.status).toBe('ACTIVE')
    expect(await user('fay')).toMatchObject({ deletion_at: '2026-11-22T09:00:00.500Z' })
    service.setNow('2026-11-22T09:00:01.000Z')
    expect((await runPurge()).purged).toBe(1)
    expect(await user('fay')).toBeUndefined()
    await audit(service)
  })

  it('takes an assignment that the primary group confers for what it was before', async () => {
    await bringIn(small())
    expect(await user('ada')).toMatchObject({ primary_was: 'MANUAL', primary_user_group_id: 'everybody' })
    await call('updateUser', { as: 'eve', path: { user_id: 'ada' }, body: { primary_user_group_id: 'sales-north' } })
    expect((await read(keys.groupAssignmentKey('ada', 'everybody', 'user-group-member')))?.source).toBe('MANUAL')
    expect((await read(keys.groupAssignmentKey('ada', 'sales-north', 'user-group-member')))?.source).toBe('PRIMARY')
    await audit(service)
  })

  it('puts the group of all users below any active group of the file', async () => {
    const directory = small()
    directory.user_groups[1].parent_id = 'sales-north'
    await bringIn(directory)
    expect((await read(keys.groupKey('everybody')))?.data).toMatchObject({ parent_id: 'sales-north' })
    expect(only(await bringIn(directory), 'created')).toEqual({})
    await audit(service)
  })

  it('marks archived groups, so that no user joins them', async () => {
    await bringIn(small())
    const body = { first_name: 'X', last_name: 'X', username: 'x', primary_user_group_id: 'closed' }
    expect((await call('createUser', { as: 'ada', body: { ...ordinary, ...body } })).body.error_code).toBe(
      'UNKNOWN_USER_GROUP_ID',
    )
    const shards = (await dump(service)).filter(({ pk, sk }) => pk === 'GROUP#closed' && sk.startsWith('N#'))
    expect(shards.filter((shard) => shard.closed === true)).toHaveLength(SHARDS)
  })

  it('gives a user without an id one that follows from their username', async () => {
    await bringIn(small())
    const owner = (await read(keys.usernameKey('CLEO')))?.owner
    expect(owner).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const other = await emptyTable()
    await importDirectory(contextOf(other), small())
    expect((await other.store.get(keys.usernameKey('cleo')))?.owner).toBe(owner)
  })

  it('tells how far it is', async () => {
    const seen: ImportProgress[] = []
    await importDirectory({ ...contextOf(service), onProgress: (one) => seen.push(one) }, small())
    expect(seen).toEqual([
      { section: 'checks', done: 5, total: 5 },
      { section: 'users', done: 4, total: 5 },
      { section: 'users', done: 5, total: 5 },
      { section: 'tasks', done: 1, total: 2 },
      { section: 'tasks', done: 2, total: 2 },
    ])
  })

  it('of more assignments than fit into one transaction gives a user all', async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    const title = [{ language: 'en-GB', text: 'x' }]
    const role = (id: string, scope: string) => ({ id, title, scope, type: 'CUSTOM', permissions: [] })
    await bringIn({
      roles: numbers.flatMap((n) => [role(`gr-${n}`, 'USER_GROUPS'), role(`cr-${n}`, 'CHANNELS')]),
      user_groups: numbers.map((n) => ({ id: `g-${n}`, title, type: 'CUSTOM' })),
      channels: numbers.map((n) => ({ id: `c-${n}`, title, default_role_id: `cr-${n % 3}` })),
      users: ['ann', 'bob'].map((id) => ({ id, username: id, first_name: id, last_name: id, external_id: id })),
      user_group_assignments: numbers.flatMap((n) =>
        ['ann', 'bob'].map((user_id) => ({ group_id: `g-${n}`, user_id, role_id: `gr-${n}`, source: 'RULE' })),
      ),
      channel_assignments: numbers.map((n) => ({ channel_id: `c-${n}`, user_id: 'ann', role_id: `cr-${n}` })),
    })
    await audit(service)
    const held = (await dump(service)).filter(({ pk }) => pk === 'USER#ann')
    expect(held.filter(({ sk }) => sk.startsWith('GA#'))).toHaveLength(61)
    expect(held.filter(({ sk }) => sk.startsWith('CA#'))).toHaveLength(60)
    expect((await read(keys.channelCountKey('c-59', 'cr-59')))?.count).toBe(1)
  })

  it('cleans the HTML of tasks, and works out plain text', async () => {
    await bringIn({
      users: [{ id: 'ann', username: 'ann', first_name: 'Ann', last_name: 'A', role: 'ADMIN' }],
      tasks: [{ id: 't', author_id: 'ann', title: 'T', body: { html: '<p onclick=x>Hi <script>x</script>all</p>' } }],
      task_assignments: [{ task_id: 't', user_id: 'ann' }],
    })
    const { body } = await call('getTask', { path: { task_id: 't' }, as: 'ann' })
    expect(body.body).toEqual({ plain: 'Hi all', html: '<p>Hi all</p>' })
    await audit(service)
  })
})

describe('the same file imported again', () => {
  const files: [string, () => unknown][] = [
    ['a small directory', small],
    ['an empty directory', () => ({})],
    ['50 generated users', () => withServiceAccount(generateDirectory({ users: 50 }))],
  ]

  it.each(files)('changes nothing: %s', async (_what, file) => {
    const first = await bringIn(file())
    await audit(service)
    const before = await dump(service)
    service.setNow('2026-11-21T10:00:00.000Z')
    const second = await bringIn(file())
    expect(await dump(service)).toEqual(before)
    expect(only(second, 'created')).toEqual({})
    expect(only(second, 'updated')).toEqual({})
    expect(second.differences).toEqual([])
    for (const section of ['users', 'user_group_assignments', 'channel_assignments', 'task_assignments'] as const)
      expect(second[section].unchanged).toBe(first[section].created)
  })

  it('undoes nothing that happened since', async () => {
    await bringIn(small())
    const cleo = String((await read(keys.usernameKey('cleo')))?.owner)
    const as = 'eve'
    await call('lockUser', { as, path: { user_id: 'ben' } })
    await call('unlockUser', { as, path: { user_id: cleo } })
    await call('updateUser', { as, path: { user_id: cleo }, body: { username: 'cleopatra', last_name: 'Queen' } })
    await call('updateUser', { as, path: { user_id: 'ada' }, body: { primary_user_group_id: 'sales' } })
    const before = await dump(service)
    service.setNow('2026-11-21T10:00:00.000Z')
    const summary = await bringIn(small())
    expect(await dump(service)).toEqual(before)
    expect(only(summary, 'created')).toEqual({})
    expect(differenceLines(summary, 20)).toEqual(['users[2]: username, last_name, status'])
  })

  it('finds the user without an id by username, if another way of creation gave it another id', async () => {
    const without = small()
    without.users.splice(2, 1)
    await bringIn(without)
    const body = { first_name: 'Cleo', last_name: 'Created', username: 'Cleo' }
    const { body: created } = await call('createUser', { as: 'ada', body: { ...ordinary, ...body } })
    const { users } = await bringIn(small())
    expect(users).toEqual({ created: 0, updated: 0, unchanged: 4, different: 1, skipped: 0, conflicts: 0 })
    expect(await user(created.id)).toMatchObject({ last_name: 'Created' })
    await audit(service)
  })

  it('does not bring back a user who is gone, nor what refers to them', async () => {
    await bringIn(small())
    service.setNow('2026-12-05T09:00:00.000Z')
    const [pastDeadline, before] = [await bringIn(small()), await dump(service)]
    expect(only(pastDeadline, 'skipped')).toEqual({ users: 1, user_group_assignments: 1, task_assignments: 1 })
    expect((await runPurge()).purged).toBe(1)
    const purged = await dump(service)
    expect(purged.length).toBeLessThan(before.length)
    expect(only(await bringIn(small()), 'skipped')).toEqual(only(pastDeadline, 'skipped'))
    expect(await dump(service)).toEqual(purged)
    await audit(service)
  })
})

describe('a user who is imported past their deadline', () => {
  const directory = () => {
    const file = small()
    file.users[3].deletion_at = '2026-11-21T08:59:59.999Z'
    file.tasks.push({ id: 'authored', author_id: 'dan', title: 'x', body: {} })
    file.tasks.push({ id: 'received', author_id: 'ada', title: 'x', body: {} })
    file.task_assignments.push({ task_id: 'authored', user_id: 'ada' }, { task_id: 'received', user_id: 'dan' })
    file.users.push({ id: 'heir', username: 'dan', first_name: 'H', last_name: 'H' })
    return file
  }

  it('is gone at once, with what refers to them; the names are free, the id is not', async () => {
    const summary = await bringIn(directory())
    expect(only(summary, 'skipped')).toEqual({ users: 1, user_group_assignments: 1, tasks: 2, task_assignments: 3 })
    const about = (await dump(service)).filter(({ pk }) => pk === 'USER#dan')
    expect(about).toEqual([keys.tombstoneKey('dan')])
    expect((await read(keys.usernameKey('dan')))?.owner).toBe('heir')
    const body = { id: 'dan', first_name: 'D', last_name: 'D', username: 'daniel' }
    expect((await call('createUser', { as: 'ada', body: { ...ordinary, ...body } })).body.error_code).toBe(
      'USER_ID_ALREADY_EXISTS',
    )
    const restored = await call('restoreUser', { as: 'ada', path: { user_id: 'dan' } })
    expect(restored.body.error_code).toBe('USER_NOT_RESTORABLE')
    await audit(service)
  })

  it('is skipped again', async () => {
    const first = await bringIn(directory())
    const before = await dump(service)
    expect(only(await bringIn(directory()), 'skipped')).toEqual(only(first, 'skipped'))
    expect(await dump(service)).toEqual(before)
  })
})

describe('another file', () => {
  beforeEach(() => bringIn(small()))

  it('takes over names whose holders’ deadlines have passed, whether or not anything has removed them', async () => {
    service.setNow('2026-12-05T09:00:00.000Z')
    const heir = { id: 'heir', username: 'DAN', first_name: 'H', last_name: 'H' }
    expect((await bringIn({ users: [heir] })).users.created).toBe(1)
    expect(await read(keys.usernameKey('dan'))).toMatchObject({ owner: 'heir' })
    expect((await runPurge()).purged).toBe(1)
    expect(await read(keys.usernameKey('dan'))).toMatchObject({ owner: 'heir' })
    await audit(service)
  })

  it('brings what people refer to to what it says; what it does not say stays', async () => {
    service.setNow('2026-11-21T10:00:00.000Z')
    const title = [{ language: 'de-DE', text: 'Neu' }]
    const summary = await bringIn({
      organisation: { features: { tasks: false } },
      roles: [{ id: 'coach', title, scope: 'USER_GROUPS', type: 'CUSTOM', permissions: ['X'] }],
      user_groups: [
        { id: 'sales', title, type: 'CUSTOM', external_id: null },
        { id: 'sales-north', title, type: 'CUSTOM', parent_id: 'everybody' },
        { id: 'closed', title, type: 'CUSTOM', status: 'ACTIVE' },
      ],
      attribute_definitions: [{ technical_name: 'joined_on', title, attribute_type: 'DATE' }],
      channels: [{ id: 'old', title, default_role_id: 'channel-member', status: 'ACTIVE' }],
      channel_user_groups: [{ channel_id: 'news', group_id: 'closed', role_id: 'channel-member' }],
    })
    expect(only(summary, 'updated')).toEqual({
      organisation: 1,
      roles: 1,
      user_groups: 3,
      attribute_definitions: 1,
      channels: 1,
    })
    expect(only(summary, 'created')).toEqual({ channel_user_groups: 1 })
    const data = async (key: Key) => (await read(key))?.data as Any
    const times = { created_at: '2026-11-21T09:00:00.000Z', updated_at: '2026-11-21T10:00:00.000Z' }
    expect(await data(keys.organisationKey)).toMatchObject({
      languages: ['en-GB', 'de-DE'],
      features: { tasks: false, user_deactivation: true },
    })
    expect(await data(keys.roleKey('coach'))).toMatchObject({ title, permissions: ['X'], ...times })
    expect(await data(keys.groupKey('sales'))).toMatchObject({ external_id: null, parent_id: 'top', ...times })
    expect(await data(keys.groupKey('sales-north'))).toMatchObject({ external_id: 'G-2', parent_id: 'everybody' })
    expect(await read(keys.groupTreeKey('sales-north'))).toMatchObject({ parent_id: 'everybody' })
    expect(await data(keys.attributeKey('joined_on'))).toMatchObject({ title, user_permission: 'EDIT' })
    expect(await data(keys.channelKey('old'))).toMatchObject({ title, status: 'ACTIVE', ...times })
    expect(await data(keys.channelGroupKey('news', 'closed'))).toMatchObject({ role_id: 'channel-member' })
    const body = { first_name: 'X', last_name: 'X', username: 'x', primary_user_group_id: 'closed' }
    expect((await call('createUser', { as: 'ada', body: { ...ordinary, ...body } })).status).toBe(201)
    await audit(service)
  })

  it('archives a group without members', async () => {
    const title = [{ language: 'en-GB', text: 'North' }]
    const group = { id: 'empty', title, type: 'CUSTOM', status: 'ACTIVE' }
    await bringIn({ user_groups: [group] })
    await bringIn({ user_groups: [{ ...group, status: 'ARCHIVED' }] })
    const body = { first_name: 'X', last_name: 'X', username: 'x', primary_user_group_id: 'empty' }
    expect((await call('createUser', { as: 'ada', body: { ...ordinary, ...body } })).body.error_code).toBe(
      'UNKNOWN_USER_GROUP_ID',
    )
  })

  it('gives users who are there roles and tasks that they lack, and refers to what is stored', async () => {
    service.setNow('2026-11-21T10:00:00.000Z')
    const summary = await bringIn({
      users: [{ id: 'gus', username: 'gus', first_name: 'G', last_name: 'G', primary_user_group_id: 'sales' }],
      user_group_assignments: [
        { group_id: 'sales', user_id: 'ben', role_id: 'coach', source: 'MANUAL' },
        { group_id: 'sales', user_id: 'ben', role_id: 'user-group-member', source: 'PRIMARY' },
        { group_id: 'sales-north', user_id: 'ben', role_id: 'coach', source: 'RULE' },
        { group_id: 'sales', user_id: 'gus', role_id: 'coach', source: 'MANUAL' },
      ],
      channel_assignments: [
        { channel_id: 'news', user_id: 'ada', role_id: 'channel-owner' },
        { channel_id: 'news', user_id: 'ben', role_id: 'editor' },
      ],
      tasks: [{ id: 'new', author_id: 'ben', title: 'x', body: {} }],
      task_assignments: [
        { task_id: 'new', user_id: 'ada' },
        { task_id: 'drill', user_id: 'ben', progress_status: 'FINISHED' },
        { task_id: 'drill', user_id: 'gus' },
      ],
    })
    expect(only(summary, 'created')).toEqual({
      users: 1,
      user_group_assignments: 2,
      channel_assignments: 1,
      tasks: 1,
      task_assignments: 2,
    })
    expect(only(summary, 'unchanged')).toMatchObject({ user_group_assignments: 2, channel_assignments: 1 })
    expect(only(summary, 'different')).toEqual({ task_assignments: 1 })
    expect((await read(keys.taskAssignmentKey('ben', 'drill')))?.data).toMatchObject({ progress_status: 'OPEN' })
    expect((await read(keys.channelCountKey('news', 'editor')))?.count).toBe(1)
    await audit(service)
  })

  it('may name users, groups and roles that only the store has', async () => {
    const directory: Directory = {
      users: [{ id: 'gus', username: 'gus', first_name: 'G', last_name: 'G' }],
      user_group_assignments: [{ group_id: 'sales', user_id: 'gus', role_id: 'coach', source: 'MANUAL' }],
    }
    expect((await bringIn(directory)).users.created).toBe(1)
    await audit(service)
  })
})
