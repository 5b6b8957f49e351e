import { beforeEach, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { faultLines, ImportRefused } from '../../domain/import/importErrors.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

let service: Service
beforeEach(async () => {
  service = await emptyTable()
  await importDirectory(contextOf(service), small())
})

const title = [{ language: 'en-GB', text: 'Title' }]
const api = (name: string, request: Any) => call(name, { as: 'ada', ...request })
const bringIn = (file: Any, context = contextOf(service)) => importDirectory(context, file)

async function faultsOf(file: Any): Promise<string[]> {
  const error = await bringIn(file).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ImportRefused)
  return faultLines((error as ImportRefused).faults, 100)
}

describe('external ids of user groups', () => {
  const create = (id: string, external_id: string) =>
    api('createGroup', { body: { id, title, parent_id: 'top', external_id } })

  it('that an import brought are taken for the API', async () => {
    expect((await create('new', 'G-1')).body.error_code).toBe('DUPLICATE_EXTERNAL_ID')
    await bringIn({ user_groups: [{ id: 'sales', title, type: 'CUSTOM', external_id: 'G-3' }] })
    expect((await create('new', 'G-1')).status).toBe(201)
    expect((await create('newer', 'G-3')).body.error_code).toBe('DUPLICATE_EXTERNAL_ID')
    await audit(service)
  })

  it('that the API gave are taken for an import', async () => {
    await create('new', 'G-9')
    const user_groups = [{ id: 'sales', title, type: 'CUSTOM', external_id: 'G-9' }]
    expect(await faultsOf({ user_groups })).toEqual([
      'user_groups[0].external_id: must not belong to another user group',
    ])
    const own = [{ id: 'new', title, type: 'CUSTOM', external_id: 'G-9' }]
    expect((await bringIn({ user_groups: own })).user_groups).toMatchObject({ unchanged: 1 })
  })
})

describe('the tree of groups', () => {
  it('is checked again when others have changed it meanwhile', async () => {
    await api('createGroup', { body: { id: 'aside', title, parent_id: 'top' } })
    const { store } = contextOf(service)
    let isFirst = true
    const meddled = {
      ...store,
      write: async (actions: Any) => {
        const isOfTree = JSON.stringify(actions).includes('GROUP_TREE')
        if (isOfTree && isFirst) {
          isFirst = false
          const body = { parent_id: 'sales-north' }
          expect((await api('updateGroup', { path: { group_id: 'aside' }, body })).status).toBe(200)
        }
        return store.write(actions)
      },
    }
    // Each move is right by itself; both together would be a circle.
    const user_groups = [{ id: 'sales', title, type: 'CUSTOM', parent_id: 'aside', external_id: 'G-1' }]
    const error = await bringIn({ user_groups }, { ...contextOf(service), store: meddled }).catch((thrown) => thrown)
    expect(isFirst).toBe(false)
    expect(faultLines(error.faults, 9)).toEqual(['user_groups[0].parent_id: puts the group below itself'])
    await audit(service)
  })

  it('takes nothing below an archived group, nor changes that', async () => {
    const group = (id: string, parts: object) => ({ id, title, type: 'CUSTOM', ...parts })
    const north = { title: small().user_groups[3].title, external_id: 'G-2' }
    const user_groups = [
      group('new', { parent_id: 'closed' }),
      group('sales-north', { parent_id: 'closed', ...north }),
      group('closed', {}),
      group('archived-too', { parent_id: 'closed', status: 'ARCHIVED' }),
    ]
    expect(await faultsOf({ user_groups })).toEqual([
      'user_groups[0].parent_id: names a user group that is archived',
      'user_groups[1].parent_id: names a user group that is archived',
      'user_groups[2].status: is refused: The user group is archived',
    ])
    const { user_groups: tally } = await bringIn({
      user_groups: [user_groups[3], group('closed', { status: 'ACTIVE' })],
    })
    expect(tally).toMatchObject({ created: 1, updated: 1 })
    await audit(service)
  })
})

describe('channels', () => {
  it('that are archived change only when they are restored', async () => {
    const channel = { id: 'old', title, default_role_id: 'editor' }
    const faults = ['channels[0].status: is refused: The channel is archived']
    expect(await faultsOf({ channels: [channel] })).toEqual(faults)
    expect((await bringIn({ channels: [{ ...channel, status: 'ACTIVE' }] })).channels).toMatchObject({ updated: 1 })
  })

  it('keep the role of a group that is attached to them', async () => {
    const channel_user_groups = [{ channel_id: 'news', group_id: 'sales', role_id: 'channel-member' }]
    expect(await faultsOf({ channel_user_groups })).toEqual([
      'channel_user_groups[0].role_id: cannot change: others may rely on what is stored',
    ])
  })
})

