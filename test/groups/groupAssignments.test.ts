import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { countRoleUse } from '../../domain/people/records/heldRoles.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { runs } from '../harness/runs.ts'
import { groupRecord, ordinary, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { walkByCursor } from '../harness/walk.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_first_name'] })
})

const newUser = async (id: string, parts: object = {}): Promise<string> => {
  const body = { id, first_name: 'Jean', last_name: 'Dupont', username: id, ...parts }
  expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
  return id
}
const assign = (group_id: string, user_id: string, role_id: string, as = 'admin'): Promise<Reply> =>
  call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id }, as })
const code = async (reply: Promise<Reply>) => (await reply).body.error_code
const listed = async (group: string, query: Record<string, string | number> = {}) =>
  (await call('listGroupAssignments', { path: { group_id: group }, query: { page_limit: 100, ...query } })).body
const triples = (list: Any) => list.assignments.map(({ id }: Any) => `${id.user_id} ${id.role_id}`)

describe('one assignment', () => {
  it('is given, read, listed, found and taken away', async () => {
    await service.store.bulk(groupItems(groupRecord('duet')).map((put) => ({ put })))
    await newUser('jean-luc', { first_name: 'Jean-Luc', attributes: [{ name: 'department', value: 'Bridge' }] })
    const path = { group_id: 'duet', user_id: 'jean-luc', role_id: 'coach' }
    const given = await call('createGroupAssignment', {
      path: { group_id: 'duet' },
      body: { user_id: 'jean-luc', role_id: 'coach' },
      query: { embed: 'ACTIONS' },
    })
    expect(given).toMatchObject({
      status: 201,
      body: {
        id: path,
        source: 'MANUAL',
        user: {
          id: 'jean-luc',
          is_deleted: false,
          first_name: 'Jean-Luc',
          department: 'Bridge',
          profile_picture: null,
        },
        actions: { delete: { allowed: true } },
      },
    })
    expect((await call('getGroupAssignment', { path, query: { embed: 'ACTIONS' } })).body).toEqual(given.body)
    for (const query of [{}, { search_term: 'luc' }, { search_term: 'BRI jean' }, { role_ids: 'coach,group-owner' }])
      expect(triples(await listed('duet', query as never))).toEqual(['jean-luc coach'])
    expect(triples(await listed('duet', { search_term: 'kirk' }))).toEqual([])
    expect(triples(await listed('duet', { role_ids: 'group-owner' }))).toEqual([])
    expect((await call('deleteGroupAssignment', { path })).body).toMatchObject({ id: path, source: 'MANUAL' })
    expect(await code(call('getGroupAssignment', { path }))).toBe('USER_GROUP_ASSIGNMENT_NOT_FOUND')
    expect((await listed('duet')).pagination.total_elements).toBe(0)
    await audit(service)
  })

  it.each<[string, string, string, string, number]>([
    ['nowhere', 'plain', 'coach', 'USER_GROUP_NOT_FOUND', 404],
    ['archived', 'nobody', 'nothing', 'USER_GROUP_ARCHIVED', 409],
    ['sales', 'nobody', 'nothing', 'UNKNOWN_USER_ID', 400],
    ['sales', 'locked', 'nothing', 'USER_NOT_ASSIGNABLE', 409],
    ['sales', 'plain', 'nothing', 'ROLE_DOES_NOT_EXIST', 400],
    ['sales', 'plain', 'channel-owner', 'ROLE_HAS_WRONG_PERMISSION_SCOPE', 400],
    ['sales', 'plain', 'reserved', 'ROLE_NOT_ASSIGNABLE', 403],
    ['all-users', 'plain', 'group-member', 'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS', 409],
  ])('in %s for %s as %s is refused: %s', async (group, user, role, expected, status) => {
    if (user === 'locked' && (await call('getUser', { path: { user_id: user } })).status === 404)
      await newUser('locked', { status: 'LOCKED' })
    const reply = await assign(group, user, role)
    expect([reply.status, reply.body.error_code]).toEqual([status, expected])
    const batch = await call('createGroupAssignments', {
      body: { items: [{ group_id: group, body: { user_id: user, role_id: role } }] },
    })
    expect(batch.body.items[0]).toMatchObject({
      id: { group_id: group, user_id: user, role_id: role },
      status,
      error: { error_code: expected },
    })
  })

  it('that follows from the primary group stays', async () => {
    const path = { group_id: 'all-users', user_id: 'plain', role_id: 'group-member' }
    expect(await code(call('deleteGroupAssignment', { path }))).toBe('DERIVED_ASSIGNMENT_DELETION_FORBIDDEN')
    const { body } = await call('getGroupAssignment', { path, query: { embed: 'ACTIONS' } })
    expect(body).toMatchObject({ source: 'PRIMARY', actions: { delete: { allowed: false } } })
  })

  it('given by hand becomes primary with the group, and is by hand again when the group moves on', async () => {
    await newUser('mover')
    await assign('sales', 'mover', 'group-member')
    const move = (group: string | null) =>
      call('updateUser', { path: { user_id: 'mover' }, body: { primary_user_group_id: group } })
    const source = async () =>
      (await call('getGroupAssignment', { path: { group_id: 'sales', user_id: 'mover', role_id: 'group-member' } }))
        .body.source
    await move('sales')
    expect(await source()).toBe('PRIMARY')
    await move(null)
    expect(await source()).toBe('MANUAL')
    await audit(service)
  })
})

