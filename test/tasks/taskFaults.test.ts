import { beforeAll, describe, expect, it } from 'vitest'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { users as userRecords } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { groupCountKey, roleCount, taskAssignmentKey, taskKey, userKey } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { taskItem } from '../../domain/tasks/task.ts'
import { countsOf, taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { dieAfterWrite, type StoreFault, strike, withoutWaits } from '../harness/faults.ts'
import { betweenReads, meanwhile } from '../harness/meanwhile.ts'
import { people, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

const MEMBERS = 500
const at = '2026-10-01T00:00:00.000Z'
const member = (n: number): string => `m-${String(n).padStart(4, '0')}`
const members = Array.from({ length: MEMBERS }, (_, n) => member(n))

let service: Service
let serial = 0
beforeAll(async () => {
  service = await startService({
    indexes: ['by_created_at'],
    users: [...people, ...['author', 'ann', 'bob', 'cid'].map((id) => ({ id, last_name: id }))],
  })
  const records = members.map((id) => userRecord({ id, username: id, last_name: id }, at))
  const group = {
    external_id: null,
    title: [],
    description: [],
    type: 'CUSTOM' as const,
    status: 'ACTIVE' as const,
    parent_id: 'root',
    created_at: at,
    updated_at: at,
  }
  const joined = (id: string, some: typeof records): Item[] => [
    ...groupItems({ ...group, id }),
    ...some.map((user) => groupAssignmentItem(user, { group: id, role: 'coach', source: 'MANUAL' })),
    { ...groupCountKey(id, 0), [roleCount('coach')]: some.length },
  ]
  await service.store.bulk(
    [
      ...records.map((one) => itemOf(userRecords, one)),
      ...joined('large', records),
      ...joined('middle', records.slice(0, 120)),
    ].map((put) => ({
      put,
    })),
  )
  await w.newChannel(service.store, 'to-all', { owner: 'author', groups: ['large'] })
  await w.newChannel(service.store, 'to-some', { owner: 'author', groups: ['middle'] })
})

const codeOf = ({ status, body }: Reply) => [status, body?.error_code]

/** Audits a task with the first members, who may have it; answers who has. */
const auditTask = (id: string, among = 200): Promise<string[]> =>
  w.auditTask(service, id, [...members.slice(0, among), 'ann'])

/** The assignments of a task that are in the table, whether or not the task is there. */
const assignmentsOf = async (task: string): Promise<Item[]> =>
  (await Promise.all(members.slice(0, 200).map((user) => service.store.get(taskAssignmentKey(user, task))))).filter(
    (item) => item !== undefined,
  )

/** A task that as many members have, in every state of progress. */
async function taskOf(count: number): Promise<string> {
  const task = w.task(`f-${++serial}`)
  const statuses = ['NEW', 'OPEN', 'FINISHED'] as const
  const items = members
    .slice(0, count)
    .map((id, n) =>
      taskAssignmentItem(
        task,
        { id, last_name: id },
        { progress_status: statuses[n % 3] ?? 'NEW', created_at: at, updated_at: at },
      ),
    )
  const counts = countsOf(items.map((item) => (item.data as Any).progress_status))
  await service.store.bulk([taskItem(task, counts), ...items].map((put) => ({ put })))
  return task.id
}

/** What is done to a task of so many members, how it is answered, and how many members can have it then. */
const steps: [string, number, (task: string) => Promise<Reply>, number, number][] = [
  ['finish', 3, (task) => w.finish(task, 'm-0000'), 200, 4],
  ['open', 3, (task) => w.open(task, 'm-0002'), 200, 4],
  ['read', 3, (task) => w.read(task, 'm-0000'), 200, 4],
  ['add one', 3, (task) => w.add(task, 'ann'), 201, 4],
  ['add a hundred', 3, (task) => w.addMany(task, members.slice(0, 100)), 201, 101],
  ['remove one', 3, (task) => w.removeOne(task, 'm-0001'), 204, 4],
  ['remove 99', 102, (task) => w.removeMany(task, members.slice(0, 99)), 200, 103],
  ['remove a hundred', 102, (task) => w.removeMany(task, members.slice(0, 100)), 200, 103],
  ['add a channel', 3, (task) => w.add(task, 'to-some', 'CHANNEL'), 201, 121],
]

describe('whatever the store does', () => {
  describe.each(steps)('%s', (name, count, run, status, among) => {
    // What is done to many repeats its writes as what is done to few.
    const faults: StoreFault[] = among < 100 ? ['conflict', 'throttle', 'lostAnswer'] : ['conflict', 'lostAnswer']
    it.each(faults)('succeeds although every call meets a %s at first', async (fault) => {
      const task = await taskOf(count)
      const seen = new Set<string>()
      const { heal } = strike(service.client, (_n, command) => {
        const isFirst = !seen.has(command)
        seen.add(command)
        return isFirst ? fault : undefined
      })
      const reply = await run(task)
      heal()
      expect(codeOf(reply)).toEqual([status, undefined])
      await auditTask(task, among)
      expect((await service.store.query({ hash: 'WORK' })).items).toEqual([])
    })

    // It goes the way of a removal of a hundred.
    if (name === 'remove 99') return
    it('happens wholly or not at all when the process dies after any write', async () => {
      for (let nth = 1; ; nth++) {
        const task = await taskOf(count)
        const before = members.slice(0, count)
        const { heal, isOver } = dieAfterWrite(service.client, nth)
        await run(task)
        heal()
        if (name.startsWith('remove')) await expectSeen(task, before, await auditTask(task, among))
        await w.later(service)
        const after = await auditTask(task, among)
        if (isOver()) break
        const whole = {
          finish: 3,
          open: 3,
          read: 3,
          'add one': 4,
          'add a hundred': 100,
          'remove one': 2,
          'remove a hundred': 2,
          'add a channel': 120,
        }[name]
        expect([before.length, whole], `after write ${nth}`).toContain(after.length)
        expect((await service.store.query({ hash: 'WORK' })).items).toEqual([])
      }
    })
  })

  /** Readers see all or none of what is being removed, whatever is in the table. */
  async function expectSeen(task: string, before: string[], now: string[]): Promise<void> {
    const { body } = await call('listTaskAssignments', {
      path: { task_id: task },
      query: { page_limit: 100 },
      as: 'author',
    })
    const seen = body.assignments.length + (body.pagination.has_more ? before.length - 100 : 0)
    if (now.length === before.length) return
    expect([before.length - 1, before.length - 100]).toContain(seen)
    const noted = now.filter((id) => !body.assignments.some(({ user_id }: Any) => user_id === id))
    for (const user of noted) {
      expect(codeOf(await w.finish(task, user))).toEqual([404, 'TASK_ASSIGNMENT_NOT_FOUND'])
      expect(codeOf(await w.removeOne(task, user))).toEqual([404, 'TASK_ASSIGNMENT_NOT_FOUND'])
      const own = await call('listOwnTaskAssignments', {
        query: { distribution_kind: 'RECEIVED', page_limit: 100 },
        as: user,
      })
      expect(own.body.assignments.map(({ task_id }: Any) => task_id)).not.toContain(task)
    }
    if (noted.length > 0) {
      expect((await w.summary(task))[0]).toBe(seen)
      const [back] = noted as [string]
      expect((await w.add(task, back)).body.total).toBe(seen + 1)
      expect((await w.removeOne(task, back)).status).toBe(204)
    }
  }

  it('a recipient who keeps losing gets an error', async () => {
    const task = await taskOf(3)
    const { heal } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') ? 'conflict' : undefined,
    )
    const reply = await withoutWaits(() => w.finish(task, 'm-0000'))
    heal()
    expect(codeOf(reply)).toEqual([409, 'TASK_ASSIGNMENT_CHANGE_CONFLICT'])
    await auditTask(task)
  })
})

describe('at the same time', () => {
  it('the last two recipients are taken away by two callers: one succeeds', async () => {
    for (let round = 0; round < 4; round++) {
      const task = await taskOf(2)
      const many = round % 2 === 0
      const remove = (user: string) => (many ? w.removeMany(task, [user]) : w.removeOne(task, user))
      const replies = await Promise.all([remove('m-0000'), remove('m-0001')])
      expect(replies.map(({ body }) => body?.error_code ?? 'gone').sort()).toEqual([
        'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION',
        'gone',
      ])
      expect(await auditTask(task)).toHaveLength(1)
    }
  })

  it('one recipient is added and taken away: an old count does not make them the last one', async () => {
    const task = await taskOf(1)
    const reply = await betweenReads(
      service,
      [
        (command, input) => command.startsWith('Query') && JSON.stringify(input).includes(`"TASK#${task}"`),
        (command, input) => command.startsWith('BatchGet') && JSON.stringify(input).includes('"USER#m-0001"'),
      ],
      () => w.add(task, 'm-0001'),
      () => w.removeMany(task, ['m-0001']),
    )
    expect(reply.status).toBe(200)
    expect(await auditTask(task)).toHaveLength(1)
    for (let n = 0; n < 12; n++) {
      const [, removed] = await Promise.all([w.add(task, 'm-0001'), w.removeOne(task, 'm-0001')])
      expect([204, 404]).toContain(removed.status)
      if (n % 2 === 0) await w.removeOne(task, 'm-0001')
    }
    await auditTask(task)
  })

  it('the last of a hundred is taken away by another call: the batch is not counted off', async () => {
    const task = await taskOf(150)
    const reply = await meanwhile(
      service,
      () => w.removeOne(task, members[99] ?? ''),
      () => w.removeMany(task, members.slice(0, 100)),
    )
    expect(codeOf(reply)).toEqual([404, 'TASK_ASSIGNMENT_NOT_FOUND'])
    expect((await w.summary(task))[0]).toBe(149)
    expect(await auditTask(task)).toHaveLength(149)
  })

  it.each<[string, (task: string) => Promise<Reply>]>([
    ['one', (task) => w.removeOne(task, members[140] ?? '')],
    ['two', (task) => w.removeMany(task, members.slice(140, 142))],
    ['one that goes along with the task', (task) => w.removeOne(task, members[0] ?? '')],
    ['a hundred', (task) => w.removeMany(task, members.slice(0, 100))],
    ['a hundred of the recipients who are left', (task) => w.removeMany(task, members.slice(98, 198))],
  ])('of a task that is deleted meanwhile %s cannot be removed, and the rest goes by itself', async (_what, remove) => {
    const task = await taskOf(200)
    const deletion = () => call('deleteTask', { path: { task_id: task }, as: 'author', timeLeft: 7_000 })
    const rest = async () => [await service.store.get(taskKey(task)), await assignmentsOf(task)]
    let left: unknown
    const reply = await meanwhile(
      service,
      async () => {
        expect((await deletion()).status).toBe(204)
        left = await rest()
      },
      () => remove(task),
    )
    expect(codeOf(reply)).toEqual([404, 'TASK_NOT_FOUND'])
    expect(await rest()).toEqual(left)
    await w.later(service)
    expect(await rest()).toEqual([undefined, []])
  })

  it('of batches that overlap each is whole or nothing', async () => {
    const task = await taskOf(190)
    const replies = await Promise.all([
      w.removeMany(task, members.slice(0, 100)),
      w.removeMany(task, members.slice(50, 150)),
      w.removeMany(task, members.slice(90, 190)),
      ...members.slice(40, 60).map((id) => w.finish(task, id)),
      w.addMany(task, members.slice(0, 60)),
    ])
    const outcomes = replies.slice(0, 3).map(codeOf)
    expect(outcomes.filter(([status]) => status === 200).length).toBeGreaterThan(0)
    for (const [status, code] of outcomes)
      expect([200, 'TASK_ASSIGNMENT_NOT_FOUND', 'UNKNOWN_TASK_ASSIGNMENT_ID']).toContain(status === 200 ? status : code)
    await auditTask(task)
  })

  it('a hundred recipients finish, and none of them waits for one item', async () => {
    const task = await taskOf(100)
    const perItem = new Map<string, number>()
    service.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (String(commandName).startsWith('TransactWrite'))
            for (const { Update } of (args.input as Any).TransactItems.filter((one: Any) => one.Update))
              perItem.set(JSON.stringify(Update.Key), (perItem.get(JSON.stringify(Update.Key)) ?? 0) + 1)
          return next(args)
        },
      { step: 'initialize', name: 'perItem' },
    )
    const replies = await Promise.all(members.slice(0, 100).map((id) => w.finish(task, id)))
    service.client.middlewareStack.remove('perItem')
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await w.summary(task)).toEqual([100, 0, 0, 100])
    // Each picks a shard at random: less than two on average.
    expect(Math.max(...perItem.values())).toBeLessThan(20)
    const shards = [...perItem.keys()].filter((key) => key.includes(`"TASK#${task}"`))
    expect(shards.length, 'shards of 64, used by 100').toBeGreaterThan(30)
    await auditTask(task, 100)
  })
})

