import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { groupAssignmentKey, isDeadlineItem } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { noteOnce, workEntry } from '../../domain/table/work.ts'
import { handler as finishWork } from '../../handlers/maintenance/finishWork.ts'
import { handler } from '../../handlers/maintenance/purge.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { type StoreFault, strike, withoutWaits } from '../harness/faults.ts'
import { groupRecord, ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { inSilence } from '../harness/silence.ts'

// What the schedule finishes has one mechanism, whatever kind of work it is.

const BEGIN = '2026-11-21T09:00:00.000Z'
let service: Service
let id = ''
let serial = 0
beforeAll(async () => {
  service = await startService({ indexes: { only: ['by_last_name'] } })
})
beforeEach(() => {
  service.setNow(BEGIN)
  service.logged()
  id = `w-${++serial}`
})

const minutes = (n: number, from = BEGIN) => new Date(Date.parse(from) + n * 60_000)
const entries = async () =>
  (await dump(service)).filter((item) => item.pk === 'WORK' || (item.pk === 'USERS' && isDeadlineItem(item)))
const run = (timeLeft: () => number = () => 60_000) => handler({}, { getRemainingTimeInMillis: timeLeft } as Any)
const title = [{ language: 'en-GB', text: 'Some group' }]

/** A group with one member, whose primary group it is. */
async function grouped(name: string): Promise<string> {
  await call('createGroup', { body: { id: `${name}-g`, title, parent_id: 'root' } })
  await person(name, `${name}-g`)
  return `${name}-g`
}
async function person(name: string, primary_user_group_id = 'all-users'): Promise<void> {
  const body = { id: name, username: name, first_name: 'Ann', last_name: name, primary_user_group_id }
  expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
}
/** Does what is asked for, but nothing that needs to find people: that is left to the schedule. */
async function leaving(work: () => Promise<Any>): Promise<void> {
  const { heal } = strike(service.client, (_n, _command, input) =>
    JSON.stringify(input).includes('by_last_name') ? 'refused' : undefined,
  )
  await work().finally(heal)
}

/** Kinds of work: how one is left to be done that needs a write to its user, when it is due, and how one sees it done. */
const kinds: Record<string, { plant: (name: string) => Promise<void>; isDone: (name: string) => Promise<boolean> }> = {
  archive: {
    plant: async (name) => {
      const path = { group_id: await grouped(name) }
      await leaving(() => call('archiveGroup', { path }))
    },
    isDone: async (name) =>
      (await call('getUser', { path: { user_id: name } })).body.primary_user_group.id === 'all-users',
  },
  delete: {
    plant: async (name) => {
      const path = { group_id: await grouped(name) }
      await call('createGroupAssignment', { path, body: { user_id: name, role_id: 'coach' } })
      await call('archiveGroup', { path })
      await leaving(() => call('deleteGroup', { path }))
    },
    isDone: async (name) => !(await service.store.get(groupAssignmentKey(name, `${name}-g`, 'coach'))),
  },
  rename: {
    plant: async (name) => {
      const path = { group_id: await grouped(name) }
      await call('createGroupAssignment', { path, body: { user_id: name, role_id: 'coach' } })
      const held = (await service.store.get(groupAssignmentKey(name, path.group_id, 'coach'))) as Item
      await service.store.bulk([{ put: { ...held, by_last_name: 'old' } }])
      await service.store.write([noteOnce(workEntry('rename', name, { version: 1 }, service.now().toISOString()))])
    },
    isDone: async (name) =>
      (await service.store.get(groupAssignmentKey(name, `${name}-g`, 'coach')))?.by_last_name !== 'old',
  },
  purge: {
    plant: async (name) => {
      await person(name)
      const now = service.now()
      service.setNow(new Date(now.getTime() - 14 * 24 * 3_600_000 + 60_000))
      await call('deleteUser', { path: { user_id: name } })
      service.setNow(now)
    },
    isDone: async (name) => !(await service.store.get({ pk: `USER#${name}`, sk: 'USER' })),
  },
}

describe.each(Object.entries(kinds))('%s', (kind, { plant, isDone }) => {
  it('that fails is logged, counts its attempts, is tried less and less often, and delays no other entry', async () => {
    const [bad, good] = [`${id}-bad`, `${id}-good`]
    await plant(bad)
    service.setNow(minutes(1 / 60))
    await plant(good)
    const isBad = (input: object) => JSON.stringify(input).includes(`"USER#${bad}"`)
    const { heal } = strike(service.client, (_n, command, input) =>
      command.startsWith('TransactWrite') && isBad(input) ? 'refused' : undefined,
    )
    const failures: Any[] = []
    service.measured()
    for (let minute = 1; minute < 35; minute++) {
      service.setNow(minutes(minute + 0.5))
      const summary = await run()
      const lines = service.logged().filter(({ attempts }) => attempts)
      expect(summary.failed).toBe(lines.length)
      failures.push(...lines.map((line) => ({ ...line, minute })))
      if (minute === 1) expect(await isDone(good)).toBe(true)
      // Told also while no attempt is made.
      const stuck = kind !== 'purge' && minute > 4 ? 1 : 0
      const told = service.measured().map(({ WorkStuck = 0 }) => WorkStuck)
      expect([minute, Math.max(...told)]).toEqual([minute, stuck])
    }
    heal()
    expect(failures.map(({ attempts, minute }) => [attempts, minute])).toEqual([
      ...Array.from({ length: 11 }, (_, n) => [n + 1, n + 1]),
      [12, 13],
      [13, 16],
      [14, 22],
      [15, 33],
    ])
    expect(failures[0]).toMatchObject({ level: 'error', endpoint: 'purge', fault: 'ValidationException' })
    expect(JSON.stringify(failures)).not.toContain(bad)
    expect(await isDone(bad)).toBe(false)
    service.setNow(minutes(66))
    expect(await run()).toMatchObject({ failed: 0, left: false })
    expect(await isDone(bad)).toBe(true)
    service.setNow(minutes(70))
    await run()
    expect(await entries()).toEqual([])
    await audit(service)
  })
})

describe('where time is short', () => {
  it('the longest due comes first, and the rest is done by the next run', async () => {
    // More than are done at once, in another order than their ids have.
    const names = ['f', 'e', 'd', 'c', 'b', 'a'].map((name) => `${id}-${name}`)
    for (const [n, name] of names.entries()) {
      service.setNow(minutes(n))
      await kinds.archive?.plant(name)
    }
    service.setNow(minutes(10))
    const done = async () => {
      const states = await Promise.all(names.map(async (name) => [name, await kinds.archive?.isDone(name)] as const))
      return states.flatMap(([name, isDone]) => (isDone ? [name] : []))
    }
    expect(await run(() => 19_000)).toMatchObject({ failed: 0, left: true })
    expect(await done()).toEqual([])
    // Time is up as soon as the first member has been moved on.
    let isMoved = false
    service.client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        isMoved ||= JSON.stringify(args.input).includes(`"USER#${names[0]}"`) && 'TransactItems' in args.input
        return answer
      },
      { step: 'initialize', name: 'watch' },
    )
    const one = { store: service.store, clock: service.now, log: () => {}, timeLeft: () => (isMoved ? 0 : 60_000) }
    expect(await finishOverdue(one)).toMatchObject({ failed: 0, left: true })
    service.client.middlewareStack.remove('watch')
    const first = await done()
    expect(first).toContain(names[0])
    expect(first).not.toContain(names[5])
    // What was put back is for the stream's worker first.
    service.setNow(minutes(10.5))
    expect(await run()).toMatchObject({ failed: 0, left: false })
    expect(await done()).toEqual(names)
    expect(await entries()).toEqual([])
    await audit(service)
  })

  it('an id is kept a minute from when its group is gone, not from when the run began', async () => {
    await call('createGroup', { body: { id, title, parent_id: 'root' } })
    const below = Array.from({ length: 30 }, (_, n) => ({ ...groupRecord(`${id}-${n}`), parent_id: id }))
    await service.store.bulk(below.flatMap(groupItems).map((put) => ({ put })))
    await call('archiveGroup', { path: { group_id: id } })
    let writes = 0
    const { heal } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') && ++writes === 1 ? 'death' : undefined,
    )
    await call('deleteGroup', { path: { group_id: id } }).finally(heal)
    const times = [minutes(5), minutes(5)]
    const clock = () => times.shift() ?? minutes(5.75)
    expect(await finishOverdue({ store: service.store, clock, log: () => {}, timeLeft: () => 60_000 })).toMatchObject({
      failed: 0,
      left: false,
    })
    const kept = (await entries()).filter(({ kept }) => kept === minutes(6.75).toISOString())
    expect(kept.map(({ sk }) => sk)).toContain(`group#${id}`)
    expect((await call('createGroup', { body: { id, title, parent_id: 'root' } })).body.error_code).toBe('DUPLICATE_ID')
    service.setNow(minutes(7))
    await run()
    expect(await entries()).toEqual([])
    await audit(service)
  })
})

