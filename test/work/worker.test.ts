import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { finishHandedOver, finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { recipientsOf } from '../../domain/table/keys.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import type { Entry } from '../../domain/table/workKinds.ts'
import { noteRecipients } from '../../domain/tasks/addRecipients.ts'
import { readTask } from '../../domain/tasks/task.ts'
import type { WorkerContext } from '../../domain/work/workThrough.ts'
import { handler } from '../../handlers/maintenance/finishWork.ts'
import { startWorker, type Worker } from '../../local/start/workerLoop.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite, strike, withoutWaits } from '../harness/faults.ts'
import { loadDirectory } from '../harness/manyUsers.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { handedOver } from '../plans/plans.ts'
import * as w from '../tasks/work.ts'

// The worker does at once what calls leave: here the local one, which looks at the table. stream.test.ts is about the stream.

const BEGIN = '2026-11-21T09:00:00.000Z'
// More than a call is left to do by itself.
const crowd = Array.from({ length: 1_060 }, (_, n) => `c-${n}`)
// More than one transaction takes, and more than a call begins with where it has no time.
const hundred = crowd.slice(0, 100)
const few = crowd.slice(0, 60)

let service: Service
/** With a hundred users besides the author: it is audited again and again. */
let small: Service
/** With the whole crowd. */
let large: Service
let id = ''
let serial = 0
beforeAll(async () => {
  const author = { id: 'author' }
  small = await startService({
    users: [...people, author, ...hundred.map((one) => ({ id: one }))],
    indexes: ['by_username_or_change', 'by_id'],
  })
  large = await startService({ users: [...people, author] })
  const users = crowd.map((one) => ({ id: one, username: one, first_name: 'C', last_name: one }))
  await loadDirectory(large.store, { users }, { now: BEGIN })
})
const use = (one: Service): void => {
  service = one
  service.activate()
  service.setNow(BEGIN)
  service.logged()
  id = `t-${++serial}`
}
beforeEach(() => use(small))
let worker: Worker | undefined
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})

const startLooking = () => {
  worker = startWorker()
}
const seconds = (n: number) => new Date(Date.parse(BEGIN) + n * 1000)
const works = async () => (await readAllWork(service.store)) as Entry<'recipients'>[]
const context = (parts: Partial<WorkerContext> = {}): WorkerContext => ({
  store: service.store,
  clock: service.now,
  timeLeft: () => 60_000,
  log: () => {},
  ...parts,
})
/** A call that has no time for anything but what it must do. */
const hurried = (name: string, request: object) => call(name, { ...request, as: 'author', timeLeft: 7000 })
const created = (users: readonly string[]) => ({
  body: { id, title: 'T', recipients: users.map((one) => ({ id: one, type: 'USER' })) },
})
const task = async () => (await w.read(id, 'author')).body
const assigned = async () => (await service.store.query(recipientsOf(id))).items.length
/** A task of one user that is being given to many others, which is left to the stream's worker. */
async function givenTo(userIds: readonly string[]) {
  await w.newTask(service.store, { id }, { 'c-0': 'NEW' })
  return noteRecipients(service.store, { task: w.task(id), userIds, now: BEGIN, id: `${id}-work` })
}

/** Each write waits until the test has looked again, so the test sees the work at many points. */
function eachWriteAfterALook(looks: () => number): () => void {
  let [last, isOver] = [looks(), false]
  service.client.middlewareStack.add(
    (next, context) => async (args) => {
      if (String(context['commandName']).startsWith('TransactWrite')) {
        while (!isOver && looks() === last) await wait(5)
        last = looks()
      }
      return next(args)
    },
    { step: 'initialize', name: 'eachWriteAfterALook' },
  )
  return () => {
    isOver = true
    service.client.middlewareStack.remove('eachWriteAfterALook')
  }
}

describe('a task that is still being given to others', () => {
  it('is not finished, even if all who have it have finished', async () => {
    await hurried('createTask', created(few))
    const finish = (users: readonly string[]) => Promise.all(users.map((user) => w.finish(id, user)))
    await finish(few.slice(0, 30))
    expect(await task()).toMatchObject({ progress_status: 'IN_PROGRESS', distribution: { state: 'RUNNING', done: 30 } })
    const finished = async (as: string) =>
      (await call('listTasks', { query: 'progress_status=FINISHED&distribution_kind=DISTRIBUTED', as })).body.tasks
    expect(await finished('author')).toEqual([])
    await finishHandedOver(context(), await works())
    expect(await task()).toMatchObject({
      progress_status: 'IN_PROGRESS',
      distribution: { state: 'DONE', done: few.length },
    })
    await finish(few.slice(30))
    expect(await task()).toMatchObject({
      progress_status: 'FINISHED',
      distribution: { state: 'DONE', done: few.length },
    })
  })
})

