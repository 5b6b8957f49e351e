import { beforeEach, describe, expect, it } from 'vitest'
import { faultLines, ImportRefused, ImportStopped } from '../../domain/import/importContext.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
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
    expect(await faultsOf({ user_groups })).toEqual(['user_groups[0].external_id: belongs to another user group'])
    const own = [{ id: 'new', title, type: 'CUSTOM', external_id: 'G-9' }]
    expect((await bringIn({ user_groups: own })).user_groups).toMatchObject({ unchanged: 1 })
  })
})

describe('the tree of groups', () => {
  it('is the one that the file was held against, or the import stops', async () => {
    const { store } = contextOf(service)
    let isFirst = true
    const meddled = {
      ...store,
      write: async (actions: Any) => {
        const isOfTree = JSON.stringify(actions).includes('GROUP_TREE')
        if (isOfTree && isFirst) {
          isFirst = false
          const body = { parent_id: 'sales-north' }
          await api('createGroup', { body: { id: 'aside', title, parent_id: 'top' } })
          expect([200, 503]).toContain((await api('updateGroup', { path: { group_id: 'aside' }, body })).status)
        }
        return store.write(actions)
      },
    }
    // Each move is right by itself; both together would be a circle.
    const user_groups = [{ id: 'sales', title, type: 'CUSTOM', parent_id: 'everybody', external_id: 'G-1' }]
    await expect(bringIn({ user_groups }, { ...contextOf(service), store: meddled })).rejects.toThrow(ImportStopped)
    expect((await bringIn({ user_groups })).user_groups).toMatchObject({ updated: 1 })
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
      features: { tasks: false, user_deactivation: true },
    })
  })
})
