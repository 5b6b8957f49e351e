import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { usernameKey } from '../../domain/table/keys.ts'
import { openStore } from '../../domain/table/openStore.ts'
import type { Item, WorkStore } from '../../domain/table/store.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { openCopy } from '../../local/verify/tableCopy.ts'
import { readTable, verify } from '../../local/verify/verify.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'
import { dieAfterWrite } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { newTable } from '../harness/table.ts'

// The way back: a restored table is checked, and a stage is pointed at it.

const crowd = Array.from({ length: 300 }, (_, n) => ({ id: `c-${n}`, username: `c-${n}` }))
let service: Service
/** What the table held at the moment to which it is restored. */
let backup: Item[]
const title = [{ language: 'en-GB', text: 'Title' }]
const minutesLater = (minutes: number) => new Date(service.now().getTime() + minutes * 60_000)
const runSchedule = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)

beforeAll(async () => {
  service = await startService({ users: [...people, ...crowd] })
  await call('createGroup', { body: { id: 'team', title, parent_id: 'root' } })
  for (const user of ['c-0', 'c-1', 'c-2'])
    await call('updateUser', { path: { user_id: user }, body: { primary_user_group_id: 'team' } })
  await call('deleteUser', { path: { user_id: 'c-9' } })
  // Work of a call that has died: it is in the backup, too.
  const { heal } = dieAfterWrite(service.client, 1)
  await call('archiveGroup', { path: { group_id: 'team' } }).finally(heal)
  backup = await dump(service)
})

/** What AWS makes of a backup: a new table with the same items, and indexes that are filled again. */
async function restored(items: readonly Item[] = backup): Promise<{ tableName: string; store: WorkStore }> {
  const tableName = await newTable(service.client, [])
  const store = openStore({ client: service.client, name: tableName, newToken: randomUUID })
  await store.bulk(items.map((put) => ({ put })))
  return { tableName, store }
}
const check = async (tableName: string) =>
  verify(await readTable(service.client, tableName), service.now().toISOString())
const whatIn = async (tableName: string) => (await check(tableName)).findings.map(({ what }) => what)

describe('a table that is restored while calls go on', () => {
  it('is as it was, fits, and takes over: calls find what was there then, and the schedule does the work that was left', async () => {
    const traffic = Array.from({ length: 20 }, (_, n) => call('deleteUser', { path: { user_id: `c-${n + 100}` } }))
    const [{ tableName }] = await Promise.all([restored(), ...traffic])
    const { items, users, work } = await check(tableName)
    expect([items, work]).toEqual([backup.length, 1])
    expect(users).toBe(crowd.length + people.length)

    // Calls go on over the switch, and a list that was begun before it.
    const { next_cursor: page_cursor } = (await call('listUsers', { query: { page_limit: 5 } })).body.pagination
    const over = Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const path = { user_id: `c-${n + 200}` }
        return [(await call('getUser', { path })).status, (await call('lockUser', { path })).status]
      }),
    )
    process.env['TABLE_NAME'] = tableName
    try {
      expect(new Set((await over).flat())).toEqual(new Set([200]))
      expect((await call('listUsers', { query: { page_cursor, page_limit: 5 } })).status).toBe(200)
      expect((await call('getUser', { path: { user_id: 'c-100' } })).body.status).toBe('ACTIVE')
      expect((await call('getUser', { path: { user_id: 'c-9' } })).body.status).toBe('PENDING_DELETION')
      await Promise.all([
        call('lockUser', { path: { user_id: 'c-100' } }),
        call('deleteUser', { path: { user_id: 'c-3' } }),
      ])
      service.setNow(minutesLater(5))
      await runSchedule()
      expect((await call('getUser', { path: { user_id: 'c-0' } })).body.primary_user_group.id).not.toBe('team')
    } finally {
      service.activate()
    }
    expect(await check(tableName)).toMatchObject({ work: 0, findings: [] })
  })
})

it('the check names what is lost, what belongs to no user, and what is counted wrongly', async () => {
  const { tableName, store } = await restored()
  const before = await whatIn(tableName)
  const counter = backup.find(({ pk, sk }) => pk === 'USERS' && sk.startsWith('N#')) as Item
  await store.bulk([
    { delete: usernameKey('c-5') },
    { put: { ...usernameKey('ghost'), owner: 'ghost' } },
    { put: { ...counter, 'a:department': 7 } },
  ])
  const damage = (await whatIn(tableName)).filter((what) => !before.includes(what))
  expect(damage.sort()).toEqual(['names without a user', 'the items of c-5', 'uses of attributes'])
})

it('a copy that was begun goes on where it ended, and belongs to one table', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'copy.sqlite')
  const scans: number[] = []
  let isFailing = true
  service.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const { Segment } = args.input as Any
        if (commandName === 'ScanCommand') scans.push(Segment)
        if (isFailing && Segment === 3) throw new Error('The connection is lost')
        return next(args)
      },
    { step: 'initialize', name: 'countScans' },
  )
  onTestFinished(() => void service.client.middlewareStack.remove('countScans'))
  const half = openCopy(file, service.tableName)
  await expect(readTable(service.client, service.tableName, { copy: half })).rejects.toThrow('connection')
  half.close()
  expect(() => openCopy(file, 'another')).toThrow(`${file} is the copy of the table ${service.tableName}`)
  expect(statSync(file).mode & 0o077).toBe(0)

  isFailing = false
  scans.length = 0
  const copy = await readTable(service.client, service.tableName, { copy: openCopy(file, service.tableName) })
  expect(scans).toEqual([3])
  expect(copy.size()).toBe((await dump(service)).length)
  copy.remove()
  expect(readdirSync(folder)).toEqual([])
})

it('npm run verify says it with a status', async () => {
  const names = backup.filter(({ pk }) => pk.startsWith('USERNAME#'))
  const { tableName, store } = await restored(names)
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, DYNAMODB_ENDPOINT: dynamoDBEndpoint() }
  const run = (name: string) => promisify(execFile)(process.execPath, ['local/verify.ts', '--table', name], { env })
  await expect(run(tableName)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('- names without a user'),
  })
  await store.bulk(names.map(({ pk, sk }) => ({ delete: { pk, sk } })))
  expect((await run(tableName)).stdout).toContain('Everything agrees.')
  await store.bulk([{ put: { pk: 'USER#odd', sk: 'USER', data: 7 } }])
  await expect(run(tableName)).rejects.toMatchObject({ code: 1, stdout: expect.stringMatching(/^- /m) })
  await expect(run('nowhere')).rejects.toMatchObject({ stderr: expect.stringContaining('There is no table nowhere') })
})