describe('a worker', () => {
  it('that dies after any of its calls has lost no user, and given no user the task twice', async () => {
    for (let n = 1; ; n++) {
      id = `t-${++serial}`
      await hurried('createTask', created(few))
      const entries = await works()
      const { calls, heal } = strike(service.client, (call) => (call === n ? 'death' : undefined))
      await finishHandedOver(context(), entries).catch(() => undefined)
      heal()
      await audit(service)
      if (calls.count < n) break
      // Somebody else takes it up as soon as the lease is over.
      service.setNow(seconds(11))
      await finishOverdue(context())
      expect((await task()).distribution, `after call ${n}`).toEqual({
        state: 'DONE',
        total: few.length,
        done: few.length,
      })
      expect(await works()).toEqual([])
      service.setNow(BEGIN)
    }
    await audit(service)
  })

  it('is alone at an entry, although two hear of it', async () => {
    use(large)
    const entries = await givenTo(crowd.slice(1))
    let writes = 0
    const { heal } = strike(service.client, (_n, command) => {
      if (command.startsWith('TransactWrite')) writes++
      return undefined
    })
    await Promise.all([1, 2, 3].map(() => finishHandedOver(context(), entries))).finally(heal)
    expect(await assigned()).toBe(crowd.length)
    // 1,059 users in steps of 98, entries of 490: 11 steps, three entries to take up and to end, and two workers that find
    // them taken.
    expect(writes).toBeLessThanOrEqual(11 + 3 + 3 + 2)
  })

  it('does no step twice, even where two are at it', async () => {
    const [first] = await givenTo(few.slice(1))
    const taken = { ...first, taker: 'WORKER', attempts: 1, due: seconds(-1).toISOString() }
    await service.store.bulk([{ put: taken as Any }])
    // The lease of the first one ends while it is at it.
    await meanwhile(
      service,
      async () => {
        service.setNow(seconds(20))
        await finishOverdue(context())
      },
      () => finishOverdue(context()),
      3,
    )
    await finishOverdue(context({ clock: () => seconds(60) }))
    expect(await assigned()).toBe(few.length)
    await audit(service)
    expect(await works()).toEqual([])
  })

  it('whose time is over hands over to itself', async () => {
    use(large)
    await givenTo(crowd.slice(1))
    let looks = 0
    for (let runs = 1; (await works()).length > 0; runs++) {
      expect(runs).toBeLessThan(40)
      const left = 4 * runs
      looks = 0
      await finishHandedOver(
        context({ timeLeft: () => (looks++ < left ? 60_000 : 0) }),
        (await works()).filter(({ taker }) => taker === 'STREAM'),
      )
    }
    expect(await assigned()).toBe(crowd.length)
  })

  it('lets work that fails wait, and does what comes after it', async () => {
    use(large)
    const entries = await givenTo(crowd.slice(1))
    const [poison] = entries as [Entry<'recipients'>]
    await service.store.bulk([{ put: { ...poison, users: 'none' } as Any }])
    const lines: Any[] = []
    const log = (line: object) => void lines.push(line)
    await finishHandedOver(context({ log }), entries)
    expect(await assigned()).toBe(crowd.length - 490)
    expect(lines).toMatchObject([{ work: 'recipients', attempts: 1 }])
    expect(await works()).toMatchObject([{ sk: poison.sk, attempts: 1 }])
    await service.store.bulk([{ put: poison }])
    service.setNow(seconds(11))
    await finishOverdue(context())
    expect(await assigned()).toBe(crowd.length)
  })

  it('goes on with what another call adds to its turn meanwhile', async () => {
    use(large)
    const entries = await givenTo(crowd.slice(1, 30))
    await service.store.bulk([{ put: { ...entries[0], taker: 'STREAM' } as Any }])
    await meanwhile(
      service,
      async () => {
        const more = { task: w.task(id), userIds: crowd.slice(30), now: BEGIN, id: `${id}-more` }
        await noteRecipients(service.store, more, (await readTask(service.store, id))?.last)
      },
      () => finishHandedOver(context(), entries),
      2,
    )
    expect(await works()).toEqual([])
    expect(await assigned()).toBe(crowd.length)
  })

  it('does not fail, whatever happens: the stream would send everything again', async () => {
    const keys = { pk: { S: 'WORK' }, sk: { S: 'recipients#x#y' } }
    const event = { Records: [{ dynamodb: { Keys: keys } }, {}] } as Any
    const lambda = { getRemainingTimeInMillis: () => 15_000 } as Any
    await handler(event, lambda)
    expect(service.logged()).toEqual([{ endpoint: 'finishWork', level: 'info', failed: 0, left: false }])
    for (const fault of ['unreachable', 'refused'] as const) {
      const { heal } = strike(service.client, () => fault)
      await withoutWaits(() => handler(event, lambda)).finally(heal)
      expect(service.logged()).toMatchObject([{ endpoint: 'finishWork', level: 'error', left: true }])
    }
  })

  it('may do exactly what it does', async () => {
    const group = { group_id: 'sales' }
    await call('updateUser', { path: { user_id: 'c-1' }, body: { primary_user_group_id: 'sales' } })
    await call('createTask', { ...created(hundred), as: 'author' })
    await hurried('updateTask', {
      path: { task_id: id },
      body: { due_at: { due_at_type: 'DATE', date: '2027-03-01' } },
    })
    id = `t-${++serial}`
    await hurried('createTask', created(hundred))
    const { heal } = strike(service.client, (_n, command) => (command.startsWith('Query') ? 'throttle' : undefined))
    await call('archiveGroup', { path: group }).finally(heal)
    // The first rule of an organisation is applied by a worker.
    await call('createGroup', { body: { id: 'crew', title: [{ language: 'en-GB', text: 'Crew' }], parent_id: 'root' } })
    const conditions = [{ field: 'TAG', operator: 'IS_SET' }]
    await call('createRule', { body: { title: 'Tags', user_group_id: 'crew', role_id: 'coach', conditions } })
    // A plan ended a month ago, and a worker has died while it looked at everybody for another one.
    const plan = { kind: 'SELECTION', select: { all: true }, change: { action: 'LOCK' } }
    service.setNow('2026-10-20T09:00:00.000Z')
    const old = (await call('createPlan', { body: plan })).body.id
    await handler(...handedOver(old))
    await call('cancelPlan', { path: { plan_id: old } })
    service.setNow('2026-11-21T09:04:00.000Z')
    const { id: half } = (await call('createPlan', { body: plan })).body
    const dead = dieAfterWrite(service.client, 2)
    await handler(...handedOver(half))
    dead.heal()
    service.setNow('2026-11-21T09:05:00.000Z')
    const Records = (await works()).map(({ pk, sk }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }))
    expect(Records.length).toBeGreaterThan(2)
    const { used } = await usedBy(() => handler({ Records } as Any, { getRemainingTimeInMillis: () => 60_000 } as Any))
    expect((await works()).map(({ kind }) => kind)).toEqual(['plan'])
    // It writes the layout only in a migration.
    const allowed = allowedTo('finishWork').filter((one) => !one.endsWith(' layout'))
    expect(allowed.sort()).toEqual(used)
    // Other tests find no work.
    await call('cancelPlan', { path: { plan_id: half } })
    service.setNow('2026-12-25T09:00:00.000Z')
    await handler(...handedOver(half))
    service.setNow('2026-11-21T09:05:00.000Z')
  })
})

