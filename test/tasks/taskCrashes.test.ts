import { beforeAll, describe, expect, it } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { ofTask } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

// A process that dies after any of its calls to the store, with more recipients than one transaction takes.

const crowd = Array.from({ length: 100 }, (_, n) => `c-${n}`)
const recipients = crowd.map((id) => ({ id, type: 'USER' }))
/** All work, due or not. */
const taskWork = { hash: 'WORK', consistent: true }
let service: Service
beforeAll(async () => {
  service = await startService({
    indexes: { only: ['find'] },
    users: [...people, ...['author', ...crowd].map((id) => ({ id, first_name: 'Fi', last_name: id }))],
  })
})

const create = (id: string) =>
  call('createTask', { body: { id, external_id: id, title: 'T', recipients }, as: 'author' })
const total = async (id: string) => (await w.read(id, 'author')).body.assignment_summary?.total

/** Lets a call die after its `n`-th write; tells whether it lived so long. */
async function dying(n: number, work: () => Promise<Any>): Promise<boolean> {
  const { heal, isOver } = dieAfterWrite(service.client, n)
  await work().finally(heal)
  return !isOver()
}

describe('a call that dies', () => {
  it('while it creates a task has created it for all, or not at all', async () => {
    for (let n = 1; n < 40; n++) {
      const id = `created-${n}`
      const isOver = !(await dying(n, () => create(id)))
      if (!isOver) await w.later(service)
      expect([undefined, 100]).toContain(await total(id))
      if (isOver) break
    }
    await audit(service)
    expect((await service.store.query(taskWork)).items).toEqual([])
  })

  it('while it moves a due date has moved it for all, or not at all', async () => {
    await create('moved')
    for (let n = 1; n < 40; n++) {
      const due_at = { due_at_type: 'DATE', date: `2027-01-${String(n).padStart(2, '0')}` }
      const patch = () => call('updateTask', { path: { task_id: 'moved' }, body: { due_at }, as: 'author' })
      const isOver = !(await dying(n, patch))
      if (!isOver) await w.later(service)
      expect(await w.auditTask(service, 'moved', crowd)).toEqual(crowd)
      if (isOver) break
    }
    await audit(service)
    expect((await service.store.query(taskWork)).items).toEqual([])
  })

  it('while it deletes a task leaves nothing of it, or all', async () => {
    for (let n = 1; n < 40; n++) {
      const id = `deleted-${n}`
      await create(id)
      const isOver = !(await dying(n, () => call('deleteTask', { path: { task_id: id }, as: 'author' })))
      const isGone = (await w.read(id, 'author')).status === 404
      if (!isOver) await w.later(service)
      if (isGone) expect((await service.store.query(ofTask(id))).items).toMatchObject([{ sk: 'GONE' }])
      else expect(await total(id)).toBe(100)
      if (isOver) break
    }
  })
})

