import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: 'none', users: people })
})

const base = { first_name: 'A', last_name: 'B' }
const create = (body: object) => call('createUser', { body: { ...ordinary, ...base, ...body } })
const patch = (user_id: string, body: object) => call('updateUser', { path: { user_id }, body })
const codeOf = ({ status, body }: Reply): string | number => body.error_code ?? status
const codes = (replies: Reply[]): (string | number)[] => replies.map(codeOf).sort()
const later = (days: number) => service.setNow(new Date(service.now().getTime() + days * 24 * 3600 * 1000))

/** Spellings that differ in case alone, as far as Unicode knows. */
const cases: [string, string][] = [
  ['ann.lee', 'ANN.Lee'],
  ['müller', 'MÜLLER'],
  ['mu\u0308ller2', 'Müller2'],
  ['οδυσσεύς', 'ΟΔΥΣΣΕΎΣ'],
  ['σασ', 'ΣΑΣ'],
  ['йосиф', 'ЙОСИФ'],
  ['ǆungla', 'ǅungla'],
  ['\u{10428}', '\u{10400}'],
  ['k2', '\u212a2'],
]
const different: [string, string][] = [
  ['muller3', 'müller3'],
  ['a.b', 'a_b'],
  ['space', 'sp ace'],
  ['名前', '名前2'],
]

describe('a username', () => {
  it.each(cases)('%s is taken as %s', async (one, other) => {
    const owner = (await create({ username: one })).body
    const taken = await create({ username: other })
    expect(taken.body).toMatchObject({ status: 409, error_code: 'USERNAME_ALREADY_EXISTS', property: 'username' })
    expect((await call('listUsers', { query: { username: other } })).body.users).toEqual([owner])
    const respelt = await patch(owner.id, { username: other })
    expect([respelt.status, respelt.body.username]).toEqual([200, other])
    expect(codeOf(await create({ username: one }))).toBe('USERNAME_ALREADY_EXISTS')
  })

  it.each(different)('%s is another than %s', async (one, other) => {
    expect(codes([await create({ username: one }), await create({ username: other })])).toEqual([201, 201])
  })
})

describe('an external id', () => {
  it.each([
    ['E-1', 'e-1', 201],
    ['E-2', 'E-2', 'EXTERNAL_ID_ALREADY_EXISTS'],
    ['Ä', 'A\u0308', 201],
    [' E-3', 'E-3', 'EXTERNAL_ID_ALREADY_EXISTS'],
    ['E#4', 'E', 201],
  ])('%s, then %s: %s', async (one, other, expected) => {
    expect(codeOf(await create({ username: `x${one}`, external_id: one }))).toBe(201)
    const second = await create({ username: `y${one}`, external_id: other })
    expect(codeOf(second)).toBe(expected)
    if (expected !== 201) expect(second.body.property).toBe('external_id')
  })

  it('is free for everybody who has none', async () => {
    expect(
      codes([await create({ username: 'none-1', external_id: null }), await create({ username: 'none-2' })]),
    ).toEqual([201, 201])
  })
})

describe('several conflicts', () => {
  beforeAll(() => create({ id: 'first', username: 'first', external_id: 'F', first_name: 'Other' }))

  it.each([
    [{ id: 'first', username: 'first', external_id: 'F' }, 'USER_ID_ALREADY_EXISTS', 'id'],
    [{ id: 'fresh', username: 'FIRST', external_id: 'F' }, 'USERNAME_ALREADY_EXISTS', 'username'],
    [{ id: 'fresh', username: 'fresh', external_id: 'F' }, 'EXTERNAL_ID_ALREADY_EXISTS', 'external_id'],
    [{ id: 'admin', username: 'first' }, 'USER_ID_ALREADY_EXISTS', 'id'],
    [{ username: 'admin', external_id: 'F' }, 'USERNAME_ALREADY_EXISTS', 'username'],
  ])('%j → %s', async (body, code, property) => {
    expect((await create(body)).body).toMatchObject({ status: 409, error_code: code, property })
    expect(codeOf(await call('getUser', { path: { user_id: 'fresh' } }))).toBe('USER_NOT_FOUND')
  })

  it.each([
    [{ username: 'ADMIN' }, 'USERNAME_ALREADY_EXISTS'],
    [{ username: 'admin', external_id: 'F' }, 'USERNAME_ALREADY_EXISTS'],
    [{ external_id: 'F', first_name: 'Never' }, 'EXTERNAL_ID_ALREADY_EXISTS'],
  ])('patch %j → %s, and nothing of it is done', async (body, code) => {
    const before = await call('getUser', { path: { user_id: 'plain' } })
    expect(codeOf(await patch('plain', body))).toBe(code)
    expect((await call('getUser', { path: { user_id: 'plain' } })).body).toEqual(before.body)
  })
})

