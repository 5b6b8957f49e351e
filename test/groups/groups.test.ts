import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'

// User groups: their records, their places in the tree, their list.

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService()
  writes = countWrites(service)
})

const en = (text: string) => [{ language: 'en-GB', text }]
const create = (body: object, query = {}): Promise<Reply> =>
  call('createGroup', { body: { title: en('Some group'), parent_id: 'root', ...body }, query })
const made = async (body: { id: string; [field: string]: unknown }): Promise<string> => {
  expect((await create(body)).status).toBe(201)
  return body.id
}
const get = (group_id: string, query = {}) => call('getGroup', { path: { group_id }, query })
const patch = (group_id: string, body: object, query = {}) =>
  call('updateGroup', { path: { group_id }, body: body as Any, query })
const codeOf = async (reply: Promise<Reply>) => {
  const { body } = await reply
  return [body.error_code, body.property]
}

describe('a group', () => {
  it('is created, read, changed, and told in all its languages', async () => {
    service.setNow('2026-11-21T09:00:00.000Z')
    const title = [...en('Kitchen'), { language: 'de-DE', text: 'Küche' }]
    const created = await create({ id: 'kitchen', external_id: 'K-1', title, description: en('Cooks') })
    const record = {
      id: 'kitchen',
      external_id: 'K-1',
      title,
      description: en('Cooks'),
      status: 'ACTIVE',
      type: 'CUSTOM',
      parent_id: 'root',
      created_at: '2026-11-21T09:00:00.000Z',
      updated_at: '2026-11-21T09:00:00.000Z',
    }
    expect(created).toMatchObject({ status: 201, body: record })
    expect((await get('kitchen')).body).toEqual(record)
    service.setNow('2026-11-21T10:00:00.000Z')
    const changed = { ...record, title: en('Canteen'), description: [], updated_at: '2026-11-21T10:00:00.000Z' }
    expect((await patch('kitchen', { title: en('Canteen'), description: null })).body).toEqual(changed)
    expect((await get('kitchen')).body).toEqual(changed)
  })

  it('takes its whole record back, and writes nothing where nothing changes', async () => {
    service.setNow('2026-11-21T10:00:00.000Z')
    await made({ id: 'whole', external_id: 'W-1', description: en('Cooks') })
    const { body } = await get('whole', { embed: 'PATH,ACTIONS' })
    const before = writes()
    service.setNow('2026-11-21T11:00:00.000Z')
    expect((await patch('whole', body, { embed: 'PATH,ACTIONS' })).body).toEqual(body)
    expect((await patch('whole', {})).body).toMatchObject({ updated_at: body.updated_at })
    for (const id of ['root', 'all-users'])
      expect((await patch(id, (await get(id)).body)).body).toEqual((await get(id)).body)
    expect(writes()).toBe(before)
  })

  it('gets an id if the request has none', async () => {
    const [one, other] = [(await create({ id: null })).body, (await create({})).body]
    expect(one.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(other.id).not.toBe(one.id)
  })

  it('shows its place in the tree and its actions', async () => {
    await made({ id: 'north', title: [...en('North'), { language: 'de-DE', text: 'Nord' }] })
    const embed = 'PATH,ACTIONS'
    const { body } = await create({ id: 'north-1', parent_id: 'north' }, { embed })
    const title = (text: string) => ({ language: 'en-GB', text })
    expect(body.path).toEqual([
      { id: 'root', title: title('Group root') },
      { id: 'north', title: title('North') },
      { id: 'north-1', title: title('Some group') },
    ])
    const yes = { allowed: true }
    const no = { allowed: false }
    expect(body.actions).toEqual({ update: yes, move: yes, archive: yes, restore: no, delete: no })
    const german = await call('getGroup', {
      path: { group_id: 'north' },
      query: { embed },
      headers: { 'accept-language': 'de-DE' },
    })
    expect(german.body.path[1].title).toEqual({ language: 'de-DE', text: 'Nord' })
    expect(german.headers['content-language']).toMatch('de-DE')
    const of = async (id: string) => (await get(id, { embed })).body.actions
    expect(await of('root')).toEqual({ update: yes, move: no, archive: no, restore: no, delete: no })
    expect(await of('archived')).toEqual({ update: no, move: no, archive: no, restore: yes, delete: yes })
    expect((await get('root', { embed })).body.path).toHaveLength(1)
  })

  it('moves with all below it, and below the root by null', async () => {
    await made({ id: 'old-house' })
    await made({ id: 'floor', parent_id: 'old-house' })
    await made({ id: 'room', parent_id: 'floor' })
    await made({ id: 'new-house' })
    const pathOf = async (id: string) => (await get(id, { embed: 'PATH' })).body.path.map((one: Any) => one.id)
    const moved = await patch('floor', { parent_id: 'new-house' }, { embed: 'PATH' })
    expect(moved.body.path.map((one: Any) => one.id)).toEqual(['root', 'new-house', 'floor'])
    expect(await pathOf('room')).toEqual(['root', 'new-house', 'floor', 'room'])
    expect((await patch('floor', { parent_id: null })).body.parent_id).toBe('root')
    expect(await pathOf('room')).toEqual(['root', 'floor', 'room'])
    await audit(service)
  })
})

const long = (characters: number) => 'x'.repeat(characters)
const texts = (count: number, text: string) =>
  Array.from({ length: count }, (_, n) => ({ language: n === 0 ? 'en-GB' : `x${n}`, text }))

describe('a creation is refused', () => {
  beforeAll(() => made({ id: 'taken', external_id: 'TAKEN' }))
  it.each<[string, object, string, string]>([
    ['without title', { title: undefined }, 'VALIDATION_ERROR', 'title'],
    ['with an empty title', { title: [] }, 'VALIDATION_ERROR', 'title'],
    ['with a title that is null', { title: null }, 'VALIDATION_ERROR', 'title'],
    ['with an empty text', { title: en('') }, 'VALIDATION_ERROR', 'title.0.text'],
    ['with a long title', { title: en(long(256)) }, 'VALIDATION_ERROR', 'title.0.text'],
    ['with a long description', { description: en(long(1001)) }, 'VALIDATION_ERROR', 'description.0.text'],
    ['in a language twice', { title: [...en('A'), ...en('B')] }, 'VALIDATION_ERROR', 'title.1.language'],
    [
      'in a strange language',
      { title: [{ language: 'fr-FR', text: 'A' }] },
      'LANGUAGE_NOT_ENABLED',
      'title.0.language',
    ],
    ['without parent', { parent_id: undefined }, 'VALIDATION_ERROR', 'parent_id'],
    ['with a parent that is null', { parent_id: null }, 'VALIDATION_ERROR', 'parent_id'],
    ['below nothing', { parent_id: 'nowhere' }, 'UNKNOWN_USER_GROUP_ID', 'parent_id'],
    ['below an archived group', { parent_id: 'archived' }, 'USER_GROUP_ARCHIVED', 'parent_id'],
    ['with a text that is no id', { id: 'a b' }, 'VALIDATION_ERROR', 'id'],
    ['with a reserved word as id', { id: 'assignments' }, 'VALIDATION_ERROR', 'id'],
    ['with an id that is taken', { id: 'taken' }, 'DUPLICATE_ID', 'id'],
    ['with the id of the group above', { id: 'sales', parent_id: 'sales' }, 'DUPLICATE_ID', 'id'],
    ['with an external id that is taken', { external_id: 'TAKEN' }, 'DUPLICATE_EXTERNAL_ID', 'external_id'],
    ['with a type', { type: 'ROOT' }, 'VALIDATION_ERROR', 'type'],
    ['with a status', { status: 'ARCHIVED' }, 'VALIDATION_ERROR', 'status'],
  ])('%s', async (_what, body, code, property) => {
    const before = writes()
    expect(await codeOf(create(body))).toEqual([code, property])
    expect(writes()).toBe(before)
  })

  it('telling every fault at once, the named code first', async () => {
    const body = { id: '!', title: [{ language: 'fr-FR', text: 'A' }], parent_id: 'nowhere' }
    const { body: problem } = await create(body)
    expect(problem.error_code).toBe('UNKNOWN_USER_GROUP_ID')
    expect(problem.errors.map((one: Any) => one.property).sort()).toEqual(['id', 'parent_id', 'title.0.language'])
  })
})

describe('a change is refused', () => {
  beforeAll(async () => {
    await made({ id: 'a' })
    await made({ id: 'b', parent_id: 'a', external_id: 'B', description: texts(1, long(900)) })
    await made({ id: 'c', parent_id: 'b' })
  })
  it.each<[string, string, object, string, string]>([
    ['of nothing', 'nowhere', { title: en('X') }, 'USER_GROUP_NOT_FOUND', 'group_id'],
    ['of an archived group', 'archived', { title: en('X') }, 'USER_GROUP_ARCHIVED', 'group_id'],
    ['that changes nothing of an archived group', 'archived', {}, 'USER_GROUP_ARCHIVED', 'group_id'],
    ['that moves the root', 'root', { parent_id: 'a' }, 'USER_GROUP_IS_PREDEFINED', 'parent_id'],
    ['that moves the root below itself', 'root', { parent_id: 'root' }, 'USER_GROUP_IS_PREDEFINED', 'parent_id'],
    ['that moves the group of all', 'all-users', { parent_id: 'a' }, 'USER_GROUP_IS_PREDEFINED', 'parent_id'],
    ['to below nothing', 'a', { parent_id: 'nowhere' }, 'UNKNOWN_USER_GROUP_ID', 'parent_id'],
    ['to below an archived group', 'a', { parent_id: 'archived' }, 'USER_GROUP_ARCHIVED', 'parent_id'],
    ['to below itself', 'a', { parent_id: 'a' }, 'PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE', 'parent_id'],
    ['to below what lies below it', 'a', { parent_id: 'c' }, 'PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE', 'parent_id'],
    ['to an external id that is taken', 'a', { external_id: 'B' }, 'DUPLICATE_EXTERNAL_ID', 'external_id'],
    ['to no title', 'a', { title: null }, 'VALIDATION_ERROR', 'title'],
    [
      'to a strange language',
      'a',
      { title: [{ language: 'fr', text: 'A' }] },
      'LANGUAGE_NOT_ENABLED',
      'title.0.language',
    ],
    ['to an unknown field', 'a', { colour: 'red' }, 'VALIDATION_ERROR', 'colour'],
  ])('%s', async (_what, id, body, code, property) => {
    const before = writes()
    expect(await codeOf(patch(id, body))).toEqual([code, property])
    expect(writes()).toBe(before)
  })
})

describe('external ids', () => {
  it('are given up for others, and found again', async () => {
    await made({ id: 'first', external_id: 'X-1' })
    expect(await codeOf(create({ external_id: 'X-1' }))).toEqual(['DUPLICATE_EXTERNAL_ID', 'external_id'])
    await patch('first', { external_id: 'X-2' })
    await made({ id: 'second', external_id: 'X-1' })
    expect((await patch('second', { external_id: null })).body.external_id).toBeNull()
    expect((await patch('first', { external_id: 'X-1' })).body.external_id).toBe('X-1')
    await audit(service)
  })
})

describe('two at once', () => {
  it('no cycle is seen where groups are moved while the tree is being read', async () => {
    const [moving, between, target] = await Promise.all(['seen-a', 'seen-c', 'seen-b'].map((id) => made({ id })))
    await patch(between as string, { parent_id: moving })
    let isFirst = true
    service.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answer = await next(args)
          if (!isFirst || commandName !== 'QueryCommand' || !JSON.stringify(args.input).includes('"GROUPS"'))
            return answer
          isFirst = false
          // One leaves the group before another comes below it; of the first the read has had the row already.
          await patch(between as string, { parent_id: null })
          await patch(target as string, { parent_id: between })
          const rows = (answer.output as Any).Items as Any[]
          for (const row of rows.filter(({ sk }) => sk === target)) row.parent_id = between
          return answer
        },
      { step: 'initialize', name: 'torn' },
    )
    const reply = await patch(moving as string, { parent_id: target }).finally(() =>
      service.client.middlewareStack.remove('torn'),
    )
    expect([isFirst, reply.status, reply.body.parent_id]).toEqual([false, 200, target])
    await audit(service)
  })

  it('never put groups below each other', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await made({ id: `ring-a-${round}` }), await made({ id: `ring-b-${round}` })]
      const replies = await Promise.all([patch(a, { parent_id: b }), patch(b, { parent_id: a })])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
      const refused = replies.find(({ status }) => status === 409)
      expect(refused?.body.error_code).toBe('PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE')
    }
    await audit(service)
  })

  it('do not take the same id or external id, and lose no change', async () => {
    const both = await Promise.all([1, 2].map((n) => create({ id: 'wanted', external_id: `W-${n}` })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const named = await Promise.all([1, 2].map(() => create({ external_id: 'ONE' })))
    expect(named.map(({ status }) => status).sort()).toEqual([201, 409])
    await Promise.all([
      patch('wanted', { title: en('New') }),
      patch('wanted', { description: en('New, too') }),
      patch('wanted', { external_id: 'W-3' }),
    ])
    const wanted = { title: en('New'), description: en('New, too'), external_id: 'W-3' }
    expect((await get('wanted')).body).toMatchObject(wanted)
    await audit(service)
  })

  it('create many groups below one', async () => {
    await made({ id: 'crowd' })
    const replies = await Promise.all(Array.from({ length: 12 }, () => create({ parent_id: 'crowd' })))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  })
})