describe('users who are not active', () => {
  const given = () => ({
    user_group_assignments: [
      { group_id: 'sales', user_id: 'ben', role_id: 'coach', source: 'MANUAL' },
      { group_id: 'sales-north', user_id: 'ben', role_id: 'coach', source: 'MANUAL' },
    ],
    channel_assignments: [{ channel_id: 'news', user_id: 'ben', role_id: 'editor' }],
    task_assignments: [{ task_id: 'drill', user_id: 'ben' }],
  })

  it('get nothing new, as in the API, unless the file has a record of them', async () => {
    await api('lockUser', { path: { user_id: 'ben' } })
    expect(await faultsOf(given())).toEqual([
      'user_group_assignments[1].user_id: names a user who is not active',
      'channel_assignments[0].user_id: names a user who is not active',
    ])
    const summary = await bringIn({ ...given(), users: [small().users[1]] })
    expect(summary.user_group_assignments).toMatchObject({ created: 1, unchanged: 1 })
    expect(summary.channel_assignments).toMatchObject({ created: 1 })
    await audit(service)
  })
})

describe('roles', () => {
  it('that are predefined change their texts only', async () => {
    const owner = {
      id: 'channel-owner',
      title,
      scope: 'CHANNELS',
      type: 'PREDEFINED',
      predefined_role_type: 'CHANNEL_OWNER',
    }
    const { body } = await api('getRole', { path: { role_id: 'channel-owner' } })
    expect(await faultsOf({ roles: [{ ...owner, permissions: [] }] })).toEqual([
      'roles[0].type: is predefined: only title and description can change',
    ])
    const same = await bringIn({ roles: [{ ...owner, permissions: body.permissions }] })
    expect(same.roles).toMatchObject({ updated: 1 })
  })

  it('that cannot be handed out are no default of a channel', async () => {
    const channels = [{ id: 'fresh', title, default_role_id: 'auditor-2' }]
    expect(await faultsOf({ channels })).toEqual(['channels[0].default_role_id: is a role that cannot be handed out'])
    const created = await api('createChannel', { body: channels[0] })
    expect(created.body.error_code).toBe('ROLE_NOT_ASSIGNABLE')
  })

  it('that cannot be handed out any more stay where they are', async () => {
    for (const role_id of ['coach', 'editor'])
      expect((await api('updateRole', { path: { role_id }, body: { assignable: false } })).status).toBe(200)
    const { user_group_assignments, channel_user_groups, channel_assignments } = small()
    const same = { user_group_assignments, channel_user_groups, channel_assignments }
    const summary = await bringIn(same)
    expect(summary.user_group_assignments).toMatchObject({ unchanged: 5 })
    expect(summary.channel_user_groups).toMatchObject({ unchanged: 1 })
    expect(summary.channel_assignments).toMatchObject({ unchanged: 2 })
    const more = {
      user_group_assignments: [{ group_id: 'sales', user_id: 'ada', role_id: 'coach', source: 'MANUAL' }],
      channel_user_groups: [{ channel_id: 'news', group_id: 'sales-north', role_id: 'editor' }],
      channel_assignments: [{ channel_id: 'news', user_id: 'ben', role_id: 'editor' }],
    }
    const reason = 'is a role that cannot be handed out'
    const sections = ['channel_user_groups', 'user_group_assignments', 'channel_assignments']
    expect(await faultsOf(more)).toEqual(sections.map((name) => `${name}[0].role_id: ${reason}`))
  })
})

describe('titles and descriptions', () => {
  it('are not too long together with the stored ones', async () => {
    const languages = ['en-GB', ...Array.from({ length: 25 }, (_, n) => `de-${100 + n}`)]
    const texts = (length: number, languages: string[]) =>
      languages.map((language) => ({ language, text: 'x'.repeat(length) }))
    const group = { id: 'sales', type: 'CUSTOM', title }
    const description = texts(1_000, languages.slice(0, 19))
    await bringIn({ organisation: { languages }, user_groups: [{ ...group, description }] })
    expect(await faultsOf({ user_groups: [{ ...group, title: texts(250, languages) }] })).toEqual([
      'user_groups[0].description: must have at most 20000 characters in title and description together',
    ])
  })
})

describe('the organisation', () => {
  it('takes a default language in another case than among its languages, and keeps theirs', async () => {
    expect((await bringIn({ organisation: { default_language: 'EN-gb' } })).organisation).toMatchObject({
      unchanged: 1,
    })
    const german = { default_language: 'DE-de', features: { tasks: false } }
    expect((await bringIn({ organisation: german })).organisation).toMatchObject({ updated: 1 })
    const { body } = await api('getOrganisationSettings', {})
    expect(body).toEqual({
      default_language: 'de-DE',
      languages: ['en-GB', 'de-DE'],
      features: { tasks: false, user_deactivation: true, people_directory: true },
    })
  })
})