describe('a database that cannot be asked', () => {
  const lines = () => service.logged().filter(({ endpoint }) => endpoint === 'purge')
  const cases: [StoreFault | 'silence', object][] = [
    ['throttle', { fault: 'StoreBusy', cause: 'ProvisionedThroughputExceededException' }],
    ['unreachable', { fault: 'StoreUnreachable', cause: 'ECONNREFUSED' }],
    ['lostAnswer', { fault: 'StoreUnreachable', cause: 'ECONNRESET' }],
    ['silence', { fault: 'StoreUnreachable', cause: 'OutOfTime' }],
  ]

  it.each(cases)('from the beginning (%s): the run ends with one line', async (fault, why) => {
    const struck = () => {
      const { heal } = strike(service.client, () => fault as StoreFault)
      return withoutWaits(run).finally(heal)
    }
    const summary = await (fault === 'silence' ? inSilence(() => run(() => 800)) : struck())
    const line = { level: 'error', endpoint: 'purge', purged: 0, failed: 0, left: true }
    expect(lines()).toEqual([expect.objectContaining({ ...line, stopped: 'checkLayout', ...why })])
    expect(summary).toMatchObject({ failed: 0, left: true })
  })

  it('half-way: its summary has what was done, and the next run does the rest', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `${id}-${n}`)
    for (const name of names) await kinds.purge?.plant(name)
    service.setNow(minutes(2))
    const { heal } = strike(service.client, (_n, command, input) =>
      command.startsWith('TransactWrite') && JSON.stringify(input).includes(`"USER#${names[9]}"`)
        ? 'throttle'
        : undefined,
    )
    const summary = await withoutWaits(run).finally(heal)
    const [line, ...others] = lines()
    expect(others).toEqual([])
    expect(line).toMatchObject({ level: 'error', failed: 0, left: true, purged: summary.purged })
    expect(line).toMatchObject({ stopped: 'purgeUsers', work: 'purge', fault: 'StoreBusy' })
    expect(summary.purged).toBeLessThan(12)
    expect(JSON.stringify(line)).not.toContain(id)
    service.setNow(minutes(10))
    const rest = await run()
    expect(rest).toEqual({ purged: 12 - summary.purged, expiring: 0, failed: 0, left: false })
    await audit(service)
  })
})

