import { beforeAll, describe, expect, it } from 'vitest'
import { type Role, roles } from '../../domain/people/records/role.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { roleRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
const role = (id: string, parts: Partial<Role>) =>
  itemOf(roles, roleRecord(id, { title: [], scope: 'CHANNELS', permissions: [], ...parts }))

beforeAll(async () => {
  service = await startService()
  const roles = [role('editor', {}), role('sealed', { assignable: false })]
  await service.store.bulk(roles.map((put) => ({ put })))
  await create({ id: 'taken', title: [en('Taken')] })
})

const en = (text: string) => ({ language: 'en-GB', text })
const de = (text: string) => ({ language: 'de-DE', text })
const create = (body: unknown, as?: string): Promise<Reply> => call('createChannel', { body, ...(as ? { as } : {}) })
const read = async (channel_id: string): Promise<Any> => (await call('getChannel', { path: { channel_id } })).body
const patch = (channel_id: string, body: unknown): Promise<Reply> =>
  call('updateChannel', { path: { channel_id }, body })
const archive = (channel_id: string): Promise<Reply> => call('archiveChannel', { path: { channel_id } })
const restore = (channel_id: string): Promise<Reply> => call('restoreChannel', { path: { channel_id } })
const holders = async (channel_id: string): Promise<string[]> =>
  (await call('listChannelAssignments', { path: { channel_id } })).body.assignments.map(
    ({ id, source }: Any) => `${id.user_id} ${id.role_id} ${source}`,
  )
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const tick = () => service.setNow(new Date(service.now().getTime() + 1000))

