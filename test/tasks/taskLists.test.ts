import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { dueMoment, type Task, taskItem } from '../../domain/tasks/task.ts'
import { type ProgressStatus, taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'
import { seal } from '../../handlers/middleware/seals.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

let service: Service
beforeAll(async () => {
  service = await startService({
    indexes: ['by_created_at', 'by_location_or_due', 'by_updated_at'],
    users: [
      ...people,
      ...['author', 'ann', 'bob', 'walker'].map((id) => ({ id, first_name: id, last_name: `${id}son` })),
      ...['Zoe', 'Ánn', 'ann', 'Łu', 'van Dyk', 'van'].map((last_name, n) => ({ id: `n-${n}`, last_name })),
    ],
  })
  const names = ['n-0', 'n-1', 'n-2', 'n-3', 'n-4', 'n-5']
  const assigned = Object.fromEntries(names.map((id, n) => [id, n % 2 ? 'OPEN' : 'NEW'] as const))
  await w.newTask(service.store, { id: 'staffed' }, assigned)
})

type Query = Record<string, string | number>
const mine = (query: Query, as = 'ann') =>
  call('listOwnTaskAssignments', { query: { distribution_kind: 'RECEIVED', ...query }, as })
const ofTask = (task_id: string, query: Query = {}, as = 'author') =>
  call('listTaskAssignments', { path: { task_id }, query, as })
const tasksIn = ({ body }: Reply): string[] => body.assignments.map(({ task_id }: Any) => task_id)
const usersIn = ({ body }: Reply): string[] => body.assignments.map(({ user_id }: Any) => user_id)
const codeOf = ({ status, body }: Reply) => [status, body?.error_code]

/** All pages, one after the other; only the first names sort and filters. */
async function walk(first: Query, page: (query: Query) => Promise<Reply>): Promise<Any[]> {
  const { page_limit = 25, distribution_kind } = first
  const kept = { page_limit, ...(distribution_kind ? { distribution_kind } : {}) }
  const all: Any[] = []
  let reply = await page(first)
  for (;;) {
    const { assignments, pagination } = reply.body
    all.push(...assignments)
    expect(pagination.has_more).toBe(pagination.next_cursor !== null)
    if (!pagination.has_more) return all
    expect(assignments).toHaveLength(Number(page_limit))
    reply = await page({ ...kept, page_cursor: pagination.next_cursor })
  }
}

describe('own assignments', () => {
  const due = {
    morning: { due_at_type: 'DATE_TIME', date_time: '2026-12-01T08:00:00.000Z' },
    day: { due_at_type: 'DATE', date: '2026-12-01' },
    midnight: { due_at_type: 'DATE_TIME', date_time: '2026-12-02T00:00:00.000Z' },
    never: null,
    neither: null,
  } as const

  it('have the order of their due dates; a day is over with its last instant, none comes last either way', async () => {
    for (const [id, due_at] of Object.entries(due)) await w.newTask(service.store, { id, due_at }, { ann: 'NEW' })
    expect(tasksIn(await mine({ sort: 'DUE_AT_ASC' }))).toEqual(['morning', 'day', 'midnight', 'neither', 'never'])
    expect(tasksIn(await mine({ sort: 'DUE_AT_DESC' }))).toEqual(['midnight', 'day', 'morning', 'never', 'neither'])
    const pages = await walk({ sort: 'DUE_AT_DESC', page_limit: 2, distribution_kind: 'RECEIVED' }, mine)
    expect(pages.map(({ task_id }) => task_id)).toEqual(['midnight', 'day', 'morning', 'never', 'neither'])
    service.setNow('2026-11-21T10:00:00.000Z')
    await w.finish('day', 'ann')
    expect(tasksIn(await mine({ sort: 'UPDATED_AT_DESC', page_limit: 1 }))).toEqual(['day'])
    expect(tasksIn(await mine({ sort: 'DUE_AT_ASC,UPDATED_AT_DESC,CREATED_AT_ASC' }))[1]).toBe('day')
    expect(tasksIn(await mine({ progress_status: 'FINISHED' }))).toEqual(['day'])
    expect(tasksIn(await mine({ progress_status: 'FINISHED,OPEN' }))).toEqual(['day'])
    expect((await mine({ body_format: 'HTML', page_limit: 1 })).body.assignments[0].task.body).toEqual({
      html: '<p>Do it</p>',
    })
    await audit(service)
  })

  it('are PERSONAL while their author is the only recipient, RECEIVED when given by another', async () => {
    await w.newTask(service.store, { id: 'alone' }, { author: 'NEW' })
    await w.newTask(service.store, { id: 'shared' }, { author: 'NEW', bob: 'OPEN' })
    await w.newTask(service.store, { id: 'given', author_id: 'bob' }, { author: 'NEW' })
    const kinds = async (distribution_kind: string) => tasksIn(await mine({ distribution_kind }, 'author'))
    expect(await kinds('PERSONAL')).toEqual(['alone'])
    expect(await kinds('RECEIVED')).toEqual(['given'])
    expect(await kinds('RECEIVED,PERSONAL')).toEqual(['given', 'alone'])
    await w.add('alone', 'bob')
    expect(await kinds('PERSONAL')).toEqual([])
    await w.removeOne('alone', 'bob')
    await w.removeOne('shared', 'bob')
    const { body } = await mine({ distribution_kind: 'PERSONAL', sort: 'CREATED_AT_ASC' }, 'author')
    expect(body.assignments.map(({ id, task }: Any) => [id, task.distribution_kind])).toEqual([
      ['alone~author', 'PERSONAL'],
      ['shared~author', 'PERSONAL'],
    ])
    expect(body.pagination).toEqual({ next_cursor: null, has_more: false })
    expect((await w.read('shared', 'author')).body.distribution_kind).toBe('PERSONAL')
  })

  it('fill their pages, however many are passed over', async () => {
    const tasks = Array.from({ length: 240 }, (_, n) =>
      w.task(`over-${String(n).padStart(3, '0')}`, { author_id: 'walker' }),
    )
    const at = '2026-10-01T00:00:00.000Z'
    await service.store.bulk(
      tasks.flatMap((task, n) => [
        { put: taskItem(task, { count: n % 80 ? 2 : 1, open: 0, finished: 0 }) },
        {
          put: taskAssignmentItem(
            task,
            { id: 'walker', last_name: 'walkerson' },
            { progress_status: n === 239 ? 'FINISHED' : 'NEW', created_at: at, updated_at: at },
          ),
        },
      ]),
    )
    const found = await walk({ distribution_kind: 'PERSONAL', page_limit: 2, sort: 'CREATED_AT_ASC' }, (query) =>
      mine(query, 'walker'),
    )
    expect(found.map(({ task_id }) => task_id)).toEqual(['over-000', 'over-080', 'over-160'])
    expect(tasksIn(await mine({ distribution_kind: 'PERSONAL', progress_status: 'FINISHED' }, 'walker'))).toEqual([])
    await service.store.bulk(
      tasks.flatMap(({ id }) => [
        { delete: { pk: `TASK#${id}`, sk: 'TASK' } },
        { delete: { pk: 'USER#walker', sk: `TA#${id}` } },
      ]),
    )
  })

  it.each([
    ['', 'DISTRIBUTION_KIND_UNDEFINED'],
    ['distribution_kind=', 'DISTRIBUTION_KIND_UNDEFINED'],
    ['distribution_kind=DISTRIBUTED', 'DISTRIBUTION_KIND_UNDEFINED'],
    ['distribution_kind=NONSENSE', 'DISTRIBUTION_KIND_UNDEFINED'],
    ['page_limit=0', 'DISTRIBUTION_KIND_UNDEFINED'],
    ['distribution_kind=RECEIVED,DISTRIBUTED', 'VALIDATION_ERROR'],
    ['distribution_kind[]=PERSONAL&distribution_kind[]=NONSENSE', 'VALIDATION_ERROR'],
    ['distribution_kind=RECEIVED&page_limit=101', 'VALIDATION_ERROR'],
    ['distribution_kind=RECEIVED&sort=DUE_AT', 'VALIDATION_ERROR'],
    ['distribution_kind=RECEIVED&progress_status=DONE', 'VALIDATION_ERROR'],
    ['distribution_kind=RECEIVED&body_format=xml', 'VALIDATION_ERROR'],
    ['distribution_kind=RECEIVED&page_cursor=abc', 'VALIDATION_ERROR'],
  ])('with the query %j: %s', async (query, code) => {
    const reply = await call('listOwnTaskAssignments', { query, as: 'ann' })
    expect(codeOf(reply)).toEqual([400, code])
    expect(reply.body.errors.length).toBeGreaterThan(0)
  })
})

describe('the assignments of a task', () => {
  it('have the order of last names, for the author alone', async () => {
    const order = ['n-1', 'n-2', 'n-3', 'n-5', 'n-4', 'n-0']
    expect(usersIn(await ofTask('staffed'))).toEqual(order)
    expect(usersIn(await ofTask('staffed', { sort: 'LASTNAME_DESC' }))).toEqual([...order].reverse())
    expect(usersIn(await ofTask('staffed', { sort: 'LASTNAME_ASC,LASTNAME_DESC' }))).toEqual([
      'n-2',
      'n-1',
      'n-3',
      'n-5',
      'n-4',
      'n-0',
    ])
    expect(usersIn(await ofTask('staffed', { progress_status: 'OPEN' }))).toEqual(['n-1', 'n-3', 'n-5'])
    const [first] = (await ofTask('staffed', { embed: 'USER', body_format: 'PLAIN' })).body.assignments
    expect(first).toMatchObject({
      recipient: { id: 'n-1', last_name: 'Ánn', is_deleted: false },
      task: { distribution_kind: 'DISTRIBUTED', body: { plain: 'Do it' } },
    })
    expect((await ofTask('staffed')).body.assignments[0].recipient).toBeNull()
    for (const as of ['n-1', 'bob', 'admin'])
      expect(codeOf(await ofTask('staffed', {}, as))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await ofTask('nothing'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await ofTask('nothing', { page_cursor: 'x' }))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('a page of the longest bodies', () => {
  it('ends where an answer would be too long, and the next goes on', async () => {
    const recipients = Array.from({ length: 60 }, (_, n) => ({ id: `long-${n}`, last_name: 'Long' }))
    const task = w.task('long', { body: { plain: '字'.repeat(50_000) } })
    const progress = { progress_status: 'NEW' as const, created_at: task.created_at, updated_at: task.created_at }
    const items = recipients.map((user) => taskAssignmentItem(task, user, progress))
    const all = [taskItem(task, { count: 60, open: 0, finished: 0 }), ...items]
    await service.store.bulk(all.map((put) => ({ put })))
    const seen: string[] = []
    let page_cursor = ''
    do {
      const reply = await ofTask('long', { page_limit: 100, page_cursor })
      expect(Buffer.byteLength(JSON.stringify(reply.body))).toBeLessThan(6_000_000)
      seen.push(...usersIn(reply))
      page_cursor = reply.body.pagination.next_cursor
    } while (page_cursor)
    expect(new Set(seen).size).toBe(60)
    expect(seen).toHaveLength(60)
    expect((await ofTask('long', { page_limit: 100, body_format: 'HTML' })).body.assignments).toHaveLength(60)
    await service.store.bulk(all.map(({ pk, sk }) => ({ delete: { pk, sk } })))
  })
})

describe('a cursor', () => {
  it('carries sort and filters, is good for its list and its owner only, and cannot be changed', async () => {
    const { pagination } = (await ofTask('staffed', { page_limit: 1, sort: 'LASTNAME_DESC', progress_status: 'NEW' }))
      .body
    const cursor = pagination.next_cursor as string
    const next = await ofTask('staffed', {
      page_cursor: cursor,
      sort: 'LASTNAME_ASC',
      progress_status: 'FINISHED',
      page_limit: 5,
    })
    expect(usersIn(next)).toEqual(['n-4', 'n-2'])
    const refused = async (reply: Promise<Reply>) =>
      expect((await reply).body).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', property: 'page_cursor' })
    await w.newTask(service.store, { id: 'other' }, { ann: 'NEW', bob: 'NEW' })
    await w.newTask(service.store, { id: 'of-bob', author_id: 'bob' }, { ann: 'NEW', author: 'NEW' })
    await refused(ofTask('other', { page_cursor: cursor }))
    await refused(ofTask('of-bob', { page_cursor: cursor }, 'bob'))
    await refused(mine({ page_cursor: cursor }, 'author'))
    const own = (await mine({ page_limit: 1 }, 'ann')).body.pagination.next_cursor
    await refused(mine({ page_cursor: own }, 'author'))
    expect(codeOf(await call('listOwnTaskAssignments', { query: { page_cursor: own }, as: 'ann' }))).toEqual([
      400,
      'DISTRIBUTION_KIND_UNDEFINED',
    ])
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let at = 0; at < cursor.length; at += 5) {
      const other = alphabet[(alphabet.indexOf(cursor[at] ?? '') + 1) % 64]
      await refused(ofTask('staffed', { page_cursor: cursor.slice(0, at) + other + cursor.slice(at + 1) }))
    }
    // The last character has bits that decoding drops.
    for (const last of alphabet) {
      const changed = cursor.slice(0, -1) + last
      if (changed !== cursor) await refused(ofTask('staffed', { page_cursor: changed }))
    }
    for (const page_cursor of [`${cursor}=`, cursor.slice(1), `${cursor}A`, '.', 'A'.repeat(8000)])
      await refused(ofTask('staffed', { page_cursor }))
    await refused(
      ofTask('staffed', {
        page_cursor: seal(
          '{}',
          JSON.stringify(['listTaskAssignments', 'staffed', 'author']),
          createSecretKey(Buffer.alloc(32)),
        ),
      }),
    )
    // It names users, and must not be readable.
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1')
    for (const known of ['n-4', 'LASTNAME', 'progress_status']) expect(bytes).not.toContain(known)
  })

  it('stays the same while others come and go', async () => {
    await w.newTask(
      service.store,
      { id: 'moving' },
      Object.fromEntries(['n-0', 'n-1', 'n-2', 'n-3', 'n-4'].map((id) => [id, 'NEW'])),
    )
    const first = await ofTask('moving', { page_limit: 2 })
    expect(usersIn(first)).toEqual(['n-1', 'n-2'])
    await w.removeMany('moving', ['n-1', 'n-2'])
    await w.finish('moving', 'n-3')
    await w.add('moving', 'n-5')
    await w.add('moving', 'ann')
    const page_cursor = first.body.pagination.next_cursor
    expect(usersIn(await ofTask('moving', { page_limit: 2, page_cursor }))).toEqual(['ann', 'n-3'])
  })
})

describe('walking all pages', () => {
  const moments = fc.constantFrom('2026-10-01T00:00:00.000Z', '2026-10-02T00:00:00.000Z', '2026-10-03T00:00:00.000Z')
  const dueAt = fc.constantFrom<Task['due_at']>(
    null,
    { due_at_type: 'DATE', date: '2026-10-02' },
    { due_at_type: 'DATE_TIME', date_time: '2026-10-02T12:00:00.000Z' },
    { due_at_type: 'DATE_TIME', date_time: '2026-10-02T23:59:59.999Z' },
  )
  const status = fc.constantFrom<ProgressStatus>('NEW', 'OPEN', 'FINISHED')
  const work = fc.record({
    created_at: moments,
    updated_at: moments,
    due_at: dueAt,
    status,
    kind: fc.constantFrom('GIVEN', 'ALONE', 'SHARED'),
  })
  const fields = ['CREATED_AT', 'UPDATED_AT', 'DUE_AT'] as const
  const sort = fc.record({ field: fc.constantFrom(...fields), descending: fc.boolean() })

  it('gives every match once, in order', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(work, { maxLength: 14 }),
        fc.array(sort, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(['RECEIVED'], ['PERSONAL'], ['RECEIVED', 'PERSONAL']),
        fc.option(fc.subarray(['NEW', 'OPEN', 'FINISHED'], { minLength: 1 }), { nil: undefined }),
        async (works, sorts, page_limit, kinds, statuses) => {
          const me = `me-${++run}`
          await w.newUser(me)
          const all = works.map((one, n) => {
            const id = `${me}-${n}`
            const task = w.task(id, { due_at: one.due_at, author_id: one.kind === 'GIVEN' ? 'author' : me })
            const progress = { progress_status: one.status, created_at: one.created_at, updated_at: one.updated_at }
            return {
              ...one,
              id,
              task,
              items: [
                taskItem(task, { count: one.kind === 'SHARED' ? 2 : 1, open: 0, finished: 0 }),
                taskAssignmentItem(task, { id: me, last_name: me }, progress),
              ],
            }
          })
          await service.store.bulk(all.flatMap(({ items }) => items.map((put) => ({ put }))))
          const value = (one: (typeof all)[number], field: (typeof fields)[number]) =>
            field === 'DUE_AT' ? dueMoment(one.task) : field === 'CREATED_AT' ? one.created_at : one.updated_at
          const expected = all
            .filter(({ kind }) =>
              ([...kinds] as string[]).includes({ GIVEN: 'RECEIVED', ALONE: 'PERSONAL', SHARED: '' }[kind] as string),
            )
            .filter(({ status: at }) => !statuses || statuses.includes(at))
            .sort((a, b) => {
              for (const { field, descending } of sorts) {
                const [x, y] = [value(a, field), value(b, field)]
                if (x === y) continue
                if (x === undefined || y === undefined) return x === undefined ? 1 : -1
                return x < y === descending ? 1 : -1
              }
              return (a.id < b.id ? -1 : 1) * (sorts.at(-1)?.descending ? -1 : 1)
            })
          const found = await walk(
            {
              distribution_kind: kinds.join(','),
              page_limit,
              sort: sorts.map(({ field, descending }) => `${field}_${descending ? 'DESC' : 'ASC'}`).join(','),
              ...(statuses ? { progress_status: statuses.join(',') } : {}),
            },
            (query) => mine(query, me),
          )
          expect(found.map(({ task_id }) => task_id)).toEqual(expected.map(({ id }) => id))
        },
      ),
      { numRuns: runs(15) },
    )
  })
})
