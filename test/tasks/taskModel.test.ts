import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { ofTask } from '../../domain/table/keys.ts'
import type { ProgressStatus } from '../../domain/tasks/taskAssignment.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { type StoreFault, strike } from '../harness/faults.ts'
import { runs } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

// A model of one task: whether it is there, who has it and how far they are, changed by single calls, by calls at the same
// time, under faults. What is due when is held against the places of all assignments at the end.

const users = Array.from({ length: 8 }, (_, n) => `u-${n}`)
const everybody = [...users, 'author']
let service: Service
let run = 0
beforeAll(async () => {
  service = await startService({
    users: [...people, ...everybody.map((id) => ({ id, first_name: id, last_name: id }))],
  })
  const at = '2026-01-01T00:00:00.000Z'
  await service.store.bulk(
    groupItems({
      id: 'team',
      external_id: null,
      title: [],
      description: [],
      type: 'CUSTOM',
      status: 'ACTIVE',
      parent_id: 'root',
      created_at: at,
      updated_at: at,
    }).map((put) => ({ put })),
  )
  for (const user_id of users.slice(0, 5))
    await call('createGroupAssignment', { path: { group_id: 'team' }, body: { user_id, role_id: 'coach' } })
  await w.newChannel(service.store, 'team-news', { owner: 'author', groups: ['team'] })
})

type Model = Map<string, ProgressStatus>
type Step = { name: string; who: string; some: string[] }
type Expected = { status: number; code?: string }

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(
    'finish',
    'finish',
    'open',
    'read',
    'read',
    'add',
    'addMany',
    'channel',
    'remove',
    'removeMany',
    'rename',
    'due',
    'due',
    'delete',
    'create',
    'create',
  ),
  who: fc.constantFrom(...everybody),
  some: fc.subarray(everybody, { minLength: 1, maxLength: 6 }),
})

/** What a step does to the model, and what it answers. */
function predicted(model: Model, { name, who, some }: Step): Expected {
  if (name === 'create') {
    if (model.size > 0) return { status: 409, code: 'DUPLICATE_ID' }
    for (const id of some) model.set(id, 'NEW')
    return { status: 201 }
  }
  if (model.size === 0) return predictedOfNone({ name })
  const has = model.get(who)
  const added = (ids: string[]): Expected => {
    const missing = ids.filter((id) => !model.has(id))
    for (const id of missing) model.set(id, 'NEW')
    return { status: missing.length > 0 ? 201 : 200 }
  }
  const removed = (ids: string[], unknown: Expected, done: number): Expected => {
    if (ids.some((id) => !model.has(id))) return unknown
    if (ids.length >= model.size) return { status: 409, code: 'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION' }
    for (const id of ids) model.delete(id)
    return { status: done }
  }
  const notFound = { status: 404, code: 'TASK_ASSIGNMENT_NOT_FOUND' }
  switch (name) {
    case 'finish':
      if (has) model.set(who, 'FINISHED')
      return has ? { status: 200 } : notFound
    case 'open':
      if (has === 'FINISHED') model.set(who, 'OPEN')
      return has ? { status: 200 } : notFound
    case 'read':
      if (has === 'NEW') model.set(who, 'OPEN')
      return has || who === 'author' ? { status: 200 } : { status: 404, code: 'TASK_NOT_FOUND' }
    case 'add':
      return added([who])
    case 'addMany':
      return added(some)
    case 'channel':
      return added(users.slice(0, 5))
    case 'remove':
      return removed([who], notFound, 204)
    case 'removeMany':
      return removed(some, { status: 400, code: 'UNKNOWN_TASK_ASSIGNMENT_ID' }, 200)
    case 'delete':
      model.clear()
      return { status: 204 }
    default:
      return { status: 200 }
  }
}

/** What is answered when the task is gone: its author is told so, and whose own an assignment would be. */
function predictedOfNone({ name }: Pick<Step, 'name'>): Expected {
  if (name === 'rename') return { status: 200 }
  return { status: 404, code: 'TASK_NOT_FOUND' }
}

const taken: Record<string, (task: string, step: Step) => Promise<Reply>> = {
  finish: (task, { who }) => w.finish(task, who),
  open: (task, { who }) => w.open(task, who),
  read: (task, { who }) => w.read(task, who),
  add: (task, { who }) => w.add(task, who),
  addMany: (task, { some }) => w.addMany(task, some),
  channel: (task) => w.add(task, 'team-news', 'CHANNEL'),
  remove: (task, { who }) => w.removeOne(task, who),
  removeMany: (task, { some }) => w.removeMany(task, some),
  due: (task_id, { some }) => {
    const due_at = some.length === 6 ? null : { due_at_type: 'DATE', date: `2026-12-0${some.length}` }
    return call('updateTask', { path: { task_id }, body: { due_at }, as: 'author' })
  },
  delete: (task_id) => call('deleteTask', { path: { task_id }, as: 'author' }),
  create: (id, { some }) => {
    const recipients = some.map((one) => ({ id: one, type: 'USER' }))
    return call('createTask', { body: { id, external_id: id, title: 'T', recipients }, as: 'author' })
  },
  rename: (_task, { who, some }) =>
    call('updateUser', { path: { user_id: who }, body: { last_name: `${some[0]} ${some.length}` } }),
}
const take = (task: string, one: Step): Promise<Reply> => (taken[one.name] as (typeof taken)[string])(task, one)

