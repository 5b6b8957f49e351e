import { parse } from 'csv-parse/sync'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { planItemKey } from '../../domain/table/keys.ts'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { cancel, checked } from './plans.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ users: people })
})
const planOf = (...user_ids: string[]): Promise<Any> =>
  checked(service, { kind: 'SELECTION', select: { user_ids }, change: { action: 'LOCK' } })
const read = (plan_id: string, query: Record<string, string | number>, headers = {}) =>
  call('listPlanFaults', { path: { plan_id }, query, headers })

it('faults are one text for spreadsheets, by RFC 4180 and without formulas', async () => {
  const plan = await planOf('=1+1', 'say "no", twice', 'plain', 'two\nlines', '@me')
  const { status, body, headers } = await read(plan.id, { format: 'CSV' })
  expect([status, headers['content-type'], headers['etag']]).toEqual([200, 'text/csv; charset=utf-8', undefined])
  expect(body.split('\r\n').slice(0, 3)).toEqual([
    'row,column,code,detail',
    '1,,USER_NOT_FOUND,User =1+1: There is no such user',
    '2,,USER_NOT_FOUND,"User say ""no"", twice: There is no such user"',
  ])
  const { faults } = (await read(plan.id, { format: 'JSON', page_limit: 100 })).body
  const text = (value: unknown) => String(value ?? '')
  expect(parse(body, { columns: true })).toEqual(
    faults.map((fault: Any) => Object.fromEntries(Object.entries(fault).map(([name, value]) => [name, text(value)]))),
  )
  await cancel(plan.id)
})

it('a cell that begins like a formula is guarded', async () => {
  const plan = await planOf('nobody')
  const faults = [{ row: 1, column: '=cmd()', code: 'USER_NOT_FOUND', detail: '-2' }]
  await service.store.bulk([{ put: { ...planItemKey(plan.id, 'FAULTS', 0), faults } }])
  expect((await read(plan.id, { format: 'CSV' })).body).toBe(
    "row,column,code,detail\r\n1,'=cmd(),USER_NOT_FOUND,'-2\r\n",
  )
  await cancel(plan.id)
})

it('a plan without faults has the header alone', async () => {
  const plan = await planOf('plain')
  expect((await read(plan.id, { format: 'CSV' })).body).toBe('row,column,code,detail\r\n')
  await cancel(plan.id)
})

it('ten thousand faults are one answer, and pages show each once', async () => {
  const plan = await planOf('nobody')
  const some = (first: number) =>
    Array.from({ length: 1_000 }, (_, n) => ({ row: first + n + 1, column: null, code: 'USER_NOT_FOUND', detail: 'x' }))
  const parts = Array.from({ length: 10 }, (_, n) => ({
    put: { ...planItemKey(plan.id, 'FAULTS', 1_000 * n), faults: some(1_000 * n) },
  }))
  await service.store.bulk(parts)
  const { body: text } = await read(plan.id, { format: 'CSV' })
  const rows: Any[] = parse(text, { columns: true })
  expect(rows.map(({ row }) => Number(row))).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1))
  let items = 0
  const count = (next: Any) => async (args: Any) => {
    const answer = await next(args)
    items += answer.output.Items?.length ?? 0
    return answer
  }
  service.client.middlewareStack.add(count, { step: 'initialize', name: 'count' })
  onTestFinished(() => void service.client.middlewareStack.remove('count'))
  const found: number[] = []
  let query: Record<string, string | number> = { page_limit: 100 }
  for (let page = 0; page < 11; page++) {
    items = 0
    const { body } = await read(plan.id, query)
    expect(items, 'read for a page').toBeLessThanOrEqual(3)
    found.push(...body.faults.map(({ row }: Any) => row))
    query = { page_limit: 100, page_cursor: body.pagination.next_cursor }
  }
  expect(found).toEqual(Array.from({ length: 1_100 }, (_, n) => n + 1))
  await cancel(plan.id)
})

it.each([
  [{ format: 'XLSX' }, 'format'],
  [{ format: 'csv' }, 'format'],
  [{ format: 'CSV', page_limit: 10 }, 'page_limit'],
  [{ format: 'CSV', page_cursor: 'x' }, 'page_cursor'],
])('%j is refused', async (query, property) => {
  const { status, body } = await read('unknown', query as Record<string, string>)
  expect([status, body.error_code, body.property]).toEqual([400, 'VALIDATION_ERROR', property])
})

it('of an unknown plan there are none', async () => {
  const { status, body } = await read('unknown', { format: 'CSV' })
  expect([status, body.error_code]).toEqual([404, 'PLAN_NOT_FOUND'])
})