describe('work that takes longer than there is time', () => {
  /** Tells of so many looks at the clock that there is time. */
  const patient = (looks: number) => {
    let left = looks
    return () => (left-- > 0 ? 60_000 : 0)
  }
  const run = (looks: number, minutes: number) =>
    finishOverdue({
      store: service.store,
      clock: () => new Date(service.now().getTime() + minutes * 60_000),
      timeLeft: patient(looks),
      log: () => {},
    })
  const works = async () => (await service.store.query(taskWork)).items

  /** Lets runs stop after each look at the clock, one more at a time; answers how many of them it took. */
  async function inRuns(looks: number): Promise<number> {
    for (let runs = 1; runs < 20; runs++) {
      await run(looks, 2 + runs)
      const left = await works()
      if (left.length === 0) return runs
      expect(left).toMatchObject([{ attempts: 0 }])
    }
    return Number.POSITIVE_INFINITY
  }

  const hurried = (name: string, request: object) => call(name, { ...request, as: 'author', timeLeft: 7000 })

  it('is left to the schedule by a call that is late, which has done what it was asked for', async () => {
    const created = await hurried('createTask', { body: { id: 'late', title: 'T', recipients } })
    expect([created.status, created.body.assignment_summary.total]).toEqual([201, 30])
    expect(await works()).toMatchObject([{ kind: 'recipients', left: 70 }])
    expect(await inRuns(2)).toBe(2)
    expect(await total('late')).toBe(100)

    const due_at = { due_at_type: 'DATE', date: '2027-03-01' }
    expect((await hurried('updateTask', { path: { task_id: 'late' }, body: { due_at } })).status).toBe(200)
    expect(await works()).toMatchObject([{ kind: 'places' }])
    expect(await inRuns(4)).toBe(2)
    expect(await w.auditTask(service, 'late', crowd)).toEqual(crowd)

    expect((await hurried('deleteTask', { path: { task_id: 'late' } })).status).toBe(204)
    expect(await works()).toMatchObject([{ kind: 'gone-task' }])
    expect(await inRuns(3)).toBe(2)
    expect((await service.store.query(ofTask('late'))).items).toMatchObject([{ sk: 'GONE' }])
  })

  it('is noted once, however often a task changes, and as long due as its first change', async () => {
    await create('changed')
    const patch = (n: number) => {
      const due_at = { due_at_type: 'DATE', date: `2027-04-${String(n).padStart(2, '0')}` }
      return { path: { task_id: 'changed' }, body: { due_at } }
    }
    const began = service.now()
    for (let n = 1; n <= 10; n++) {
      service.setNow(new Date(began.getTime() + n * 1000))
      expect((await hurried('updateTask', patch(n))).status).toBe(200)
    }
    expect(await works()).toMatchObject([{ kind: 'places', due: new Date(began.getTime() + 11_000).toISOString() }])
    service.setNow(began)
    // Another change comes while the schedule is at it, after its first step.
    await meanwhile(
      service,
      () => hurried('updateTask', patch(11)),
      () => run(6, 2),
      2,
    )
    expect(await works()).toMatchObject([{ kind: 'places', attempts: 0 }])
    await run(1000, 3)
    expect(await works()).toEqual([])
    expect(await w.auditTask(service, 'changed', crowd)).toEqual(crowd)
  })

  it('and belongs to a task that is gone by then goes, but not what belongs to the next one of that id', async () => {
    const due_at = { due_at_type: 'DATE', date: '2027-05-01' }
    const patch = () => hurried('updateTask', { path: { task_id: 'gone' }, body: { due_at } })
    await create('gone')
    await patch()
    expect((await call('deleteTask', { path: { task_id: 'gone' }, as: 'author' })).status).toBe(204)
    expect(await works()).toMatchObject([{ kind: 'places' }])
    await meanwhile(
      service,
      async () => {
        await create('gone')
        await patch()
      },
      () => run(1000, 2),
      2,
    )
    await run(1000, 10)
    expect(await works()).toEqual([])
    await audit(service)
    await call('deleteTask', { path: { task_id: 'gone' }, as: 'author' })
    expect(await works()).toEqual([])
  })

  it('lets the next work have its turn', async () => {
    for (const id of ['first', 'second']) await hurried('createTask', { body: { id, title: 'T', recipients } })
    const kept = async () => (await works()).map(({ task, left }) => [task, left])
    expect(await kept()).toHaveLength(2)
    await run(2, 3)
    const [[next], [begun, left]] = (await kept()).sort((a, b) => Number(b[1]) - Number(a[1])) as Any
    expect([left, [next, begun].sort()]).toEqual([0, ['first', 'second']])
    await run(2, 4)
    expect((await kept()).map(([, rest]) => rest)).toEqual([0, 0])
    await run(1000, 5)
    expect([await total('first'), await total('second')]).toEqual([100, 100])
  })
})

describe('work that cannot be done', () => {
  const poisoned = {
    pk: 'WORK',
    sk: 'recipients#poison',
    kind: 'recipients',
    task: 'x',
    users: 'none',
  }

  it('counts its attempts and comes up less and less often; the rest is done', async () => {
    await service.store.bulk([
      { put: poisoned },
      { put: { ...poisoned, sk: poisoned.sk.replace('poison', 'sound'), kind: 'places' } },
    ])
    const lines: Any[] = []
    const run = (minutes: number) =>
      finishOverdue({
        store: service.store,
        clock: () => new Date(service.now().getTime() + minutes * 60_000),
        timeLeft: () => 60_000,
        log: (line) => lines.push(line),
      })
    for (let minutes = 0; minutes < 200; minutes++) await run(minutes)
    expect(lines.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 18 }, (_, n) => n + 1))
    const { items } = await service.store.query(taskWork)
    expect(items).toMatchObject([{ attempts: 18, kind: 'recipients' }])
    await service.store.bulk(items.map(({ pk, sk }) => ({ delete: { pk, sk } })))
  })
})
