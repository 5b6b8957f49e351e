import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { groupItems } from '../../domain/groups/group.ts'
import { groupAssignmentItem } from '../../domain/groups/groupAssignment.ts'
import { beginAdding, finishAdding } from '../../domain/jobs/addRecipients.ts'
import { finishWork, takeOver } from '../../domain/jobs/finishWork.ts'
import { groupAssignmentKey, groupCountKey, roleCount, userOfRow } from '../../domain/table/keys.ts'
import { doOwn } from '../../domain/table/leases.ts'
import { groupList } from '../../domain/table/places.ts'
import type { Store } from '../../domain/table/store.ts'
import { type Entry, readAllWork } from '../../domain/table/work.ts'
import { createTask } from '../../domain/tasks/createTask.ts'
import { type UserRecord, users as userRecords } from '../../domain/users/user.ts'
import type { Any } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { groupRecord, people, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

// More recipients than one transaction can note. Nearly all of them are known to those lists only that say who is to get
// a task: the table has a few of them, and treats the others as gone for good.

const PER_ENTRY = 480
const strangers = (count: number) => Array.from({ length: count }, (_, n) => `s-${n}`)
const known = Array.from({ length: 30 }, (_, n) => `k-${n}`)

let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...['author', 'first', 'last', ...known].map((id) => ({ id, username: id, last_name: id }))],
  })
})

const works = async () => (await readAllWork(service.store)) as Entry<'recipients'>[]
const work = (timeLeft = 60_000) => ({
  store: service.store,
  now: service.now().toISOString(),
  clock: service.now,
  timeLeft: () => timeLeft,
})
const later = () => finishWork({ ...work(), clock: () => new Date(service.now().getTime() + 300_000), log: () => {} })
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
    const users = ['first', ...strangers(90 * PER_ENTRY - 1), 'last']
    return () => beginAdding(service.store, { task: w.task(id), users, now: work().now, id: randomUUID() })
  }

  it('are noted all together', async () => {
    const entries = await (await adding('noted'))()
    expect(entries).toHaveLength(91)
    expect((await works()).length).toBe(91)
    for (const user of ['first', 'last']) await finishAdding(work(), await entryOf(user))
    expect(await total('noted')).toBe(3)
    expect([await has('first', 'noted'), await has('last', 'noted')]).toEqual([true, true])
    await emptied()
  })

  it('or not at all, when the process dies half-way', async () => {
    const begin = await adding('half')
    await dyingAfter(1, begin)
    expect((await works()).length).toBeGreaterThan(0)
    await later()
    expect(await works()).toEqual([])
    expect(await total('half')).toBe(1)
    const again = await dyingAfter(2, begin)
    expect(again).toBeUndefined()
    for (const user of ['first', 'last']) await finishAdding(work(), await entryOf(user))
    expect(await total('half')).toBe(3)
    await emptied()
  })

  it.each([1000, 1001])('are added by the call up to a thousand, else by a worker: %i', async (count) => {
    const id = `for-${count}`
    await w.newTask(service.store, { id }, { [known[0] as string]: 'NEW' })
    const users = ['first', ...strangers(count - 2), 'last']
    const addition = { task: w.task(id), users, now: work().now, id: randomUUID() }
    const entries = await beginAdding(service.store, addition)
    await doOwn(work(), entries, finishAdding)
    const isOwn = count === 1000
    expect(await total(id)).toBe(isOwn ? 3 : 1)
    expect((await works()).map(({ taker }) => taker)).toEqual(isOwn ? [] : ['STREAM', 'WORKER', 'WORKER'])
    // The schedule leaves it to the stream.
    await finishWork({ ...work(), log: () => {} })
    expect(await total(id)).toBe(isOwn ? 3 : 1)
    await takeOver({ ...work(), log: () => {} }, entries.slice(0, 1))
    expect(await works()).toEqual([])
    expect(await total(id)).toBe(3)
  })
})

describe('a task for a channel of more than 17,000 members', () => {
  const at = '2026-10-01T00:00:00.000Z'
  const membership = { group: 'large', role: 'coach', source: 'MANUAL' } as const
  const members = [...known, ...strangers(37 * PER_ENTRY), 'last']
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
      return key.sk === 'USER' ? userRecords.item(user) : groupAssignmentItem(user, membership)
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

  it('is created with notes of all of them', async () => {
    const { status, body } = await create('whole')
    expect([status, (body as Any).assignment_summary.total]).toEqual([201, 30])
    expect([(await works()).length, await noted()]).toEqual([38, members.length - 30])
    await finishAdding(work(), await entryOf('last'))
    expect(await total('whole')).toBe(31)
    await emptied()
  })

  it('or not at all, when the process dies half-way', async () => {
    await dyingAfter(1, () => create('half-way'))
    expect(await noted()).toBe(1)
    expect((await w.read('half-way', 'author')).status).toBe(404)
    await later()
    expect(await works()).toEqual([])
    await dyingAfter(2, () => create('half-way'))
    expect(await noted()).toBe(members.length - 30)
    await finishAdding(work(), await entryOf('last'))
    expect(await total('half-way')).toBe(31)
    await emptied()
  })
})