/** The assignments that the author sees; none if there is no task. */
const listed = async (task: string): Promise<Any[]> =>
  (await call('listTaskAssignments', { path: { task_id: task }, as: 'author' })).body.assignments ?? []

/** Everything that callers and the table say of the task agrees with the model. */
async function compare(task: string, model: Model): Promise<void> {
  const list = await listed(task)
  if (model.size === 0) {
    expect(list).toEqual([])
    // All but the note that there was a task.
    const { items } = await service.store.query(ofTask(task))
    expect(items.filter(({ sk }) => sk !== 'GONE')).toEqual([])
    return
  }
  expect(Object.fromEntries(list.map((one: Any) => [one.user_id, one.progress_status]))).toEqual(
    Object.fromEntries(model),
  )
  const of = (status: ProgressStatus) => [...model.values()].filter((one) => one === status).length
  const shown = list.filter(({ user_id }: Any) => user_id === 'author' && model.get('author') === 'NEW')
  const expected = [model.size, of('NEW'), of('OPEN'), of('FINISHED')] as [number, number, number, number]
  if (shown.length > 0) {
    // An author who reads the task opens their own assignment.
    model.set('author', 'OPEN')
    expected[1]--
    expected[2]++
  }
  expect(await w.summary(task)).toEqual(expected)
}

async function begin(): Promise<{ task: string; model: Model }> {
  const task = `model-${++run}`
  await take(task, { name: 'create', who: 'author', some: ['u-0', 'u-5'] })
  await w.finish(task, 'u-5')
  return {
    task,
    model: new Map([
      ['u-0', 'NEW'],
      ['u-5', 'FINISHED'],
    ]),
  }
}

it('one after the other, whatever the store does', async () => {
  const fault = fc.constantFrom<StoreFault | undefined>(undefined, undefined, 'conflict', 'throttle', 'lostAnswer')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fault, fc.integer({ min: 1, max: 4 })), { minLength: 4, maxLength: 12 }),
      async (steps) => {
        const { task, model } = await begin()
        for (const [one, kind, when] of steps) {
          const expected = predicted(model, one)
          const { heal } = strike(service.client, (n) => (n === when ? kind : undefined))
          const reply = await take(task, one).finally(heal)
          expect([reply.status, reply.body?.error_code]).toEqual([expected.status, expected.code])
          // What a deletion had no time for is done before anybody can have the id.
          if (one.name === 'delete') await w.later(service)
        }
        await compare(task, model)
      },
    ),
    { numRuns: runs(12) },
  )
  await audit(service)
})

it('when the process dies after any call, each step has happened or not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.integer({ min: 1, max: 6 })), { minLength: 3, maxLength: 8 }),
      async (steps) => {
        const { task, model } = await begin()
        for (const [one, when] of steps) {
          const { heal } = strike(service.client, (n) => (n === when ? 'death' : undefined))
          await take(task, one).finally(heal)
          await w.later(service)
          const list = await listed(task)
          const now = new Map<string, ProgressStatus>(list.map((item: Any) => [item.user_id, item.progress_status]))
          const done = new Map(model)
          predicted(done, one)
          expect([Object.fromEntries(model), Object.fromEntries(done)]).toContainEqual(Object.fromEntries(now))
          model.clear()
          for (const [id, status] of now) model.set(id, status)
        }
        await compare(task, model)
      },
    ),
    { numRuns: runs(8) },
  )
  await audit(service)
})

it('all at once, nothing is lost, doubled or counted wrongly', async () => {
  const possible = [
    200,
    201,
    204,
    'TASK_ASSIGNMENT_NOT_FOUND',
    'TASK_NOT_FOUND',
    'UNKNOWN_TASK_ASSIGNMENT_ID',
    'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION',
    'DUPLICATE_ID',
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), fc.nat(60), async (steps, when) => {
      const { task } = await begin()
      const { heal } = strike(service.client, (n, command) =>
        n === when && command.startsWith('TransactWrite') ? 'conflict' : n === when + 7 ? 'lostAnswer' : undefined,
      )
      const replies = await Promise.all(steps.map((one) => take(task, one))).finally(heal)
      for (const { status, body } of replies) expect(possible).toContain(body?.error_code ?? status)
      await w.later(service)
      const list = await listed(task)
      await compare(task, new Map(list.map((item: Any) => [item.user_id, item.progress_status])))
    }),
    { numRuns: runs(12) },
  )
  await audit(service)
})
