import { beforeEach, describe, expect, it } from 'vitest'
import { closeDoor } from '../../domain/import/door.ts'
import { ImportStopped } from '../../domain/import/importContext.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { handler as importHandler } from '../../handlers/maintenance/importDirectory.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

let service: Service
beforeEach(async () => {
  service = await emptyTable()
  service.setNow('2026-11-21T09:00:00.000Z')
  await importDirectory(contextOf(service), small())
})

const nothing = async () => {}
const runPurge = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
const create = (username: string) =>
  call('createUser', { as: 'ada', body: { ...ordinary, first_name: 'X', last_name: 'X', username } })
const rename = (body: object) => call('updateUser', { as: 'ada', path: { user_id: 'ben' }, body })

describe('while an import runs', () => {
  it('nobody gets a new username or external id, and everything else goes on', async () => {
    const door = await closeDoor(contextOf(service))
    for (const refused of [await create('x'), await rename({ username: 'x' }), await rename({ external_id: 'x' })]) {
      expect(refused.status).toBe(503)
      expect(refused.body.detail).toBe('An import is running: try again when it is done')
      expect(refused.headers['retry-after']).toBeTruthy()
    }
    expect((await rename({ last_name: 'Ohlsson' })).status).toBe(200)
    expect((await call('lockUser', { as: 'ada', path: { user_id: 'ben' } })).status).toBe(200)
    expect((await call('deleteUser', { as: 'ada', path: { user_id: 'ben' } })).status).toBe(200)
    expect((await call('restoreUser', { as: 'ada', path: { user_id: 'ben' } })).status).toBe(200)
    await door.open(nothing)
    expect((await create('x')).status).toBe(201)
    await audit(service)
  })

  it('a second one is refused in one line', async () => {
    const door = await closeDoor(contextOf(service))
    const before = await dump(service)
    await expect(importDirectory(contextOf(service), small())).rejects.toThrow(
      /^Another import is running, or died less than a minute ago: try again when it is over$/,
    )
    expect(await dump(service)).toEqual(before)
    await door.open(nothing)
    await importDirectory(contextOf(service), small())
  })
})

describe('an import that cannot ask the database', () => {
  it('says to import again, and one log line says why', async () => {
    const before = await dump(service)
    service.logged()
    const { heal } = strike(service.client, (_n, command) => (command.includes('Write') ? 'unreachable' : undefined))
    const context = { getRemainingTimeInMillis: () => 900_000 } as Any
    await expect(importHandler(small(), context).finally(heal)).rejects.toThrow(
      /^The database is busy or cannot be reached: import the directory again to go on$/,
    )
    const why = { level: 'error', endpoint: 'importDirectory', fault: 'StoreUnreachable', cause: 'ECONNREFUSED' }
    expect(service.logged()).toEqual([expect.objectContaining(why)])
    expect(await dump(service)).toEqual(before)
  })
})

describe('an import that is over', () => {
  it('leaves no trace of the door, however it ended', async () => {
    const traces = async () => (await dump(service)).filter((item) => 'closed_until' in item || 'closed_by' in item)
    expect(await traces()).toEqual([])
    await expect(importDirectory(contextOf(service), { users: [{ id: 'x' }] })).rejects.toThrow()
    const held = [{ username: 'ben', first_name: 'X', last_name: 'X', id: 'x' }]
    await expect(importDirectory(contextOf(service), { users: held })).rejects.toThrow()
    expect(await traces()).toEqual([])
  })

  it('keeps the door closed if it died, until the schedule or another import has cleared up', async () => {
    const { heal } = strike(service.client, (n) => (n === 3 ? 'death' : undefined))
    await expect(importDirectory(contextOf(service), { users: [] })).rejects.toThrow()
    heal()
    expect((await create('x')).status).toBe(503)
    await expect(importDirectory(contextOf(service), small())).rejects.toThrow(ImportStopped)
    service.setNow('2026-11-21T09:00:59.999Z')
    await runPurge()
    service.setNow('2026-11-21T09:01:00.001Z')
    expect((await create('x')).status).toBe(503)
    await runPurge()
    expect((await create('x')).status).toBe(201)
    await importDirectory(contextOf(service), small())
    expect((await create('y')).status).toBe(201)
    await audit(service)
  })

  it('keeps the door closed as long as something half done lies behind it', async () => {
    const isOfUsers = (_n: number, command: string, { TransactItems = [] }: Any) =>
      command.startsWith('TransactWrite') && JSON.stringify(TransactItems).includes('USER#x"')
    const { heal } = strike(service.client, (...args) => (isOfUsers(...args) ? 'refused' : undefined))
    const users = [{ id: 'x', username: 'x', first_name: 'X', last_name: 'X' }]
    await expect(importDirectory(contextOf(service), { users })).rejects.toThrow('Not like this')
    heal()
    expect((await create('y')).status).toBe(503)
    service.setNow('2026-11-21T09:01:01.000Z')
    await runPurge()
    expect((await create('y')).status).toBe(201)
    await audit(service)
  })

  it('is closed, and opened, although others change the counters all the time', async () => {
    let n = 0
    const isClosed = (command: string, input: object) =>
      command.startsWith('TransactWrite') && JSON.stringify(input).includes('closed_until')
    const { heal } = strike(service.client, (_n, command, input) =>
      isClosed(command, input) && n++ % 11 !== 10 ? 'conflict' : undefined,
    )
    await importDirectory(contextOf(service), { users: [] }).finally(heal)
    expect((await create('x')).status).toBe(201)
    await audit(service)
  })
})

describe('an import that was held up', () => {
  it('gives way when the door was open in between', async () => {
    let now = new Date('2026-11-21T09:00:00.000Z')
    const directory = { users: [{ id: 'x', username: 'x', first_name: 'X', last_name: 'X' }] }
    const context = {
      ...contextOf(service),
      clock: () => now,
      // The process sleeps between the checks and the first write of users.
      onProgress: () => {
        now = new Date('2026-11-21T09:00:45.000Z')
      },
    }
    await expect(importDirectory(context, directory)).rejects.toThrow(
      /^The import was held up for too long and gave way/,
    )
    expect((await call('listUsers', { as: 'ada', query: { username: 'x' } })).body.users).toEqual([])
    await importDirectory({ ...contextOf(service), clock: () => now }, directory)
    service.setNow('2026-11-21T09:11:00.000Z')
    await audit(service)
  })

  it('writes no users when another import has closed the door meanwhile', async () => {
    const door = await closeDoor(contextOf(service))
    const later = () => new Date('2026-11-21T09:01:30.000Z')
    const other = await closeDoor({ ...contextOf(service), clock: later })
    const update = { update: { pk: 'USERS', sk: 'N#00' }, add: { x: 1 } }
    await expect(service.store.write([{ ...update, ...door.behind() }])).rejects.toThrow(ImportStopped)
    await expect(door.open(nothing)).rejects.toThrow()
    await other.open(nothing)
  })
})