describe('creating a channel', () => {
  it('makes its creator an owner, and can be read at once', async () => {
    const { status, body } = await create({
      id: 'c-1',
      title: [en('News'), de('Nachrichten')],
      description: [en('All')],
    })
    const now = service.now().toISOString()
    expect([status, body]).toEqual([
      201,
      {
        id: 'c-1',
        title: [en('News'), de('Nachrichten')],
        description: [en('All')],
        status: 'ACTIVE',
        default_role_id: 'channel-member',
        created_at: now,
        updated_at: now,
      },
    ])
    expect(await read('c-1')).toEqual(body)
    expect(await holders('c-1')).toEqual(['admin channel-owner MANUAL'])
    await audit(service)
  })

  it('takes null for what is not given, and makes an id', async () => {
    const { status, body } = await create(
      { id: null, title: [en('X')], description: null, default_role_id: null },
      'admin-2',
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({ id: expect.stringMatching(/^[\da-f-]{36}$/), description: [], status: 'ACTIVE' })
    expect(await holders(body.id)).toEqual(['admin-2 channel-owner MANUAL'])
  })

  const long = (length: number) => [en('x'.repeat(length))]
  it.each<[string, unknown, unknown[]]>([
    ['no title', {}, [400, 'VALIDATION_ERROR', 'title']],
    ['title null', { title: null }, [400, 'VALIDATION_ERROR', 'title']],
    ['no text', { title: [] }, [400, 'VALIDATION_ERROR', 'title']],
    ['an empty text', { title: [en('')] }, [400, 'VALIDATION_ERROR', 'title.0.text']],
    ['a long title', { title: long(256) }, [400, 'VALIDATION_ERROR', 'title.0.text']],
    [
      'a long description',
      { title: long(1), description: long(1001) },
      [400, 'VALIDATION_ERROR', 'description.0.text'],
    ],
    ['a text of no language', { title: [{ text: 'X' }] }, [400, 'VALIDATION_ERROR', 'title.0.language']],
    [
      'another language',
      { title: [{ language: 'fr-FR', text: 'X' }] },
      [400, 'LANGUAGE_NOT_ENABLED', 'title.0.language'],
    ],
    ['two texts of one', { title: [en('X'), en('Y')] }, [400, 'VALIDATION_ERROR', 'title.1.language']],
    ['an invalid id', { id: 'a/b', title: long(1) }, [400, 'VALIDATION_ERROR', 'id']],
    ['an id that is a word', { id: 'batch', title: long(1) }, [400, 'VALIDATION_ERROR', 'id']],
    ['an unknown field', { title: long(1), status: 'ACTIVE' }, [400, 'VALIDATION_ERROR', 'status']],
    ['an unknown role', { title: long(1), default_role_id: 'clown' }, [404, 'ROLE_NOT_FOUND', 'default_role_id']],
    ['a role of groups', { title: long(1), default_role_id: 'coach' }, [403, 'ROLE_NOT_ASSIGNABLE', 'default_role_id']],
    [
      'a role of nobody',
      { title: long(1), default_role_id: 'sealed' },
      [403, 'ROLE_NOT_ASSIGNABLE', 'default_role_id'],
    ],
    ['an id in use', { id: 'taken', title: long(1) }, [409, 'DUPLICATE_ID', 'id']],
  ])('refuses %s', async (_what, body, expected) => {
    expect(coded(await create(body))).toEqual(expected)
  })

  it('names all faults, a language that is not in use first', async () => {
    const { body } = await create({ id: '', title: [{ language: 'fr-FR', text: '' }] })
    expect(body).toMatchObject({ error_code: 'LANGUAGE_NOT_ENABLED', property: 'title.0.language' })
    expect(body.errors.map(({ property }: Any) => property).sort()).toEqual(['id', 'title.0.language', 'title.0.text'])
  })

  it('refused, leaves nothing behind', async () => {
    await create({ id: 'taken', title: [en('Other')] }, 'admin-2')
    expect((await read('taken')).title[0].text).toBe('Taken')
    expect(await holders('taken')).toEqual(['admin channel-owner MANUAL'])
    await audit(service)
  })

  it('happens once where two want the same id, or one call comes twice', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => create({ id: 'twin', title: [en('Twin')] })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    let lost = 0
    const { heal } = strike(service.client, (_call, command) =>
      command.startsWith('TransactWrite') && lost++ === 0 ? 'lostAnswer' : undefined,
    )
    expect((await create({ id: 'unheard', title: [en('Unheard')] })).status).toBe(201)
    heal()
    expect(await holders('unheard')).toEqual(['admin channel-owner MANUAL'])
    await audit(service)
  })

  it('counts the use of a custom role', async () => {
    expect((await create({ id: 'edited', title: [en('E')], default_role_id: 'editor' })).status).toBe(201)
    expect((await patch('edited', { default_role_id: 'channel-owner' })).status).toBe(200)
    expect((await patch('edited', { default_role_id: 'editor' })).status).toBe(200)
    expect((await patch('edited', { default_role_id: null })).body.default_role_id).toBe('channel-member')
    await audit(service)
  })
})