describe('batches', () => {
  it('decide each item on its own, in order', async () => {
    await newUser('batch-1')
    await newUser('batch-2')
    const item = (user_id: unknown, role_id = 'coach', group_id = 'sales') => ({ group_id, body: { user_id, role_id } })
    const { body } = await call('createGroupAssignments', {
      query: { embed: 'ACTIONS' },
      body: {
        items: [
          item('batch-1'),
          item('batch-1'),
          item('batch-2'),
          item(7),
          'no object',
          item('batch-2', 'group-owner'),
        ],
      },
    })
    expect(body.items.map(({ status, error }: Any) => error?.error_code ?? status)).toEqual([
      201,
      'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS',
      201,
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      201,
    ])
    expect(body.items.map(({ id }: Any) => id?.user_id)).toEqual([
      'batch-1',
      'batch-1',
      'batch-2',
      null,
      undefined,
      'batch-2',
    ])
    const ids = body.items.filter(({ status }: Any) => status === 201).map(({ id }: Any) => ({ id }))
    const gone = await call('deleteGroupAssignments', { body: { items: [...ids, ids[0]] } })
    expect(
      gone.body.items.map(({ status, body: was, error }: Any) => error?.error_code ?? [status, was.source]),
    ).toEqual([[200, 'MANUAL'], [200, 'MANUAL'], [200, 'MANUAL'], 'USER_GROUP_ASSIGNMENT_NOT_FOUND'])
    await audit(service)
  })

  it('end with the rights of the actor, in the middle too', async () => {
    await newUser('fading', { role: 'ADMIN' })
    const users = await Promise.all(Array.from({ length: 40 }, (_, n) => newUser(`fade-${n}`)))
    // The first wave of writes waits until the actor has lost the role by another request.
    let demoted: Promise<Reply> | undefined
    service.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isOwn = JSON.stringify(args.input).includes('USER#fading')
          if (String(commandName).startsWith('TransactWrite') && !isOwn) {
            demoted ??= call('updateUser', { path: { user_id: 'fading' }, body: { role: 'USER' } })
            await demoted
          }
          return next(args)
        },
      { step: 'initialize', name: 'demotion' },
    )
    const { body } = await call('createGroupAssignments', {
      as: 'fading',
      body: { items: users.map((user_id) => ({ group_id: 'sales', body: { user_id, role_id: 'coach' } })) },
    })
    service.client.middlewareStack.remove('demotion')
    expect((await demoted)?.status).toBe(200)
    const codes = body.items.map(({ error }: Any) => error?.error_code ?? 'done')
    expect(codes.filter((one: string) => one === 'PERMISSION_MISSING')).toHaveLength(8)
    expect(codes.filter((one: string) => one === 'done')).toHaveLength(32)
    expect(await code(assign('sales', 'plain', 'coach', 'fading'))).toBe('PERMISSION_MISSING')
    await audit(service)
  })
})

