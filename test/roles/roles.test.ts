import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { roleExternalIdKey, roleKey, SHARDS } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'
import { contextOf } from '../import/directory.ts'

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService()
  writes = countWrites(service)
  await call('createChannel', { body: { id: 'news', title: [en('News')] } })
})

const en = (text: string) => ({ language: 'en-GB', text })
const de = (text: string) => ({ language: 'de-DE', text })
const create = (body: unknown): Promise<Reply> => call('createRole', { body })
const read = (role_id: string): Promise<Reply> => call('getRole', { path: { role_id } })
const patch = (role_id: string, body: unknown): Promise<Reply> => call('updateRole', { path: { role_id }, body })
const remove = (role_id: string): Promise<Reply> => call('deleteRole', { path: { role_id } })
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const tick = () => service.setNow(new Date(service.now().getTime() + 1000))

let serial = 0
/** A role that is not in use yet. */
const newRole = async (parts: object = {}): Promise<string> => {
  const id = `role-${++serial}`
  expect(await create({ id, title: [en(id)], scope: 'USER_GROUPS', ...parts })).toMatchObject({ status: 201 })
  return id
}
const assign = (role_id: string, user_id = 'plain'): Promise<Reply> =>
  call('createGroupAssignment', { path: { group_id: 'sales' }, body: { user_id, role_id } })
const withdraw = (role_id: string, user_id = 'plain'): Promise<Reply> =>
  call('deleteGroupAssignment', { path: { group_id: 'sales', user_id, role_id } })

