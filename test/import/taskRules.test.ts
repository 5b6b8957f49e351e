import { beforeEach, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { faultLines, ImportRefused } from '../../domain/import/importErrors.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

let service: Service
beforeEach(async () => {
  service = await emptyTable()
  service.setNow('2026-11-21T09:00:00.000Z')
  await importDirectory(contextOf(service), small())
})

const create = (as: string, body: object) =>
  call('createTask', { as, body: { title: 'T', recipients: [{ id: 'ben', type: 'USER' }], ...body } })
const imported = (parts: object) => ({
  tasks: [{ id: 'new', author_id: 'ben', title: 'T', body: {}, ...parts }],
  task_assignments: [{ task_id: 'new', user_id: 'ada' }],
})

it('external ids of tasks that an import brought are taken for their author, and for no other', async () => {
  expect((await create('ben', { external_id: 'T-2' })).body.error_code).toBe('DUPLICATE_EXTERNAL_ID')
  expect((await create('ada', { external_id: 'T-2' })).status).toBe(201)
  await audit(service)
})

it('external ids that an author has given are taken for an import of tasks of the same author', async () => {
  await create('ben', { external_id: 'T-9' })
  const refused = await importDirectory(contextOf(service), imported({ external_id: 'T-9' })).catch((error) => error)
  expect(refused).toBeInstanceOf(ImportRefused)
  expect(faultLines(refused.faults, 10)).toEqual([
    'tasks[0].external_id: must not belong to another task of its author',
  ])
  const ofAnother = imported({ external_id: 'T-9', author_id: 'ada' })
  expect((await importDirectory(contextOf(service), ofAnother)).tasks.created).toBe(1)
  await audit(service)
})

it('bodies are cleaned, and measured as they are stored', async () => {
  const op = { insert: 'x', attributes: { link: 'javascript:alert(1)' } }
  const html = '<a href="https://e.org" target="_blank" rel="opener">x</a>'
  await importDirectory(contextOf(service), imported({ body: { html, delta: JSON.stringify({ ops: [op] }) } }))
  expect((await call('getTask', { as: 'ben', path: { task_id: 'new' } })).body.body).toEqual({
    plain: 'x',
    html: '<a href="https://e.org" target="_blank" rel="noopener">x</a>',
    delta: '{"ops":[{"insert":"x","attributes":{}}]}',
  })
  await expect(
    importDirectory(contextOf(service), imported({ id: 'other', body: { html: '>'.repeat(12_501) } })),
  ).rejects.toThrow('tasks[0].body: must have at most 50000 characters')
  await audit(service)
})

it('two authors may have the same external id in one file, one may not', async () => {
  const both = (author_id: string) => ({
    tasks: [
      { id: 'one', author_id: 'ada', title: 'T', body: {}, external_id: 'same' },
      { id: 'two', author_id, title: 'T', body: {}, external_id: 'same' },
    ],
    task_assignments: ['one', 'two'].map((task_id) => ({ task_id, user_id: 'ada' })),
  })
  await expect(importDirectory(contextOf(service), both('ada'))).rejects.toThrow(
    'tasks[1].external_id: is the same as that of tasks[0], and so is author_id',
  )
  expect((await importDirectory(contextOf(service), both('ben'))).tasks.created).toBe(2)
  await audit(service)
})

const counted = (counts: Record<string, number>) => Object.entries(counts).map(([status, count]) => ({ status, count }))

it('a task comes with all of its recipients, each with their progress, whatever happens to the import', async () => {
  const statuses = ['NEW', 'OPEN', 'FINISHED'] as const
  const users = Array.from({ length: 70 }, (_, n) => ({
    id: `r-${n}`,
    username: `r-${n}`,
    first_name: 'R',
    last_name: 'R',
  }))
  const file = {
    users,
    tasks: [{ id: 'new', author_id: 'ben', title: 'T', body: {} }],
    task_assignments: users.map(({ id }, n) => ({ task_id: 'new', user_id: id, progress_status: statuses[n % 3] })),
  }
  // The task is written, the work that it leaves is not done.
  const isWork = (input: Any) => JSON.stringify(input).includes('"WORK"') && !JSON.stringify(input).includes('"title"')
  const { heal } = strike(service.client, (_n, command, input) =>
    command.startsWith('TransactWrite') && isWork(input) ? 'refused' : undefined,
  )
  await expect(importDirectory(contextOf(service), file)).rejects.toThrow()
  heal()
  const summary = async () => (await call('getTaskSummary', { as: 'ben', path: { task_id: 'new' } })).body
  expect((await summary()).total).toBe(30)
  service.setNow('2026-11-21T09:02:00.000Z')
  await purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
  expect(await summary()).toEqual({
    distribution: { state: 'DONE', total: 70, done: 70 },
    total: 70,
    items: counted({ NEW: 24, OPEN: 23, FINISHED: 23 }),
  })
  expect((await importDirectory(contextOf(service), file)).task_assignments).toMatchObject({
    created: 0,
    unchanged: 70,
  })
  await audit(service)
})

it('a stored task gets the recipients that it lacks, with their progress', async () => {
  const users = Array.from({ length: 60 }, (_, n) => ({
    id: `r-${n}`,
    username: `r-${n}`,
    first_name: 'R',
    last_name: 'R',
  }))
  const task_assignments = users.map(({ id }) => ({ task_id: 'drill', user_id: id, progress_status: 'FINISHED' }))
  const { task_assignments: tally } = await importDirectory(contextOf(service), { users, task_assignments })
  expect(tally).toMatchObject({ created: 60 })
  const { body } = await call('getTaskSummary', { as: 'ada', path: { task_id: 'drill' } })
  expect(body).toEqual({
    distribution: { state: 'DONE', total: 62, done: 62 },
    total: 62,
    items: counted({ NEW: 1, OPEN: 1, FINISHED: 60 }),
  })
  await audit(service)
})