describe('at the same time', () => {
  it('two who give one role: one 201, one 409', async () => {
    await newUser('twice')
    const replies = await Promise.all(Array.from({ length: 4 }, () => assign('sales', 'twice', 'coach')))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    await audit(service)
  })

  it('a user who is being deleted gets no role afterwards', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await newUser(`leaving-${round}`)
      const [given, deleted] = await Promise.all([
        assign('sales', id, 'coach'),
        call('deleteUser', { path: { user_id: id } }),
      ])
      expect(deleted.status).toBe(200)
      expect([201, 409]).toContain(given.status)
    }
    await audit(service)
  })

  it('a role given while the user is renamed is under the new name', async () => {
    const id = await newUser('renamed')
    await Promise.all([
      ...['coach', 'group-owner', 'group-member'].map((role) => assign('sales', id, role)),
      call('updateUser', { path: { user_id: id }, body: { last_name: 'Aaa' } }),
    ])
    const list = await listed('sales', { search_term: 'jean', role_ids: 'coach,group-owner,group-member' })
    expect(triples(list).slice(0, 3)).toEqual(['renamed coach', 'renamed group-member', 'renamed group-owner'])
  })
})

describe('the life of users', () => {
  it('is followed by their assignments', async () => {
    await newUser('temp', { first_name: 'Tem', last_name: 'Porary' })
    await assign('sales', 'temp', 'group-owner')
    const shown = async () =>
      (await listed('sales', { search_term: 'porary' })).assignments.map(({ user }: Any) => user.is_deleted)
    await call('lockUser', { path: { user_id: 'temp' } })
    expect(await shown()).toEqual([false])
    await call('deleteUser', { path: { user_id: 'temp' } })
    expect(await shown()).toEqual([true])
    await call('restoreUser', { path: { user_id: 'temp' } })
    expect(await shown()).toEqual([false])
    await call('deleteUser', { path: { user_id: 'temp' } })
    const before = (await listed('sales')).pagination.total_elements
    service.setNow('2026-12-20T00:00:00.000Z')
    expect(await shown()).toEqual([])
    const after = (await listed('sales', { role_ids: 'coach,group-owner,group-member' })).pagination.total_elements
    expect(after).toBeLessThan(before)
    await purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
    expect((await listed('sales')).pagination.total_elements).toBe(after)
    await audit(service)
  })

  // More than the parts that are on their way at once take.
  it('a rename reaches three hundred assignments, also when the process dies after any of its calls', async () => {
    await newUser('famous', { last_name: 'Zzz' })
    const user = userRecord({ id: 'famous', first_name: 'Jean', last_name: 'Zzz' }, service.now().toISOString())
    const groups = Array.from({ length: 300 }, (_, n) => `fan-${n}`)
    await service.store.bulk(
      groups.flatMap((group) => [
        ...groupItems(groupRecord(group)).map((put) => ({ put })),
        { put: groupAssignmentItem(user, { group, role: 'coach', source: 'MANUAL' }) },
        { put: { ...groupCountKey(group, 0), [roleCount('coach')]: 1 } },
      ]),
    )
    await service.store.write(countRoleUse('coach', groups.length, { predefined: {}, shard: 0 }))
    for (const [name, last] of [
      ['Bbb', 1],
      ['Ccc', 4],
      ['Ddd', 9],
      ['Eee', 1e9],
    ] as const) {
      const { heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await call('updateUser', { path: { user_id: 'famous' }, body: { last_name: name } })
      heal()
      const { last_name } = (await call('getUser', { path: { user_id: 'famous' } })).body
      service.setNow(new Date(service.now().getTime() + 120_000))
      await finishOverdue({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
      const rows = (await service.store.query({ hash: 'USER#famous', beginsWith: 'GA#' })).items
      expect(new Set(rows.map((row) => String(row['by_last_name']).slice(0, 4)))).toEqual(
        new Set([`0${last_name.toLowerCase()}`]),
      )
    }
    expect((await service.store.query({ hash: 'WORK' })).items).toEqual([])
    await audit(service)
  })
})

describe('assignable roles', () => {
  it.each([
    ['en-GB', 'TITLE_ASC', ['coach', 'group-member', 'group-owner']],
    ['fr, de-DE-1996;q=0.8', 'TITLE_DESC', ['group-owner', 'group-member', 'coach']],
  ])('in %s by %s', async (language, sort, expected) => {
    const { body, headers } = await call('listAssignableGroupRoles', {
      path: { group_id: 'sales' },
      query: { sort, embed: 'ROLE' },
      headers: { 'accept-language': language },
    })
    expect(body.assignable_roles.map(({ role_id }: Any) => role_id)).toEqual(expected)
    expect(body.pagination.total_elements).toBe(3)
    const coach = body.assignable_roles.find(({ role_id }: Any) => role_id === 'coach').role
    expect(coach).toMatchObject({
      title:
        language !== 'en-GB' ? { language: 'de-DE', text: 'Rolle coach' } : { language: 'en-GB', text: 'Role coach' },
      description: { language: 'en-GB', text: 'Trains others' },
      permission_count: 1,
    })
    expect(headers['content-language']).toContain(language !== 'en-GB' ? 'de-DE' : 'en-GB')
  })

  it.each([
    ['page_number=1', 'de-DE, en-GB'],
    ['page_number=3', 'de-DE'],
    ['page_number=4', undefined],
  ])('name the languages of what is shown alone: %s', async (page, languages) => {
    const asked = { path: { group_id: 'sales' }, headers: { 'accept-language': 'de-DE' } }
    const query = `page_limit=1&${page}`
    const { headers } = await call('listAssignableGroupRoles', { ...asked, query: `${query}&embed=ROLE` })
    expect(headers['content-language']).toBe(languages)
    expect((await call('listAssignableGroupRoles', { ...asked, query })).headers['content-language']).toBeUndefined()
  })

  it('of an unknown group are not found', async () => {
    expect(await code(call('listAssignableGroupRoles', { path: { group_id: 'nowhere' } }))).toBe('USER_GROUP_NOT_FOUND')
  })
})

describe('walking all pages', () => {
  const names = fc.constantFrom('Ann', 'ánn', 'Bo', 'bo', 'Łu', 'van', 'van Dyk', '李', 'Ω')
  const person = fc.record({
    first_name: names,
    last_name: names,
    roles: fc.subarray(['coach', 'group-owner', 'group-member']),
  })
  const sorts = fc.array(
    fc.constantFrom('USER_FIRST_NAME_ASC', 'USER_FIRST_NAME_DESC', 'USER_LAST_NAME_ASC', 'USER_LAST_NAME_DESC'),
    { minLength: 1, maxLength: 3 },
  )
  let group = 0

  it('gives every match once, in order, and as many as the total says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { maxLength: 12 }),
        sorts,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('', 'an', 'bo', 'van d'),
        async (people, sort, limit, term) => {
          const id = `walk-${++group}`
          await service.store.write([...groupItems(groupRecord(id)).map((put) => ({ put }))])
          const model: { id: string; first: string; last: string }[] = []
          for (const [n, { roles, ...name }] of people.entries()) {
            const user = await newUser(`${id}-${n}`, name)
            for (const role of roles) {
              await assign(id, user, role)
              const fold = (text: string) =>
                text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace('ł', 'l')
              const [first, last] = [fold(name.first_name), fold(name.last_name)]
              const words = `${first} ${last}`.split(' ')
              if (term.split(' ').every((wanted) => words.some((word) => word.startsWith(wanted))))
                model.push({ id: `${user} ${role}`, first, last })
            }
          }
          model.sort((a, b) => {
            for (const one of sort) {
              const [x, y] = one.includes('FIRST') ? [a.first, b.first] : [a.last, b.last]
              const order = Buffer.compare(Buffer.from(x), Buffer.from(y)) * (one.endsWith('DESC') ? -1 : 1)
              if (order !== 0) return order
            }
            return (a.id < b.id ? -1 : 1) * (sort.at(-1)?.endsWith('DESC') ? -1 : 1)
          })
          const walked: string[] = []
          for (let page = 1; ; page++) {
            const query = { page_limit: limit, page_number: page, sort: sort.join(), search_term: term }
            const list = await listed(id, query)
            expect(list.pagination.total_elements).toBe(model.length)
            if (list.assignments.length === 0) break
            walked.push(...triples(list))
          }
          expect(walked).toEqual(model.map(({ id: triple }) => triple))
          const asked = { path: { group_id: id }, query: { sort: sort.join(), search_term: term } }
          const assignments = await walkByCursor('listGroupAssignments', asked, [limit, 2])
          expect(triples({ assignments })).toEqual(walked)
        },
      ),
      { numRuns: runs(10) },
    )
  })
})