describe('creating a role', () => {
  beforeAll(() => newRole({ external_id: 'X-0' }))

  it('of all its fields', async () => {
    const body = {
      id: 'r-1',
      external_id: 'X-1',
      title: [en('Buddy'), de('Patin')],
      description: [de('Hilft')],
      scope: 'CHANNELS',
      type: 'CUSTOM',
      permissions: ['READ', 'WRITE'],
      assignable: false,
    }
    const now = service.now().toISOString()
    const created = await create(body)
    expect([created.status, created.body]).toEqual([
      201,
      { ...body, predefined_role_type: null, created_at: now, updated_at: now },
    ])
    expect((await read('r-1')).body).toEqual(created.body)
  })

  it('of few, null meaning absent', async () => {
    const nulls = { id: null, external_id: null, description: null, type: null, permissions: null, assignable: null }
    const { status, body } = await create({ title: [en('Few')], scope: 'ORGANISATION', ...nulls })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      external_id: null,
      description: [],
      type: 'CUSTOM',
      permissions: [],
      assignable: true,
    })
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each<[string, object, unknown[]]>([
    ['no title', { title: undefined }, [400, 'VALIDATION_ERROR', 'title']],
    ['null for the title', { title: null }, [400, 'VALIDATION_ERROR', 'title']],
    ['a title without a text', { title: [] }, [400, 'VALIDATION_ERROR', 'title']],
    ['a title that is too long', { title: [en('x'.repeat(121))] }, [400, 'VALIDATION_ERROR', 'title.0.text']],
    [
      'a description that is too long',
      { description: [en('x'.repeat(201))] },
      [400, 'VALIDATION_ERROR', 'description.0.text'],
    ],
    [
      'another language',
      { title: [en('x'), { language: 'fr', text: 'x' }] },
      [400, 'LANGUAGE_NOT_ENABLED', 'title.1.language'],
    ],
    [
      'another language, together with another fault',
      { description: [{ language: 'fr', text: 'x' }], scope: 'HERE' },
      [400, 'LANGUAGE_NOT_ENABLED', 'description.0.language'],
    ],
    [
      'a language twice',
      { title: [en('x'), { language: 'EN-gb', text: 'y' }] },
      [400, 'VALIDATION_ERROR', 'title.1.language'],
    ],
    ['no scope', { scope: undefined }, [400, 'VALIDATION_ERROR', 'scope']],
    ['a scope that there is not', { scope: 'TASKS' }, [400, 'VALIDATION_ERROR', 'scope']],
    ['a predefined type', { type: 'PREDEFINED' }, [400, 'VALIDATION_ERROR', 'type']],
    ['a reserved id', { id: 'batch' }, [400, 'VALIDATION_ERROR', 'id']],
    ['a permission twice', { permissions: ['A', 'A'] }, [400, 'VALIDATION_ERROR', 'permissions']],
    ['an empty external id', { external_id: '' }, [400, 'VALIDATION_ERROR', 'external_id']],
    ['an unknown field', { colour: 'red' }, [400, 'VALIDATION_ERROR', 'colour']],
    ['an id that is taken', { id: 'coach' }, [409, 'DUPLICATE_ID', 'id']],
    ['an external id that is taken', { external_id: 'X-0' }, [409, 'DUPLICATE_EXTERNAL_ID', 'external_id']],
    ['both', { id: 'coach', external_id: 'X-0' }, [409, 'DUPLICATE_ID', 'id']],
  ])('refuses %s', async (_what, parts, expected) => {
    const before = writes()
    expect(coded(await create({ title: [en('x')], scope: 'USER_GROUPS', ...parts }))).toEqual(expected)
    expect(writes()).toBe(before)
  })

  it('twice at once happens once', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map((n) => create({ id: 'race', title: [en(`${n}`)], scope: 'CHANNELS' })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('updating a role', () => {
  it('changes what it names, and null clears', async () => {
    const id = await newRole({ external_id: 'X-2', description: [en('d')], permissions: ['A'], assignable: false })
    tick()
    const { status, body } = await patch(id, {
      external_id: null,
      title: [de('Neu')],
      description: null,
      permissions: null,
      assignable: null,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      external_id: null,
      title: [de('Neu')],
      description: [],
      permissions: [],
      assignable: true,
    })
    expect(body.updated_at > body.created_at).toBe(true)
    expect((await read(id)).body).toEqual(body)
    expect(await service.store.get(roleExternalIdKey('X-2'))).toBeUndefined()
    expect((await patch(id, { external_id: 'X-2' })).body.external_id).toBe('X-2')
    expect((await patch(id, { external_id: 'X-3' })).body.external_id).toBe('X-3')
    expect(coded(await patch(await newRole({ external_id: 'X-2' }), { external_id: 'X-3' }))).toEqual([
      409,
      'DUPLICATE_EXTERNAL_ID',
      'external_id',
    ])
  })

  it.each(['coach', 'group-owner', 'reserved'])('with the whole record of %s writes nothing', async (id) => {
    const { body } = await read(id)
    const before = writes()
    tick()
    expect((await patch(id, body)).body).toEqual(body)
    expect((await patch(id, {})).body).toEqual(body)
    expect(writes()).toBe(before)
  })

  it.each<[string, string, unknown, unknown[]]>([
    ['a role that there is not', 'nobody', {}, [404, 'ROLE_NOT_FOUND', 'role_id']],
    ['a path that is no id', 'a b', {}, [400, 'VALIDATION_ERROR', 'role_id']],
    ['null for the title', 'coach', { title: null }, [400, 'VALIDATION_ERROR', 'title']],
    [
      'another language',
      'coach',
      { title: [{ language: 'fr', text: 'x' }] },
      [400, 'LANGUAGE_NOT_ENABLED', 'title.0.language'],
    ],
    ['another scope', 'coach', { scope: 'CHANNELS' }, [400, 'VALIDATION_ERROR', 'scope']],
    [
      'another scope of a predefined role',
      'group-owner',
      { scope: 'CHANNELS' },
      [403, 'ROLE_NOT_MODIFIABLE', 'role_id'],
    ],
    ['permissions of a predefined role', 'group-owner', { permissions: [] }, [403, 'ROLE_NOT_MODIFIABLE', 'role_id']],
    [
      'assignable of a predefined role',
      'channel-owner',
      { assignable: false },
      [403, 'ROLE_NOT_MODIFIABLE', 'role_id'],
    ],
    [
      'the external id of a predefined role',
      'group-owner',
      { external_id: 'O' },
      [403, 'ROLE_NOT_MODIFIABLE', 'role_id'],
    ],
  ])('refuses %s', async (_what, id, body, expected) => {
    expect(coded(await patch(id, body))).toEqual(expected)
  })

  it('of a predefined role changes its texts', async () => {
    const { status, body } = await patch('channel-member', { title: [en('Reader')], description: [en('Reads')] })
    expect([status, body.title, body.description]).toEqual([200, [en('Reader')], [en('Reads')]])
  })

  it('takes the longest texts in every language: a limit counts characters, whatever they are', async () => {
    const { languages } = (await call('getOrganisationSettings')).body
    const many = [...languages, ...Array.from({ length: 48 }, (_, n) => `en-x-${n}`)]
    await call('updateOrganisationSettings', { body: { languages: many } })
    const id = await newRole({ title: [en('T')] })
    const longest = (length: number) => many.map((language) => ({ language, text: '\u{1f600}'.repeat(length) }))
    expect(coded(await patch(id, { description: longest(201) }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'description.0.text',
    ])
    expect((await patch(id, { title: longest(120), description: longest(200) })).status).toBe(200)
    await call('updateOrganisationSettings', { body: { languages } })
  })

  it('loses no change of two at once', async () => {
    const id = await newRole()
    await Promise.all([
      patch(id, { permissions: ['A'] }),
      patch(id, { description: [en('B')] }),
      patch(id, { external_id: 'X-9' }),
    ])
    expect((await read(id)).body).toMatchObject({ permissions: ['A'], description: [en('B')], external_id: 'X-9' })
  })

  it('to a type that cannot be handed out ends that at once', async () => {
    const id = await newRole()
    const assignable = async (): Promise<string[]> =>
      (
        await call('listAssignableGroupRoles', { path: { group_id: 'sales' }, query: { page_limit: 100 } })
      ).body.assignable_roles.map(({ role_id }: Any) => role_id)
    expect(await assignable()).toContain(id)
    await patch(id, { assignable: false })
    expect(await assignable()).not.toContain(id)
    expect(coded(await assign(id))).toEqual([403, 'ROLE_NOT_ASSIGNABLE', 'role_id'])
  })
})

describe('deleting a role', () => {
  it('is refused for predefined ones and those that there are not', async () => {
    expect(coded(await remove('group-member'))).toEqual([403, 'ROLE_NOT_MODIFIABLE', 'role_id'])
    expect(coded(await remove('nobody'))).toEqual([404, 'ROLE_NOT_FOUND', 'role_id'])
    expect(coded(await remove('a b'))).toEqual([400, 'VALIDATION_ERROR', 'role_id'])
  })

  /** What makes a use of a role, and what ends it. */
  const uses: [string, string, (id: string) => Promise<Reply>, (id: string) => Promise<Reply>][] = [
    ['somebody has it in a group', 'USER_GROUPS', (id) => assign(id), (id) => withdraw(id)],
    [
      'a batch gave it in a group',
      'USER_GROUPS',
      (role_id) => {
        const items = [{ group_id: 'sales', body: { user_id: 'plain', role_id } }]
        return call('createGroupAssignments', { body: { items } })
      },
      (role_id) => {
        const items = [{ id: { group_id: 'sales', user_id: 'plain', role_id } }]
        return call('deleteGroupAssignments', { body: { items } })
      },
    ],
    [
      'somebody has it on a channel',
      'CHANNELS',
      (role_id) =>
        call('createChannelAssignment', { path: { channel_id: 'news', user_id: 'plain' }, body: { role_id } }),
      (role_id) => call('deleteChannelAssignment', { path: { channel_id: 'news', user_id: 'plain', role_id } }),
    ],
    [
      'a group brings it to a channel',
      'CHANNELS',
      (role_id) =>
        call('createChannelGroup', { path: { channel_id: 'news' }, body: { user_group_id: 'sales', role_id } }),
      () => call('deleteChannelGroup', { path: { channel_id: 'news', user_group_id: 'sales' } }),
    ],
    [
      'a channel has it for a default',
      'CHANNELS',
      (default_role_id) => call('updateChannel', { path: { channel_id: 'news' }, body: { default_role_id } }),
      () => call('updateChannel', { path: { channel_id: 'news' }, body: { default_role_id: null } }),
    ],
  ]
  it.each(uses)('is refused while %s, and done when that is over', async (_what, scope, use, end) => {
    const external_id = `used-${serial}`
    const id = await newRole({ scope, external_id })
    expect((await use(id)).status).toBeLessThan(300)
    expect(coded(await remove(id))).toEqual([409, 'ROLE_IN_USE', 'role_id'])
    expect((await end(id)).status).toBeLessThan(300)
    expect([(await remove(id)).status, (await read(id)).status]).toEqual([204, 404])
    expect(coded(await remove(id))).toEqual([404, 'ROLE_NOT_FOUND', 'role_id'])
    const again = await use(id)
    expect(JSON.stringify(again.body)).toMatch(/ROLE_DOES_NOT_EXIST|ROLE_NOT_FOUND/)
    expect((await create({ title: [en('x')], scope, external_id })).status).toBe(201)
    await audit(service)
  })

  it('frees the id: a role of another kind may have it', async () => {
    const id = await newRole()
    await assign(id)
    await withdraw(id)
    await remove(id)
    expect((await create({ id, title: [en('y')], scope: 'CHANNELS' })).status).toBe(201)
    expect(coded(await assign(id))).toEqual([400, 'ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id'])
    await remove(id)
    expect((await create({ id, title: [en('z')], scope: 'USER_GROUPS' })).status).toBe(201)
    for (let n = 0; n < SHARDS; n++) {
      expect((await assign(id)).status).toBe(201)
      expect((await withdraw(id)).status).toBe(200)
    }
    await remove(id)
    const roles = [{ id, title: [en('i')], scope: 'USER_GROUPS', type: 'CUSTOM', permissions: [] }]
    const user_group_assignments = [{ group_id: 'sales', user_id: 'plain', role_id: id, source: 'MANUAL' }]
    await importDirectory(contextOf(service), { roles, user_group_assignments })
    expect(coded(await remove(id))).toEqual([409, 'ROLE_IN_USE', 'role_id'])
    await audit(service)
  })

  it('waits for users past their deadline until nothing of them is left', async () => {
    const id = await newRole()
    await call('createUser', { body: { ...ordinary, id: 'short', first_name: 'S', last_name: 'S', username: 'short' } })
    await assign(id, 'short')
    await call('deleteUser', { path: { user_id: 'short' } })
    expect(coded(await remove(id))).toEqual([409, 'ROLE_IN_USE', 'role_id'])
    service.setNow(new Date(service.now().getTime() + 14 * 86_400_000 + 1))
    const { handler: purge } = await import('../../handlers/maintenance/purge.ts')
    await purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
    expect((await remove(id)).status).toBe(204)
    await audit(service)
  })
})

describe('a call that assigns a role while another one deletes it', () => {
  it('between the look and the write of the other: the role stays', async () => {
    const id = await newRole()
    const deleted = await meanwhile(
      service,
      () => assign(id),
      () => remove(id),
    )
    expect(coded(deleted)).toEqual([409, 'ROLE_IN_USE', 'role_id'])
    expect((await withdraw(id)).status).toBe(200)
  })

  it('and ends it again: the deletion looks again, and is done', async () => {
    const id = await newRole()
    const others = async () => {
      await assign(id)
      await withdraw(id)
    }
    expect((await meanwhile(service, others, () => remove(id))).status).toBe(204)
  })

  it('with the deletion between its read and its write: the role does not exist', async () => {
    const id = await newRole()
    const assigned = await meanwhile(
      service,
      () => remove(id),
      () => assign(id),
    )
    expect(coded(assigned)).toEqual([400, 'ROLE_DOES_NOT_EXIST', 'role_id'])
    const onChannel = await newRole({ scope: 'CHANNELS' })
    const body = { role_id: onChannel }
    const path = { channel_id: 'news', user_id: 'plain' }
    const reply = await meanwhile(
      service,
      () => remove(onChannel),
      () => call('createChannelAssignment', { path, body }),
    )
    expect(coded(reply)).toEqual([404, 'ROLE_NOT_FOUND', 'role_id'])
    await audit(service)
  })

  it('many at once: never is a role used that is not there', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await newRole()
      const [deleted, ...assigned] = await Promise.all([
        remove(id),
        ...['plain', 'admin', 'admin-2'].map((user) => assign(id, user)),
      ])
      const isThere = (await service.store.get(roleKey(id))) !== undefined
      expect(deleted?.status === 204).toBe(!isThere)
      if (!isThere) expect(assigned.map(({ status }) => status)).toEqual([400, 400, 400])
      await audit(service)
    }
  })

  it('when the process dies after any call, either all is done or nothing', async () => {
    for (let last = 1; ; last++) {
      const id = await newRole({ external_id: `D-${last}` })
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await remove(id)
      heal()
      const isThere = (await read(id)).status === 200
      expect((await assign(id)).status).toBe(isThere ? 201 : 400)
      await audit(service)
      if (calls.count < last) break
    }
  })
})

describe('the list of roles', () => {
  const list = async (query: string, headers = {}): Promise<Reply> => call('listRoles', { query, headers })
  const ids = ({ body }: Reply): string[] => body.roles.map(({ id }: Any) => id)
  beforeAll(async () => {
    await startService()
    await create({ id: 'z', title: [en('Apple'), de('Zebra')], scope: 'CHANNELS', description: [de('Tier')] })
    await create({ id: 'a', title: [en('zoo')], scope: 'ORGANISATION' })
  })
  afterAll(() => service.activate())

  it('is sorted by the title that is shown, in every language', async () => {
    const english = await list('sort=TITLE_ASC')
    expect(ids(english)).toEqual([
      'z',
      'channel-member',
      'channel-owner',
      'coach',
      'group-member',
      'group-owner',
      'reserved',
      'a',
    ])
    expect(english.body.roles[0]).toMatchObject({ title: en('Apple'), description: de('Tier'), type: 'CUSTOM' })
    const german = await list('', { 'accept-language': 'de-DE' })
    expect(ids(german).slice(-2)).toEqual(['z', 'a'])
    expect(ids(await list('sort=TITLE_DESC'))).toEqual(ids(english).reverse())
  })

  it.each([
    ['scope=CHANNELS', ['z', 'channel-member', 'channel-owner']],
    ['scope=CHANNELS,ORGANISATION&type=CUSTOM', ['z', 'a']],
    ['scope[]=USER_GROUPS&type[]=PREDEFINED', ['group-member', 'group-owner']],
    ['scope=&type=', ['z', 'channel-member', 'channel-owner', 'coach', 'group-member', 'group-owner', 'reserved', 'a']],
  ])('is filtered by %s', async (query, expected) => {
    const reply = await list(query)
    expect(ids(reply)).toEqual(expected)
    expect(reply.body.pagination.total_elements).toBe(expected.length)
  })

  it('comes in pages that hold each role once', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`page_limit=3&page_number=${page}`)))
    expect(pages.flatMap(ids)).toEqual(ids(await list('')))
    expect(pages[3]?.body).toEqual({
      roles: [],
      pagination: {
        page_number: 4,
        page_limit: 3,
        total_pages: 3,
        total_elements: 8,
        total_relation: 'EQUAL',
        next_cursor: null,
        has_more: false,
      },
    })
  })

  it.each(['scope=TASKS', 'type=ANY', 'sort=ID_ASC', 'page_limit=0'])('refuses %s', async (query) => {
    expect((await list(query)).body.error_code).toBe('VALIDATION_ERROR')
  })

  it('ignores and names what it does not know', async () => {
    expect((await list('search_term=x')).headers['x-ignored-parameters']).toBe('search_term')
  })
})
