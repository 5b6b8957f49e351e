import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient, type ExportOptions, exportUsers } from '../../client/src/index.ts'
import type { Any } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { serveHandlers } from '../harness/served.ts'
import { startService } from '../harness/service.ts'
import { tokenFor } from '../harness/tokens.ts'
import { trickyUsers } from '../harness/trickyUsers.ts'

const fields =
  'external_id,id,username,first_name,last_name,email,role,status,primary_user_group,preferred_language,tags'.split(',')
const attributes = ['department', 'job_title', 'joined_on', 'location', 'note']
const columns = [...fields, ...attributes.map((name) => `attribute:${name}`)]

let client: Client
/** What pages of users say about the search, in place of the truth. */
let found: object | undefined
let stop: () => void
beforeAll(async () => {
  await startService({ indexes: ['by_created_at'], users: [...people, ...trickyUsers(250, 5)] })
  const served = await serveHandlers((name, { body }) => {
    if (name === 'listUsers' && found !== undefined) Object.assign(body.pagination, found)
  })
  stop = served.stop
  client = createClient({ baseUrl: served.baseUrl, token: () => ({ access_token: tokenFor('admin') }) })
})
afterAll(() => stop?.())

const exported = async (options: ExportOptions = {}): Promise<string> => {
  let text = ''
  for await (const piece of exportUsers(client, options)) text += piece
  return text
}

/** What a user's row says, as the API answers the user. */
const valuesOf = (one: Any) => ({
  ...Object.fromEntries(fields.map((field) => [field, one[field]])),
  primary_user_group: one.primary_user_group.id,
  tags: one.tags.map(({ name }: Any) => name),
  ...Object.fromEntries(
    attributes.map((key) => [`attribute:${key}`, one.attributes.find(({ name }: Any) => name === key)?.value ?? null]),
  ),
})

/** As the contract says: one apostrophe off where it stands before one of these. */
const unguarded = (cell: string) => cell.replace(/^'(?=[=+\-@'\t\r])/, '')
/** Backslashes before a `|` come in twos; one that is left makes it a character. */
function tagsIn(cell: string): string[] {
  if (cell === '') return []
  const tags: string[] = ['']
  for (const [n, part] of cell.split(/(\\*\|)/).entries()) {
    const slashes = part.length - 1
    if (n % 2 === 0) tags.push(`${tags.pop()}${part}`)
    else tags.push(`${tags.pop()}${'\\'.repeat(slashes / 2)}${slashes % 2 === 1 ? '|' : ''}`)
    if (n % 2 === 1 && slashes % 2 === 0) tags.push('')
  }
  return tags
}
const readCell = (cell: string, { column }: Any) => {
  const raw = unguarded(cell)
  return column === 'tags' ? tagsIn(raw) : raw === '' ? null : raw
}
const rowsOf = (csv: string): Any[] => {
  const [head, ...rows] = parse(csv, { bom: true, record_delimiter: '\r\n' }) as string[][]
  return rows.map((row) => Object.fromEntries(row.map((cell, n) => [head?.[n], readCell(cell, { column: head?.[n] })])))
}

const everybody = async () => {
  const found: Any[] = []
  for await (const page of client.pages('/api/admin/users/v4/users', {
    params: { query: { sort: ['CREATED_AT_ASC'], page_limit: 100 } },
  }))
    found.push(...page.users)
  return found.filter(({ status }) => status !== 'PENDING_DELETION')
}

test('all texts come back from CSV, the oldest user first, and nobody who is leaving', async () => {
  const csv = await exported()
  const wanted = (await everybody()).map(valuesOf)
  expect(wanted.length).toBeGreaterThan(150)
  expect(rowsOf(csv)).toEqual(wanted)
  expect(csv.split('\r\n')[0]).toBe(`\ufeff${columns}`)
})

test('no cell begins as a formula does', async () => {
  const cells = parse(await exported(), { bom: true, record_delimiter: '\r\n' }).flat() as string[]
  expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
  expect(cells.filter((cell) => cell.startsWith("'")).length).toBeGreaterThan(20)
})

test('JSONL has the same values, and no apostrophes for spreadsheets', async () => {
  const lines = (await exported({ format: 'JSONL' }))
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one))
  expect(lines).toEqual((await everybody()).map(valuesOf))
  expect(Object.keys(lines[0])).toEqual(columns)
})

test.each([
  [{ status: ['LOCKED' as const] }, (one: Any) => one.status === 'LOCKED'],
  [{ search_term: 'ada' }, (one: Any) => one.id === 'admin'],
  [{ role: ['ADMIN' as const], status: [] }, (one: Any) => one.role === 'ADMIN'],
  [{ username: 'nobody' }, () => false],
])('the filter %o', async (filter, isWanted) => {
  const steps: { done: number; total: number }[] = []
  const rows = rowsOf(await exported({ filter, onProgress: (step) => steps.push(step) }))
  const wanted = (await everybody()).filter(isWanted)
  expect(rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
  expect(steps.at(-1)).toEqual({ done: wanted.length, total: wanted.length })
})

test('progress goes up to the number that there were', async () => {
  const steps: { done: number; total: number }[] = []
  await exported({ onProgress: (step) => steps.push(step) })
  expect(steps.length).toBeGreaterThan(1)
  expect(steps.map(({ done }) => done)).toEqual([...steps.map(({ done }) => done)].sort((a, b) => a - b))
  expect(new Set(steps.map(({ total }) => total))).toEqual(new Set([(await everybody()).length]))
})

test('ends when its signal says so', async () => {
  await expect(exported({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
})

test('refuses a search of which only some matches can be read', async () => {
  found = { total_relation: 'AT_LEAST', total_elements: 10_000 }
  const failed = exported({ filter: { search_term: 'u' } }).finally(() => {
    found = undefined
  })
  await expect(failed).rejects.toThrow('10000 users or more match, which is too many to read.')
})