describe('a large channel', () => {
  it('of five hundred members has all of them before the answer, each once', async () => {
    const task = await taskOf(3)
    const reply = await w.add(task, 'to-all', 'CHANNEL')
    expect([reply.status, ...w.numbers(reply.body)]).toEqual([201, MEMBERS, MEMBERS - 2, 1, 1])
    expect(await auditTask(task, MEMBERS)).toHaveLength(MEMBERS)
    expect((await w.add(task, 'to-all', 'CHANNEL')).status).toBe(200)
  })

  it('given twice at once, while others are taken away, has each member at most once', async () => {
    const task = await taskOf(3)
    const [first, second] = await Promise.all([
      w.add(task, 'to-some', 'CHANNEL'),
      w.add(task, 'to-some', 'CHANNEL'),
      w.removeOne(task, 'm-0001'),
      w.addMany(task, members.slice(60, 140)),
      w.finish(task, 'm-0000'),
    ])
    // The one that comes second may find that no user is missing any more.
    expect([first.status, second.status]).toContain(201)
    expect([200, 201]).toEqual(expect.arrayContaining([first.status, second.status]))
    const held = await auditTask(task)
    expect(held.length).toBeGreaterThanOrEqual(139)
    expect(held.length).toBeLessThanOrEqual(140)
    expect((await service.store.query({ hash: 'WORK' })).items).toEqual([])
  })
})