describe('the list of groups', () => {
  let own: Service
  const list = async (query: Record<string, string | number> | string = {}, headers = {}) =>
    (await call('listGroups', { query, headers })).body
  const ids = async (query: Record<string, string | number> | string = {}, headers = {}) =>
    (await list(query, headers)).groups.map((group: Any) => group.id)

  beforeAll(async () => {
    own = await startService()
    const title = (english: string, german: string) => [...en(english), { language: 'de-DE', text: german }]
    await made({ id: 'bread', title: title('Bread', 'Zopf'), external_id: 'ÄX-7', parent_id: 'sales' })
    own.setNow('2026-11-21T09:01:00.000Z')
    await made({ id: 'apple', title: title('apple', 'Äpfel'), description: en('Fruit & more'), parent_id: 'sales' })
    own.setNow('2026-11-21T09:02:00.000Z')
    await made({ id: 'cheese', title: en('Çheese'), parent_id: 'bread' })
    own.setNow('2026-11-21T09:03:00.000Z')
    await patch('bread', { description: en('Crumbs') })
  })
  afterAll(() => service.activate())

  it.each<[string, Record<string, string | number> | string, string[]]>([
    ['all, by name', {}, ['apple', 'bread', 'cheese', 'all-users', 'archived', 'root', 'sales']],
    ['backwards', { sort: 'GROUP_NAME_DESC', parent_id: 'sales,bread' }, ['cheese', 'bread', 'apple']],
    [
      'by status, then name',
      { sort: 'STATUS_DESC,GROUP_NAME_DESC', type: 'CUSTOM' },
      ['archived', 'sales', 'cheese', 'bread', 'apple'],
    ],
    ['by creation', { sort: 'CREATED_AT_DESC', parent_id: 'sales,bread' }, ['cheese', 'apple', 'bread']],
    ['by change', { sort: 'UPDATED_AT_DESC', parent_id: 'sales,bread' }, ['bread', 'cheese', 'apple']],
    ['below one', { parent_id: 'sales' }, ['apple', 'bread']],
    ['below several', 'parent_id[]=sales&parent_id[]=bread', ['apple', 'bread', 'cheese']],
    ['below nothing', { parent_id: 'nowhere' }, []],
    ['of a type', { type: 'ROOT,ALL_USERS' }, ['all-users', 'root']],
    ['of a status', { status: 'ARCHIVED' }, ['archived']],
    ['with an external id', { external_id: 'ÄX-7' }, ['bread']],
    ['with another external id', { external_id: 'äx-7' }, []],
    [
      'empty filters',
      { status: '', type: '', parent_id: '', external_id: '', search_term: '', page_limit: 1 },
      ['apple'],
    ],
    ['found by title', { search_term: 'CHEE' }, ['cheese']],
    ['found by another language', { search_term: 'apf' }, ['apple']],
    ['found by description', { search_term: 'mor fru' }, ['apple']],
    ['found by external id', { search_term: 'ax' }, ['bread']],
    ['found by nothing', { search_term: 'apfel crumbs' }, []],
    ['all together', { search_term: 'b', parent_id: 'sales', type: 'CUSTOM', status: 'ACTIVE' }, ['bread']],
    ['a page', { page_limit: 2, page_number: 2 }, ['cheese', 'all-users']],
    ['a page after the last', { page_limit: 2, page_number: 9 }, []],
  ])('%s', async (_what, query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  it('shows and sorts by the texts that fit the caller', async () => {
    const { groups, pagination } = await list(
      { parent_id: 'sales', embed: 'PATH,ACTIONS' },
      { 'accept-language': 'de-DE' },
    )
    expect(groups.map((group: Any) => [group.title, group.description])).toEqual([
      [
        { language: 'de-DE', text: 'Äpfel' },
        { language: 'en-GB', text: 'Fruit & more' },
      ],
      [
        { language: 'de-DE', text: 'Zopf' },
        { language: 'en-GB', text: 'Crumbs' },
      ],
    ])
    expect(groups[1].path.map((one: Any) => one.title.text)).toEqual(['Gruppe root', 'Gruppe sales', 'Zopf'])
    expect(groups[1].actions.archive).toEqual({ allowed: true })
    expect(pagination).toEqual({
      page_number: 1,
      page_limit: 25,
      total_pages: 1,
      total_elements: 2,
      total_relation: 'EQUAL',
      next_cursor: null,
      has_more: false,
    })
    expect((await list({ parent_id: 'bread' })).groups[0]).toMatchObject({ description: null, parent_id: 'bread' })
  })

  it.each([{ sort: 'TITLE_ASC' }, { embed: 'ALL' }, { status: 'GONE' }, { type: 'ANY' }, { page_limit: 0 }])(
    'refuses %j',
    async (query) => {
      expect((await call('listGroups', { query: query as Any })).body.error_code).toBe('VALIDATION_ERROR')
    },
  )
})
