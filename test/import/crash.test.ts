import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import type { Item } from '../../domain/table/store.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit, dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import { type StoreFault, strike, tellingDeaths } from '../harness/faults.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small, summed } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

const start = '2026-11-21T09:00:00.000Z'

/** Small, but users of many groups fill more than one transaction. */
const directory = () => {
  const file = small()
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
  file.user_groups.push(
    ...numbers(80).map((n) => ({ id: `g-${n}`, title: [{ language: 'en-GB', text: 'G' }], type: 'CUSTOM' })),
  )
  for (const n of numbers(4)) {
    file.users.push({ id: `u-${n}`, username: `u-${n}`, first_name: 'U', last_name: 'U', external_id: `X-${n}` })
    for (const m of numbers(n === 0 ? 45 : 20))
      file.user_group_assignments.push({
        group_id: `g-${m + n * 20}`,
        user_id: `u-${n}`,
        role_id: 'coach',
        source: 'MANUAL',
      })
  }
  return file
}

/** The import as of the same moment whenever it happens, so that tables can be compared. */
const bringIn = (service: Service, file: unknown) => importDirectory({ ...contextOf(service), now: start }, file)
const runPurge = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)

/** What does not belong to a user, a task, or what they refer to: nothing, once all is over. */
const traces = (items: readonly Item[]) =>
  items.filter(
    ({ pk, sk, ...item }) =>
      (pk === 'WORK' && sk.startsWith('gone-~')) ||
      (pk === 'PURGE' && sk.startsWith('#')) ||
      'closed_until' in item ||
      'closed_by' in item,
  )

let undisturbed: Record<string, Item>
let deaths: number[]
beforeAll(async () => {
  const service = await emptyTable()
  service.setNow(start)
  const { calls, heal } = strike(service.client, () => undefined)
  await bringIn(service, directory())
  heal()
  deaths = tellingDeaths(calls)
  await audit(service)
  undisturbed = await summed(service)
}, 60_000)

/** What the schedule does of itself: nothing while the import may still be at work, and then all. */
async function clearedBySchedule(service: Service): Promise<void> {
  service.setNow('2026-11-21T09:00:59.000Z')
  const before = await summed(service)
  await runPurge()
  expect(await summed(service)).toEqual(before)
  service.setNow('2026-11-21T09:01:01.000Z')
  await runPurge()
  expect(traces(await dump(service))).toEqual([])
  await audit(service)
}

describe('an import whose process dies after any call to the store', () => {
  it('is cleared away by the schedule alone, or by the next import, which completes it', async () => {
    expect(deaths.length).toBeGreaterThan(10)
    for (const [n, last] of deaths.entries()) {
      const service = await emptyTable()
      service.setNow(start)
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await bringIn(service, directory()).catch(() => undefined)
      heal()
      expect(calls.count, 'it has died').toBeGreaterThanOrEqual(last)
      if (n % 2 === 0) await clearedBySchedule(service)
      service.setNow('2026-11-21T09:10:01.000Z')
      await bringIn(service, directory())
      expect(traces(await dump(service)), `after call ${last}`).toEqual([])
      expect(await summed(service), `after call ${last}`).toEqual(undisturbed)
      await audit(service)
    }
  }, 600_000)
})

/** Two parts of users, the second much smaller. */
const twoParts = () => ({
  users: Array.from({ length: 120 }, (_, n) => ({ id: `u-${n}`, username: `u-${n}`, first_name: 'U', last_name: 'U' })),
})

describe('an import that meets faults', () => {
  const struck = async (service: Service, file: unknown, faultOf: Parameters<typeof strike>[1]) => {
    const { heal } = strike(service.client, faultOf)
    return bringIn(service, file).finally(heal)
  }

  it.each<StoreFault>(['conflict', 'throttle', 'lostAnswer'])(
    'is the same as an undisturbed one although every third call meets a %s',
    async (fault) => {
      const service = await emptyTable()
      service.setNow(start)
      await struck(service, directory(), (n) => (n % 3 === 0 ? fault : undefined))
      expect(traces(await dump(service))).toEqual([])
      expect(await summed(service)).toEqual(undisturbed)
    },
    60_000,
  )

  it('takes back at once what it could not finish', async () => {
    const service = await emptyTable()
    service.setNow(start)
    let writes = 0
    // The door, the reference data and the first part come through; the second part does not.
    const lost = (_n: number, command: string): StoreFault | undefined =>
      command.startsWith('TransactWrite') && ++writes === 4 ? 'refused' : undefined
    await expect(struck(service, twoParts(), lost)).rejects.toThrow('Not like this')
    expect(traces(await dump(service))).toEqual([])
    await audit(service)
    const there = (await dump(service)).filter(({ sk }) => sk === 'USER').length
    expect(there).toBeGreaterThan(0)
    expect(there).toBeLessThan(120)
    expect((await bringIn(service, twoParts())).users).toMatchObject({ created: 120 - there, unchanged: there })
    await audit(service)
  }, 60_000)
})