describe('a rename', () => {
  // More than the parts that are on their way at once take.
  it('reaches three hundred task assignments, also when the process dies after any of its calls', async () => {
    await w.newUser('famous', { last_name: 'Zzz' })
    await service.store.bulk(
      Array.from({ length: 300 }, (_, n) => w.task(`fan-${n}`)).flatMap((task) => [
        { put: taskItem(task, { count: 1, open: 0, finished: 0 }) },
        {
          put: taskAssignmentItem(
            task,
            { id: 'famous', last_name: 'Zzz' },
            { progress_status: 'NEW', created_at: at, updated_at: at },
          ),
        },
      ]),
    )
    for (const [name, last] of [
      ['Bbb', 8],
      ['Ccc', 1e9],
    ] as const) {
      const { heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await call('updateUser', { path: { user_id: 'famous' }, body: { last_name: name } })
      heal()
      const { last_name } = (await call('getUser', { path: { user_id: 'famous' } })).body
      await w.later(service)
      const { items } = await service.store.query({ hash: 'USER#famous', beginsWith: 'TA#' })
      expect(new Set(items.map((item) => String(item.found).slice(0, 4)))).toEqual(
        new Set([`0${last_name.toLowerCase()}`]),
      )
      expect(items).toHaveLength(300)
    }
    expect((await service.store.query({ hash: 'WORK' })).items).toEqual([])
  })

  it('takes along a task that the user is given between its read and its write', async () => {
    await w.newUser('busy', { last_name: 'Zzz' })
    const { data: before } = (await service.store.get(userKey('busy'))) as Any
    const reply = await meanwhile(
      service,
      () =>
        call('createTask', {
          as: 'author',
          body: { id: 'just-now', title: 'T', recipients: [{ type: 'USER', id: 'busy' }] },
        }),
      () => call('updateUser', { path: { user_id: 'busy' }, body: { last_name: 'Aaa' } }),
    )
    expect(reply.status).toBe(200)
    await w.later(service)
    const { found } = (await service.store.get(taskAssignmentKey('busy', 'just-now'))) as Any
    expect(found).toMatch(/^0aaa/)
    // The task has not changed the user's record, so nothing had to be read again.
    expect(((await service.store.get(userKey('busy'))) as Any).data.version).toBe(before.version + 1)
    expect((await service.store.query({ hash: 'WORK' })).items).toEqual([])
  })
})