describe('updating a channel', () => {
  beforeAll(() => create({ id: 'p-1', title: [en('Before')], description: [en('Old')] }))

  it('merges, and takes the whole record back', async () => {
    const before = await read('p-1')
    tick()
    expect((await patch('p-1', before)).body).toEqual(before)
    expect((await patch('p-1', {})).body).toEqual(before)
    const now = service.now().toISOString()
    const after = { ...before, title: [de('Danach')], description: [], updated_at: now }
    expect(
      (await patch('p-1', { title: [de('Danach')], description: null, id: 'x', status: 'ARCHIVED' })).body,
    ).toEqual(after)
    expect(await read('p-1')).toEqual(after)
    const { channels } = (await call('listChannels', { query: { search_term: 'danach' } })).body
    expect(channels).toEqual([{ ...after, title: de('Danach'), description: null }])
  })

  it.each<[string, Request['body'], unknown[]]>([
    ['title null', { title: null }, [400, 'VALIDATION_ERROR', 'title']],
    ['no text', { title: [] }, [400, 'VALIDATION_ERROR', 'title']],
    [
      'another language',
      { description: [{ language: 'fr', text: 'X' }] },
      [400, 'LANGUAGE_NOT_ENABLED', 'description.0.language'],
    ],
    [
      'two texts of one',
      { title: [en('X'), { language: 'EN-gb', text: 'Y' }] },
      [400, 'VALIDATION_ERROR', 'title.1.language'],
    ],
    ['an unknown field', { name: 'X' }, [400, 'VALIDATION_ERROR', 'name']],
    ['an unknown role', { default_role_id: 'clown' }, [404, 'ROLE_NOT_FOUND', 'default_role_id']],
    ['a role of groups', { default_role_id: 'coach' }, [403, 'ROLE_NOT_ASSIGNABLE', 'default_role_id']],
    ['a role of nobody', { default_role_id: 'sealed' }, [403, 'ROLE_NOT_ASSIGNABLE', 'default_role_id']],
  ])('refuses %s', async (_what, body, expected) => {
    expect(coded(await patch('p-1', body))).toEqual(expected)
  })

  it('tells faults before what does not exist, and that before what is not allowed', async () => {
    const faulty = { title: [{ language: 'fr', text: 'X' }] }
    expect(coded(await patch('nowhere', faulty))).toEqual([400, 'LANGUAGE_NOT_ENABLED', 'title.0.language'])
    expect(coded(await patch('nowhere', { default_role_id: 'clown' }))).toEqual([
      404,
      'CHANNEL_NOT_FOUND',
      'channel_id',
    ])
  })

  it('loses no change of two that come together', async () => {
    await create({ id: 'p-2', title: [en('A')] })
    await Promise.all([patch('p-2', { title: [en('B')] }), patch('p-2', { description: [en('C')] })])
    expect(await read('p-2')).toMatchObject({ title: [en('B')], description: [en('C')] })
  })
})