describe('at the same time', () => {
  const MANY = 8
  const many = (one: (n: number) => Promise<Reply>) => Promise.all(Array.from({ length: MANY }, (_, n) => one(n)))
  it.each<[string, (n: number) => object, string]>([
    ['one username', (n) => ({ username: n % 2 ? 'RACE-1' : 'race-1' }), 'USERNAME_ALREADY_EXISTS'],
    ['one external id', (n) => ({ username: `race-2-${n}`, external_id: 'R2' }), 'EXTERNAL_ID_ALREADY_EXISTS'],
    ['one id', (n) => ({ id: 'race-3', username: `race-3-${n}` }), 'USER_ID_ALREADY_EXISTS'],
    [
      'one of everything, other content',
      (n) => ({ id: 'race-4', username: 'race-4', external_id: 'R4', email: `r${n}@x.org` }),
      'USER_ID_ALREADY_EXISTS',
    ],
  ])('%s: exactly one is created', async (_name, body, code) => {
    const replies = await many((n) => create(body(n)))
    expect(codes(replies)).toEqual([201, ...Array(MANY - 1).fill(code)])
  })

  it('one and the same request: created once, answered alike', async () => {
    const body = {
      id: 'race-5',
      username: 'race-5',
      external_id: 'R5',
      attributes: [{ name: 'department', value: 'x' }],
    }
    const replies = await many(() => create(body))
    expect(codes(replies)).toEqual([...Array(MANY - 1).fill(200), 201])
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
  })

  it('many want the name that one gives up', async () => {
    const owner = (await create({ username: 'race-6' })).body.id
    const replies = await many((n) =>
      n === 0 ? patch(owner, { username: 'race-6-new' }) : create({ username: 'race-6' }),
    )
    const created = replies.slice(1).map(codeOf)
    expect(created.filter((code) => code === 201).length).toBeLessThanOrEqual(1)
    expect(created.filter((code) => code !== 201 && code !== 'USERNAME_ALREADY_EXISTS')).toEqual([])
    expect(replies[0]?.status).toBe(200)
  })

  it('renames to one name: one gets it', async () => {
    const users = await many((n) => create({ username: `race-7-${n}` }))
    const replies = await Promise.all(
      users.map(({ body }) => patch(body.id, { username: 'race-7', external_id: 'R7' })),
    )
    expect(codes(replies)).toEqual([200, ...Array(MANY - 1).fill('USERNAME_ALREADY_EXISTS')])
  })

  it('two writers of one user: no change is lost', async () => {
    const { id } = (await create({ username: 'race-8' })).body
    const bodies = [
      { first_name: 'New' },
      { last_name: 'Name' },
      { email: 'n@x.org' },
      { external_id: 'R8' },
      { username: 'race-8b' },
      { tags: [{ name: 't' }] },
    ]
    const replies = await Promise.all(bodies.map((body) => patch(id, body)))
    expect(codes(replies)).toEqual(bodies.map(() => 200))
    expect((await call('getUser', { path: { user_id: id } })).body).toMatchObject(Object.assign({}, ...bodies))
  })

  it('leaves the table whole', () => audit(service))
})