describe('work of a kind that only a later version knows', () => {
  it.each(['the schedule', 'the worker of the stream'])('does not hold up other work: %s', async (worker) => {
    const unknown = { pk: 'WORK', sk: `later#${id}`, kind: 'later', taker: 'STREAM', due: BEGIN, left: 5 }
    await service.store.bulk([{ put: unknown }])
    onTestFinished(() => service.store.bulk([{ delete: { pk: 'WORK', sk: unknown.sk } }]))
    await kinds.archive?.plant(id)
    const noted = (await entries()).filter(({ pk, sk }) => pk === 'WORK' && sk.includes(id))
    expect(noted).toHaveLength(2)
    service.setNow(minutes(2))
    service.logged()
    if (worker === 'the schedule') expect(await run()).toMatchObject({ failed: 0, left: false })
    else {
      const Records = noted.map(({ pk, sk }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }))
      await finishWork({ Records } as never, { getRemainingTimeInMillis: () => 60_000 } as never)
    }
    expect(await kinds.archive?.isDone(id)).toBe(true)
    expect(await service.store.get({ pk: 'WORK', sk: unknown.sk })).toEqual(unknown)
    const told = service.logged().filter(({ fault }) => fault)
    const line = { level: 'error', endpoint: 'purge', work: 'later', entries: 1, fault: 'unknown kind of work' }
    expect(told).toEqual(worker === 'the schedule' ? [expect.objectContaining(line)] : [])
  })
})