describe('archiving a channel', () => {
  const give = (user_id: string, channel_id: string) =>
    call('createChannelAssignment', { path: { channel_id, user_id }, body: { role_id: 'channel-member' } })

  it('closes it for everything but reading, until it is restored', async () => {
    await create({ id: 'a-1', title: [en('Arch')] })
    tick()
    expect(coded(await restore('a-1'))).toEqual([409, 'CHANNEL_NOT_ARCHIVED', 'channel_id'])
    const { status, body } = await archive('a-1')
    expect([status, body.status, body.updated_at]).toEqual([200, 'ARCHIVED', service.now().toISOString()])
    expect(await read('a-1')).toEqual(body)
    expect(coded(await archive('a-1'))).toEqual([409, 'CHANNEL_ARCHIVED', 'channel_id'])
    expect(coded(await patch('a-1', {}))).toEqual([409, 'CHANNEL_ARCHIVED', 'channel_id'])
    expect(coded(await give('plain', 'a-1'))).toEqual([409, 'CHANNEL_ARCHIVED', 'channel_id'])
    expect(await holders('a-1')).toEqual(['admin channel-owner MANUAL'])
    expect((await restore('a-1')).body).toMatchObject({ status: 'ACTIVE' })
    expect((await give('plain', 'a-1')).status).toBe(201)
  })

  it.each(['getChannel', 'updateChannel', 'archiveChannel', 'restoreChannel'])('%s: no such channel', async (name) => {
    expect(coded(await call(name, { path: { channel_id: 'nowhere' }, body: {} }))).toEqual([
      404,
      'CHANNEL_NOT_FOUND',
      'channel_id',
    ])
    expect(coded(await call(name, { path: { channel_id: 'a b' }, body: {} }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'channel_id',
    ])
  })

  it('between the look at it and the write, refuses an assignment', async () => {
    await create({ id: 'a-2', title: [en('Race')] })
    let isArchived = false
    service.client.middlewareStack.add(
      (next, context) => async (args) => {
        if (!isArchived && String(context['commandName']).startsWith('TransactWrite')) {
          isArchived = true
          await archive('a-2')
        }
        return next(args)
      },
      { step: 'initialize', name: 'race' },
    )
    const reply = await give('plain', 'a-2')
    service.client.middlewareStack.remove('race')
    expect(coded(reply)).toEqual([409, 'CHANNEL_ARCHIVED', 'channel_id'])
    expect(await holders('a-2')).toEqual(['admin channel-owner MANUAL'])
    await audit(service)
  })
})

describe('the list of channels', () => {
  const list = async (query: Request['query'], headers: Record<string, string> = {}) =>
    (await call('listChannels', { query: query ?? '', headers })).body
  const ids = ({ channels }: Any): string[] => channels.map(({ id }: Any) => id)

  beforeAll(async () => {
    for (const [id, title, description] of [
      ['l-1', [en('Zulu'), de('Ärzte')], [en('Team für Medizin')]],
      ['l-2', [en('alpha'), de('Zebra')], null],
      ['l-3', [en('Élan vital')], null],
      ['l-4', [en('Zulu')], null],
    ] as const) {
      tick()
      await create({ id, title, description })
    }
    await archive('l-4')
  })

  it('is searched by the words of titles and descriptions in all languages', async () => {
    for (const [term, found] of [
      ['zulu', ['l-1', 'l-4']],
      ['arzt', ['l-1']],
      ['FUR med', ['l-1']],
      ['vit elan', ['l-3']],
      ['ulu', []],
      ['zulu zebra', []],
    ] as const)
      expect(ids(await list({ search_term: term })), term).toEqual(found)
  })

  it('is sorted by what the caller is shown, case and accents aside', async () => {
    const some = (body: Any) => ids(body).filter((id) => id.startsWith('l-'))
    const german = { 'accept-language': 'de-DE' }
    expect(some(await list('page_limit=100'))).toEqual(['l-2', 'l-3', 'l-1', 'l-4'])
    expect(some(await list('page_limit=100&sort=CHANNEL_NAME_DESC'))).toEqual(['l-4', 'l-1', 'l-3', 'l-2'])
    expect(some(await list('page_limit=100', german))).toEqual(['l-1', 'l-3', 'l-2', 'l-4'])
    expect(some(await list('page_limit=100&sort=CREATED_AT_DESC'))).toEqual(['l-4', 'l-3', 'l-2', 'l-1'])
    expect(some(await list('page_limit=100&sort=CHANNEL_NAME_ASC,CREATED_AT_DESC'))).toEqual([
      'l-2',
      'l-3',
      'l-4',
      'l-1',
    ])
    const { channels } = await list('search_term=medizin', german)
    expect(channels[0]).toMatchObject({ title: de('Ärzte'), description: en('Team für Medizin') })
  })

  it('is filtered by status, and paged', async () => {
    expect(ids(await list({ status: 'ARCHIVED', search_term: 'zulu' }))).toEqual(['l-4'])
    expect(ids(await list('status[]=ARCHIVED&status[]=ACTIVE&search_term=zulu'))).toEqual(['l-1', 'l-4'])
    const all = ids(await list('page_limit=100'))
    const walked: string[] = []
    for (let page = 1; page <= Math.ceil(all.length / 3); page++) {
      const body = await list({ page_limit: 3, page_number: page })
      expect(body.pagination.total_elements).toBe(all.length)
      walked.push(...ids(body))
    }
    expect(walked).toEqual(all)
    expect((await list({ page_number: 99 })).channels).toEqual([])
  })

  it.each([
    ['sort=TITLE_ASC', 'sort'],
    ['status=GONE', 'status'],
    ['page_limit=0', 'page_limit'],
    ['page_number=x', 'page_number'],
    [`search_term=${'x'.repeat(201)}`, 'search_term'],
  ])('refuses %s', async (query, property) => {
    expect(coded(await call('listChannels', { query }))).toEqual([400, 'VALIDATION_ERROR', property])
  })
})
