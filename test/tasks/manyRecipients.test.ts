import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { finishHandedOver, finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { type UserRecord, users as userRecords } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'
import {
  groupAssignmentKey,
  groupCountKey,
  groupList,
  roleCount,
  taskAssignmentKey,
  userOfRow,
  workKey,
} from '../../domain/table/keys.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import type { Store } from '../../domain/table/store.ts'
import type { Entry } from '../../domain/table/workKinds.ts'
import { addNoted, noteRecipients } from '../../domain/tasks/addRecipients.ts'
import { createTask } from '../../domain/tasks/createTask.ts'
import { doWorkOfCalls } from '../../domain/work/workOfCalls.ts'

import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { groupRecord, people, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

// More recipients than one transaction can note. Nearly all of them are known to those lists only that say who is to get
// a task: the table has a few of them, and treats the others as gone for good.

const PER_ENTRY = 490
const strangers = (count: number) => Array.from({ length: count }, (_, n) => `s-${n}`)
const known = Array.from({ length: 30 }, (_, n) => `k-${n}`)
const changing = Array.from({ length: 13 }, (_, n) => `r-${n}`)

let service: Service
beforeAll(async () => {
  service = await startService({
    users: [
      ...people,
      ...['author', 'first', 'last', ...known, ...changing].map((id) => ({ id, username: id, last_name: id })),
    ],
  })
})

const works = async () => (await readAllWork(service.store)) as Entry<'recipients'>[]
const work = (timeLeft = 60_000) => ({
  store: service.store,
  now: service.now().toISOString(),
  clock: service.now,
  timeLeft: () => timeLeft,
})
const later = () =>
  finishOverdue({ ...work(), clock: () => new Date(service.now().getTime() + 300_000), log: () => {} })
const emptied = async () => service.store.bulk((await works()).map(({ pk, sk }) => ({ delete: { pk, sk } })))
const entryOf = async (user: string) => (await works()).find(({ users }) => users.includes(user)) as Entry<'recipients'>
const total = async (task: string) => (await w.summary(task))[0]
const has = async (user: string, task: string) => (await w.read(task, user)).status === 200

/** Lets the process die after its nth write, if it gets so far. */
async function dyingAfter<T>(nth: number, run: () => Promise<T>): Promise<T | undefined> {
  let writes = 0
  const { heal } = strike(service.client, (_n, command) =>
    command.startsWith('TransactWrite') && ++writes === nth ? 'death' : undefined,
  )
  const answer = await run().catch(() => undefined)
  heal()
  return answer
}

describe('recipients who are added', () => {
  /** A task that somebody has, and more users who are to get it than one transaction has room for. */
  async function adding(id: string) {
    await w.newTask(service.store, { id }, { [known[0] as string]: 'NEW' })
    const userIds = ['first', ...strangers(90 * PER_ENTRY - 1), 'last']
    return () => noteRecipients(service.store, { task: w.task(id), userIds, now: work().now, id: randomUUID() })
  }

  it('are noted not at all, when the process dies half-way, or all together', async () => {
    const note = await adding('noted')
    await dyingAfter(1, note)
    expect((await works()).length).toBeGreaterThan(0)
    await later()
    expect(await works()).toEqual([])
    expect(await total('noted')).toBe(1)

    expect(await dyingAfter(2, note), 'it has died after its last write').toBeUndefined()
    const entries = await works()
    expect(entries).toHaveLength(91)
    for (const user of ['first', 'last'])
      await addNoted(work(), entries.find(({ users }) => users.includes(user)) as Entry<'recipients'>)
    expect(await total('noted')).toBe(3)
    expect([await has('first', 'noted'), await has('last', 'noted')]).toEqual([true, true])
    await emptied()
  })

  it.each([1000, 1001])('are added by the call up to a thousand, else by a worker: %i', async (count) => {
    const id = `for-${count}`
    await w.newTask(service.store, { id }, { [known[0] as string]: 'NEW' })
    const userIds = ['first', ...strangers(count - 2), 'last']
    const addition = { task: w.task(id), userIds, now: work().now, id: randomUUID() }
    const entries = await noteRecipients(service.store, addition)
    await doWorkOfCalls(work(), entries, addNoted)
    const isOwn = count === 1000
    expect(await total(id)).toBe(isOwn ? 3 : 1)
    expect((await works()).map(({ taker }) => taker)).toEqual(isOwn ? [] : ['STREAM', 'WORKER', 'WORKER'])
    // The schedule leaves it to the stream.
    await finishOverdue({ ...work(), log: () => {} })
    expect(await total(id)).toBe(isOwn ? 3 : 1)
    await finishHandedOver({ ...work(), log: () => {} }, entries.slice(0, 1))
    expect(await works()).toEqual([])
    expect(await total(id)).toBe(3)
  })
})

describe('recipients who are still noted', () => {
  const give = (task_id: string, user_ids: readonly string[]) =>
    call('addTaskAssignments', { path: { task_id }, body: { user_ids }, as: 'author' })
  const note = (id: string, userIds: readonly string[]) =>
    noteRecipients(service.store, { task: w.task(id), userIds, now: work().now, id: randomUUID() })
  const told = async (record_id: string): Promise<string[][]> => {
    const query = { record_kind: 'task', record_id, sort: 'TIME_ASC' }
    return (await call('listEvents', { query })).body.events.map(({ changes: [{ after }] }: Any) => after)
  }
  const whole = (total: number) => ({ state: 'DONE', total, done: total })

  it.each(['before', 'meanwhile'])(
    'are not given the task twice; a call takes up what another one left: %s',
    async (when) => {
      const id = `noted-${when}`
      await w.newTask(service.store, { id }, { first: 'NEW' })
      const users = known.slice(0, 20)
      const noting = () => note(id, users)
      const again = () => give(id, [...users, 'first'])
      if (when === 'before') await noting()
      const { status, body } = when === 'before' ? await again() : await meanwhile(service, noting, again)
      expect([status, body.distribution]).toEqual([200, whole(21)])
      expect(await works()).toEqual([])
      expect(await told(id)).toEqual([users])
    },
  )

  it('are left to the worker where they are many; others get the task at once', async () => {
    await w.newTask(service.store, { id: 'noted-many' }, { first: 'NEW' })
    const users = ['last', ...strangers(1000)]
    await note('noted-many', users)
    const running = { state: 'RUNNING', total: 1002, done: 1 }
    expect(await give('noted-many', ['last', 'first'])).toMatchObject({ status: 200, body: { distribution: running } })
    const more = await give('noted-many', ['last', 'r-0'])
    expect([more.status, more.body.distribution]).toEqual([201, { ...running, total: 1003, done: 2 }])
    expect(await told('noted-many')).toEqual([users, ['r-0']])
    await finishHandedOver({ ...work(), log: () => {} }, (await works()).slice(0, 1))
    expect([await works(), await total('noted-many')]).toEqual([[], 3])
  })
})

describe('users who change while they are given a task', () => {
  const rename = async (id: string, last_name: string) => {
    expect((await call('updateUser', { path: { user_id: id }, body: { last_name } })).status).toBe(200)
    // Its work sees only what is there by now.
    await finishHandedOver({ ...work(), log: () => {} }, [workKey('rename', id)])
  }
  /** What happens to the user, and where their assignment is then. */
  const changes: Record<string, [(id: string, task: string) => Promise<unknown>, RegExp?]> = {
    'they are renamed': [(id) => rename(id, 'Newname'), /^0newname/],
    'they are purged': [
      async (id) => {
        const now = service.now()
        await call('deleteUser', { path: { user_id: id } })
        service.setNow(new Date(now.getTime() + 40 * 86_400_000))
        expect(await w.purge(service)).toMatchObject({ purged: 1 })
        service.setNow(now)
      },
      /^1/,
    ],
    'the author takes the task away': [async (id, task) => expect((await w.removeOne(task, id)).status).toBe(204)],
  }
  const late = () => {
    let looks = 0
    return { ...work(), timeLeft: () => (looks++ === 0 ? 60_000 : 0) }
  }
  const add = async (task: string) => addNoted(work(), await of(task))
  const of = async (task: string) => (await works()).find((entry) => entry.task === task) as Entry<'recipients'>

  /** When that happens: the change comes between what a worker has read and its nth write. */
  type Change = () => Promise<unknown>
  const moments: Record<string, (task: string, id: string, change: Change) => Promise<unknown>> = {
    'before they get it': (task, _id, change) => meanwhile(service, change, () => add(task)),
    'before the entry ends': (task, _id, change) => meanwhile(service, change, () => add(task), 2),
    'before they get it from a worker that dies after that': async (task, _id, change) => {
      const entry = await of(task)
      await meanwhile(service, change, () => addNoted(late(), entry))
      expect(await of(task)).toMatchObject({ left: 0 })
      await add(task)
    },
    'before their assignment is put right': async (task, id, change) => {
      await meanwhile(
        service,
        () => rename(id, 'Between'),
        async () => addNoted(late(), await of(task)),
      )
      await meanwhile(service, change, () => add(task))
    },
    'after another worker was faster': (task, _id, change) =>
      meanwhile(
        service,
        async () => {
          await add(task)
          await change()
        },
        () => add(task),
      ),
  }
  const isEarly = (what: string, when: string) => what.includes('author') && when.startsWith('before they get')
  const cases = Object.keys(changes)
    .flatMap((what) => Object.keys(moments).map((when) => [what, when] as const))
    .filter(([what, when]) => !isEarly(what, when))

  it.each(cases.map((names, n) => [...names, n] as const))('%s %s', async (what, when, n) => {
    const [[change, place], user, task] = [changes[what] as Any, String(changing[n]), `race-${n}`]
    await w.newTask(service.store, { id: task }, { [known[0] as string]: 'NEW' })
    await noteRecipients(service.store, { task: w.task(task), userIds: ['first', user], now: work().now, id: task })
    await moments[when]?.(task, user, () => change(user, task))
    expect(await works()).toEqual([])
    const [item, other] = await Promise.all(
      [user, 'first'].map((one) => service.store.get(taskAssignmentKey(one, task))),
    )
    if (place) expect(item?.['found']).toMatch(place)
    else expect(item).toBeUndefined()
    expect(other?.['found']).toMatch(/^0first/)
    expect(item?.['list'] === undefined).toBe(what !== 'they are renamed')
    expect(await total(task)).toBe(place ? 3 : 2)
  })
})

describe('a task for a channel of more than 17,000 members', () => {
  const at = '2026-10-01T00:00:00.000Z'
  const membership = { group: 'large', role: 'coach', source: 'MANUAL' } as const
  const members = [...known, ...strangers(36 * PER_ENTRY), 'last']
  const records = new Map(members.map((id) => [id, userRecord({ id, username: id, last_name: id }, at)]))
  beforeAll(async () => {
    const counted = { ...groupCountKey('large', 0), [roleCount('coach')]: members.length }
    await service.store.bulk([...groupItems(groupRecord('large')), counted].map((put) => ({ put })))
    await w.newChannel(service.store, 'to-all', { owner: 'author', groups: ['large'] })
  })

  /** The table, and in it the members of the channel as far as somebody asks who they are. */
  const crowded = (): Store => ({
    ...service.store,
    query: async (range) => {
      if (range.index !== 'by_last_name' || range.hash !== groupList('large', 'coach'))
        return service.store.query(range)
      return { items: members.map((id) => groupAssignmentKey(id, 'large', 'coach')), count: members.length }
    },
    get: async (key) => {
      const user = records.get(userOfRow(key)) as UserRecord
      if (!user || known.includes(user.id) || user.id === 'last') {
        const isMembership = key.sk === groupAssignmentKey('', 'large', 'coach').sk
        return isMembership && user ? groupAssignmentItem(user, membership) : service.store.get(key)
      }
      return key.sk === 'USER' ? itemOf(userRecords, user) : groupAssignmentItem(user, membership)
    },
  })
  const create = (id: string) => {
    const context = { ...work(0), store: crowded(), newId: randomUUID, actorId: 'author', shard: 0 }
    return createTask(
      context as Any,
      { body: { id, title: 'T', recipients: [{ id: 'to-all', type: 'CHANNEL' }] } } as Any,
    )
  }
  /** The users that the noted work names, each once. */
  const noted = async () => new Set((await works()).flatMap(({ users }) => users)).size

  it('is created not at all, when the process dies half-way, or with notes of all of them', async () => {
    await dyingAfter(1, () => create('whole'))
    expect(await noted()).toBe(1)
    expect((await w.read('whole', 'author')).status).toBe(404)
    await later()
    expect(await works()).toEqual([])

    const { status, body } = await create('whole')
    expect([status, (body as Any).assignment_summary.total]).toEqual([201, 30])
    expect([(await works()).length, await noted()]).toEqual([37, members.length - 30])
    await addNoted(work(), await entryOf('last'))
    expect(await total('whole')).toBe(31)
    await emptied()
  })
})