it('the local worker says at what it failed, and why', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { heal } = strike(service.client, () => 'refused')
  onTestFinished(heal)
  startLooking()
  const lines = () => said.mock.calls.map(([line]) => String(line))
  await expect
    .poll(lines)
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^The worker failed while it looked for work: Not like this .*"fault":"ValidationException"/,
        ),
        expect.stringMatching(
          /^The worker failed while it did what is overdue: Not like this .*"fault":"ValidationException"/,
        ),
      ]),
    )
})

describe('what a call hands over', () => {
  it('is done at once', async () => {
    startLooking()
    const { status, body } = await hurried('createTask', created(hundred))
    expect([status, body.distribution]).toEqual([201, { state: 'RUNNING', total: hundred.length, done: 30 }])
    await expect.poll(works).toEqual([])
    expect((await task()).distribution).toEqual({ state: 'DONE', total: hundred.length, done: hundred.length })
    const due_at = { due_at_type: 'DATE', date: '2027-03-01' }
    expect((await hurried('updateTask', { path: { task_id: id }, body: { due_at } })).status).toBe(200)
    await expect.poll(works).toEqual([])
    await audit(service)
    expect((await hurried('deleteTask', { path: { task_id: id } })).status).toBe(204)
    await expect.poll(works).toEqual([])
    await audit(service)
    const lines = service.logged().filter(({ endpoint }) => endpoint === 'finishWork')
    expect(lines.length).toBeGreaterThanOrEqual(3)
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
  })

  it('and what is too much for a call from the beginning; the task says how far it is at every moment', async () => {
    use(large)
    startLooking()
    await givenTo(crowd.slice(1))
    const seen = new Set<number>()
    let looks = 0
    const stopPacing = eachWriteAfterALook(() => looks)
    try {
      for (let isRunning = true; isRunning; looks++) {
        const before = await assigned()
        const { distribution, assignment_summary: summary } = await task()
        expect(summary.distribution).toEqual(distribution)
        expect(distribution.total).toBe(crowd.length)
        expect(distribution.done).toBe(summary.total)
        expect(w.numbers(summary)).toEqual([summary.total, summary.total, 0, 0])
        expect(before).toBeLessThanOrEqual(summary.total)
        expect(summary.total).toBeLessThanOrEqual(await assigned())
        seen.add(summary.total)
        isRunning = distribution.state === 'RUNNING'
        expect(isRunning).toBe(summary.total < crowd.length)
      }
    } finally {
      stopPacing()
    }
    expect(seen.size).toBeGreaterThan(2)
    await expect.poll(works).toEqual([])
  })

  it('is done by the worker alone, which one call of the schedule leaves to it', async () => {
    use(large)
    await givenTo(crowd.slice(1))
    await finishOverdue(context())
    expect(await assigned()).toBe(1)
    service.setNow(seconds(11))
    await finishOverdue(context())
    expect(await assigned()).toBe(crowd.length)
  })
})

it('a large table is whole after all of it', () => audit(large))
