import { beforeAll, describe, expect, it } from 'vitest'
import type { Item } from '../../domain/table/store.ts'
import { taskItem } from '../../domain/tasks/task.ts'
import { countsOf, taskAssignmentItem } from '../../domain/tasks/taskAssignment.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

// What a page behind a cursor costs does not depend on how far down the list it is: rows and requests are counted.

const SIZE = 120
const page_limit = 15
/** Rows of a page in one list, where a range without values is read ahead and one row decides whether more follows. */
const MOST_ROWS = 6 * (page_limit + 1)
const day = (n: number): string => `2026-12-${String((n % 28) + 1).padStart(2, '0')}T08:00:00.000Z`
const moment = (n: number): string => new Date(Date.parse('2026-10-01T00:00:00.000Z') + n * 60_000).toISOString()

let service: Service
const costs = { requests: 0, rows: 0 }
beforeAll(async () => {
  service = await startService({
    users: [...people, { id: 'author' }, { id: 'ann' }],
    indexes: ['by_created_at', 'by_updated_at', 'by_location_or_due', 'by_username_or_change'],
  })
  const items = Array.from({ length: SIZE }, (_, n): Item[] => {
    // A third has no due date: these are in a separate range.
    const due_at = n % 3 === 0 ? null : { due_at_type: 'DATE_TIME' as const, date_time: day(n) }
    const task = w.task(`t-${n}`, { due_at, created_at: moment(n), updated_at: moment(n) })
    const progress = { progress_status: 'NEW' as const, created_at: moment(n), updated_at: moment(n) }
    return [taskItem(task, countsOf(['NEW'])), taskAssignmentItem(task, { id: 'ann', last_name: 'Ann' }, progress)]
  })
  const shared = w.task('shared')
  const recipients = Array.from({ length: SIZE }, (_, n) => {
    const progress = { progress_status: 'NEW' as const, created_at: moment(n), updated_at: moment(n) }
    return taskAssignmentItem(shared, { id: `r-${n}`, last_name: `Name ${n}` }, progress)
  })
  const all = [...items.flat(), taskItem(shared, { count: SIZE, open: 0, finished: 0 }), ...recipients]
  await service.store.bulk(all.map((put) => ({ put })))
  service.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args)
        costs.requests++
        if (commandName === 'QueryCommand') costs.rows += (answer.output as Any).ScannedCount
        return answer
      },
    { step: 'initialize', name: 'costs' },
  )
})

type Query = Record<string, string | number>
const lists: Record<string, (query: Query) => Promise<Reply>> = {
  listTasks: (query) => call('listTasks', { query, as: 'author' }),
  listOwnTaskAssignments: (query) =>
    call('listOwnTaskAssignments', { query: { distribution_kind: 'RECEIVED', ...query }, as: 'ann' }),
  listTaskAssignments: (query) => call('listTaskAssignments', { path: { task_id: 'shared' }, query, as: 'author' }),
}
const sorts: [name: string, sort: string][] = [
  ...['DUE_AT_ASC', 'DUE_AT_DESC', 'UPDATED_AT_ASC', 'UPDATED_AT_DESC', 'DUE_AT_ASC,UPDATED_AT_DESC'].map(
    (sort): [string, string] => ['listTasks', sort],
  ),
  ...['CREATED_AT_ASC', 'CREATED_AT_DESC', 'UPDATED_AT_DESC', 'DUE_AT_ASC', 'DUE_AT_DESC'].map(
    (sort): [string, string] => ['listOwnTaskAssignments', sort],
  ),
  ...['LASTNAME_ASC', 'LASTNAME_DESC'].map((sort): [string, string] => ['listTaskAssignments', sort]),
]

describe('pages behind a cursor', () => {
  it.each(sorts)('of %s by %s cost the same from the first to the last', async (name, sort) => {
    const pages: { requests: number; rows: number }[] = []
    const seen: string[] = []
    let cursor: string | null = null
    do {
      Object.assign(costs, { requests: 0, rows: 0 })
      const query = cursor === null ? { sort, page_limit } : { page_cursor: cursor, page_limit }
      const list = lists[name] as (query: Query) => Promise<Reply>
      const { status, body } = await list(query)
      expect(status).toBe(200)
      pages.push({ ...costs })
      seen.push(...(body.tasks ?? body.assignments).map((one: Any) => one.id ?? `${one.task_id} ${one.user_id}`))
      cursor = body.pagination.next_cursor
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(SIZE)
    const [first] = pages as [(typeof pages)[0]]
    for (const { rows, requests } of pages) {
      expect(rows, 'rows').toBeLessThanOrEqual(Math.max(2 * first.rows, MOST_ROWS))
      expect(requests, 'requests').toBeLessThanOrEqual(first.requests + 4)
    }
  })
})
