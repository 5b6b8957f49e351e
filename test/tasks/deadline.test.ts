import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

let service: Service
const start = new Date('2026-11-21T09:00:00.000Z').getTime()
const days = (n: number, milliseconds = 0) => new Date(start + n * 86_400_000 + milliseconds)

beforeAll(async () => {
  service = await startService({
    users: [...people, { id: 'author', last_name: 'Author' }],
    indexes: { only: ['find'] },
  })
})

type Query = Record<string, string | number>
const page = (task_id: string, query: Query) => call('listTaskAssignments', { path: { task_id }, query, as: 'author' })
const usersIn = ({ body }: { body: Any }): string[] => body.assignments.map(({ user_id }: Any) => user_id)

let tasks = 0
/** A task of so many recipients, whose names have the order of their ids; some of them are deleted one after the other. */
async function distributed(size: number, deleted: readonly number[]) {
  service.setNow(days(0))
  const task = `due-${++tasks}`
  const users = Array.from({ length: size }, (_, n) => `${task}-${'zyxwvutsrq'[n]}`)
  for (const [n, id] of users.entries()) await w.newUser(id, { last_name: `Name ${n}` })
  const status = (n: number) => (n % 3 === 0 ? 'FINISHED' : 'NEW')
  await w.newTask(service.store, { id: task }, Object.fromEntries(users.map((id, n) => [id, status(n)])))
  for (const [hour, n] of deleted.entries()) {
    service.setNow(days(0, hour * 3_600_000))
    expect((await call('deleteUser', { path: { user_id: users[n] ?? '' } })).status).toBe(200)
  }
  service.setNow(days(1))
  return { task, users, isNew: (id: string) => status(users.indexOf(id)) === 'NEW' }
}

/** The order of the list where these are gone: they are last, by their ids. */
function ordered(users: readonly string[], gone: readonly string[], descending: boolean): string[] {
  const [named, last] = [users.filter((id) => !gone.includes(id)), [...gone].sort()]
  return descending ? [...named.reverse(), ...last.reverse()] : [...named, ...last]
}

describe('the recipients of a task', () => {
  it('stand last from the moment of their deadline on, before and after they are removed', async () => {
    const { task, users } = await distributed(6, [1, 4])
    const pick = (...some: number[]) => some.map((n) => users[n] ?? '')
    // The second one was deleted an hour after the first.
    const moments: [Date, string[]][] = [
      [days(14, -1), []],
      [days(14), pick(1)],
      [days(14, 3_599_999), pick(1)],
      [days(14, 3_600_000), pick(1, 4)],
      [days(20), pick(1, 4)],
    ]
    const check = async (gone: string[]) => {
      for (const sort of ['LASTNAME_ASC', 'LASTNAME_DESC', 'LASTNAME_ASC,LASTNAME_DESC']) {
        const reply = await page(task, { sort, embed: 'USER' })
        expect(usersIn(reply)).toEqual(
          sort.includes(',')
            ? [...ordered(users, gone, false).filter((id) => !gone.includes(id)), ...[...gone].sort().reverse()]
            : ordered(users, gone, sort.endsWith('_DESC')),
        )
        for (const { user_id, recipient } of reply.body.assignments)
          if (gone.includes(user_id)) expect(recipient).toMatchObject({ is_deleted: true, last_name: '' })
      }
      const filtered = await page(task, { progress_status: 'NEW' })
      const isNew = (id: string) => users.indexOf(id) % 3 !== 0
      expect(usersIn(filtered)).toEqual(ordered(users, gone, false).filter(isNew))
    }
    for (const [now, gone] of moments) {
      service.setNow(now)
      await check(gone)
    }
    await w.purge(service)
    await check(pick(1, 4))
    await audit(service)
  })

  const sorts = ['LASTNAME_ASC', 'LASTNAME_DESC', 'LASTNAME_DESC,LASTNAME_ASC']

  /** Everybody who is shown page by page; `between` gets the number of pages that have been read. */
  async function walked(task: string, query: Query, between: (pages: number) => unknown) {
    const seen: string[] = []
    for (let pages = 0, next = query; ; pages++) {
      await between(pages)
      const { body } = await page(task, next)
      seen.push(...usersIn({ body }))
      const { next_cursor, has_more } = body.pagination
      if (!has_more) return seen.sort()
      expect(body.assignments).toHaveLength(Number(query.page_limit))
      next = { page_limit: query.page_limit ?? 25, page_cursor: next_cursor }
    }
  }

  it.each([
    ['LASTNAME_ASC', '', [1, 4]],
    ['LASTNAME_DESC', 'NEW', [2]],
    ['LASTNAME_DESC,LASTNAME_ASC', 'NEW', [1, 2]],
  ])(
    'are each shown once, whenever deadlines pass while pages are read: by %s %s',
    async (sort, progress_status, limits) => {
      const { task, users, isNew } = await distributed(6, [0, 3, 4])
      const expected = users.filter((id) => !progress_status || isNew(id)).sort()
      for (const page_limit of limits)
        for (let passes = 0; passes <= 6 / page_limit + 1; passes++) {
          service.setNow(days(1))
          const passing = (pages: number) => {
            // The first of them has an earlier deadline than the others.
            if (pages === passes) service.setNow(days(14))
            if (pages === passes + 1) service.setNow(days(15))
          }
          expect(await walked(task, { sort, page_limit, progress_status }, passing), `${page_limit} ${passes}`).toEqual(
            expected,
          )
        }
    },
  )

  it('are each shown once, whenever they are removed while pages are read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          deleted: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 }),
          page_limit: fc.integer({ min: 1, max: 4 }),
          sort: fc.constantFrom(...sorts),
          passes: fc.nat({ max: 3 }),
          purges: fc.nat({ max: 2 }),
        }),
        async ({ deleted, page_limit, sort, passes, purges }) => {
          const { task, users } = await distributed(5, deleted)
          const passing = async (pages: number) => {
            if (pages === passes) service.setNow(days(15))
            if (pages === passes + purges) await w.purge(service)
          }
          expect(await walked(task, { sort, page_limit }, passing)).toEqual([...users].sort())
        },
      ),
      { numRuns: runs(8) },
    )
    service.setNow(days(40))
    await w.purge(service)
    await audit(service)
  })

  it('have room in a cursor, however many are about to be deleted', async () => {
    const { shownBefore } = await import('../../domain/tasks/leavingRecipients.ts')
    const users = Array.from({ length: 1_000 }, (_, n) => `user-${n}`)
    const deadlines = new Map(users.map((id, n) => [id, days(14, (n * 7) % 1_000).toISOString()]))
    const leaving = { deadlines, gone: new Set<string>() }
    let shown: string | undefined
    for (let at = 0; at < 1_000; at += 25) shown = shownBefore(shown).with(users.slice(at, at + 25), leaving)
    expect(shown).toHaveLength(2_400)
    const row = (id: string) => ({ pk: `USER#${id}`, sk: 'TA#x', found: `1\u0000${id}` })
    const kept = users.filter((id) => shownBefore(shown).has(row(id)))
    const first = [...deadlines].sort(([, a], [, b]) => (a < b ? -1 : 1)).slice(0, 400)
    expect(new Set(kept)).toEqual(new Set(first.map(([id]) => id)))
    expect(shownBefore(undefined).with(['x'], leaving)).toBeUndefined()
  })
})