describe('the same creation again', () => {
  const full = {
    id: 'again',
    username: 'again',
    external_id: 'AGAIN',
    email: 'again@example.com',
    role: 'USER',
    status: 'LOCKED',
    required_actions: ['VERIFY_EMAIL', 'UPDATE_PASSWORD'],
    attributes: [
      { name: 'department', value: 'x' },
      { name: 'location', value: 'y' },
    ],
    tags: [{ name: 't' }, { name: 's' }],
    profile_picture: { file_id: 'f' },
    primary_user_group_id: 'sales',
  }
  let first: Reply
  beforeAll(async () => {
    first = await create(full)
    expect(first.status).toBe(201)
    later(1)
  })

  it('is answered 200 with the record, whenever it comes, and changes nothing', async () => {
    for (const body of [
      full,
      { ...full, first_name: ' A ' },
      { ...full, required_actions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL', 'VERIFY_EMAIL'] },
      { ...full, attributes: full.attributes.toReversed(), tags: full.tags.toReversed() },
    ]) {
      const again = await create(body)
      expect([again.status, again.body]).toEqual([200, first.body])
    }
    const sparse = { id: 'sparse', username: 'sparse', email: null }
    await create(sparse)
    expect(
      (await create({ ...sparse, role: 'USER', status: 'ACTIVE', tags: [], primary_user_group_id: 'all-users' }))
        .status,
    ).toBe(200)
  })

  it.each([
    [{ first_name: 'Other' }],
    [{ username: 'AGAIN' }],
    [{ external_id: null }],
    [{ status: 'ACTIVE' }],
    [{ role: 'ADMIN' }],
    [{ attributes: [] }],
    [{ tags: [{ name: 'u' }] }],
    [{ primary_user_group_id: 'all-users' }],
    [{ profile_picture: null }],
  ])('with %j is another: USER_ID_ALREADY_EXISTS', async (other) => {
    expect(codeOf(await create({ ...full, ...other }))).toBe('USER_ID_ALREADY_EXISTS')
  })

  it('is another once the user has been changed, deleted or is gone', async () => {
    const leaver = { ...full, id: 'once', username: 'once', external_id: 'ONCE' }
    await create(leaver)
    expect(codeOf(await create(leaver))).toBe(200)
    await patch('once', { last_name: 'Changed' })
    expect(codeOf(await create(leaver))).toBe('USER_ID_ALREADY_EXISTS')
    await patch('once', { last_name: 'B' })
    await call('deleteUser', { path: { user_id: 'once' } })
    expect(codeOf(await create(leaver))).toBe('USER_ID_ALREADY_EXISTS')
    later(14)
    expect(codeOf(await create(leaver))).toBe('USER_ID_ALREADY_EXISTS')
  })
})

describe('names of users who leave', () => {
  it('stay taken until the deadline, also for renames, and are free from then on', async () => {
    const names = { username: 'leaver', external_id: 'LEAVER' }
    const { id } = (await create(names)).body
    await call('deleteUser', { path: { user_id: id } })
    const taken = async () => [
      codeOf(await create({ username: 'Leaver' })),
      codeOf(await create({ username: 'leaver-2', external_id: 'LEAVER' })),
      codeOf(await patch('plain', { username: 'leaver' })),
      codeOf(await patch('plain', { external_id: 'LEAVER' })),
    ]
    const both = ['USERNAME_ALREADY_EXISTS', 'EXTERNAL_ID_ALREADY_EXISTS']
    later(13)
    expect(await taken()).toEqual([...both, ...both])
    later(1)
    const heirs = await Promise.all([create(names), create(names), create({ ...names, username: 'LEAVER' })])
    expect(codes(heirs)).toEqual([201, 'USERNAME_ALREADY_EXISTS', 'USERNAME_ALREADY_EXISTS'])
    expect(codeOf(await call('restoreUser', { path: { user_id: id } }))).toBe('USER_NOT_RESTORABLE')
    await audit(service)
  })

  it('are given back by a rename, an external id also by clearing it', async () => {
    const { id } = (await create({ username: 'before', external_id: 'BEFORE' })).body
    await patch(id, { username: 'after', external_id: null })
    expect(codes([await create({ username: 'before', external_id: 'BEFORE' })])).toEqual([201])
    expect(codeOf(await patch(id, { external_id: 'BEFORE' }))).toBe('EXTERNAL_ID_ALREADY_EXISTS')
    expect(codeOf(await patch(id, { username: 'after', external_id: 'AFTER' }))).toBe(200)
  })
})

describe('within one batch', () => {
  const update = async (...items: [string, object][]) => {
    const { body } = await call('updateUsers', { body: { items: items.map(([id, body]) => ({ id, body })) } })
    return body.items.map((item: Any) => item.error?.error_code ?? item.status)
  }
  const taken = 'USERNAME_ALREADY_EXISTS'
  it('names go from hand to hand in the order of the request', async () => {
    for (const id of ['s1', 's2', 's3']) await create({ id, username: id, external_id: `X${id}` })
    expect(await update(['s1', { username: 's2' }], ['s2', { username: 's1' }])).toEqual([taken, taken])
    expect(await update(['s1', { username: 'spare' }], ['s2', { username: 's1' }], ['s1', { username: 'S2' }])).toEqual(
      [200, 200, 200],
    )
    expect(
      await update(['s3', { external_id: null }], ['s1', { external_id: 'Xs3' }], ['s2', { external_id: 'Xs1' }]),
    ).toEqual([200, 200, 200])
    expect(
      await update(['s1', { username: 's3' }], ['s3', { username: 'elsewhere' }], ['s1', { username: 's3' }]),
    ).toEqual([taken, 200, 200])
    const names = async (user_id: string) => {
      const { body } = await call('getUser', { path: { user_id } })
      return [body.username, body.external_id]
    }
    expect([await names('s1'), await names('s2'), await names('s3')]).toEqual([
      ['s3', 'Xs3'],
      ['s1', 'Xs1'],
      ['elsewhere', null],
    ])
    await audit(service)
  })

  it('forty want one name: the first in the request gets it', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => create({ id: `h${n}`, username: `h${n}` })))
    const items = Array.from({ length: 40 }, (_, n): [string, object] => [`h${(n * 7) % 20}`, { username: 'wanted' }])
    const outcomes = await update(...items)
    const winner = items[0]?.[0]
    expect(outcomes).toEqual(items.map(([id]) => (id === winner ? 200 : taken)))
  })
})
