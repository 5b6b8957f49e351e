import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import type { Item } from '../../domain/table/store.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit, dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import { type StoreFault, strike, writesAmong } from '../harness/faults.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small, summed } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

const start = '2026-11-21T09:00:00.000Z'

/** Small, but users of many groups fill more than one transaction. */
const directory = () => {
  const file = small()
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
  file.user_groups.push(
    ...numbers(45).map((n) => ({ id: `g-${n}`, title: [{ language: 'en-GB', text: 'G' }], type: 'CUSTOM' })),
  )
  for (const n of numbers(2)) {
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

/** Nothing but the version of a user tells how many steps an import has taken. */
const comparable = async (service: Service) => {
  const items = Object.fromEntries(
    Object.entries(await summed(service)).filter(([, { pk }]) => !pk.startsWith('EVENTS#')),
  )
  for (const item of Object.values(items)) delete item.event
  for (const { sk, data } of Object.values(items)) if (sk === 'USER') delete (data as Any).version
  return items
}

let undisturbed: Record<string, Item>
let deaths: number[]
beforeAll(async () => {
  const service = await emptyTable()
  service.setNow(start)
  const { calls, heal } = strike(service.client, () => undefined)
  await bringIn(service, directory())
  heal()
  deaths = writesAmong(calls)
  await audit(service)
  undisturbed = await comparable(service)
})

describe('an import whose process dies after any call to the store', () => {
  it('leaves nothing half done, and is completed by the next import', async () => {
    expect(deaths.length).toBeGreaterThan(10)
    for (const last of deaths) {
      const service = await emptyTable()
      service.setNow(start)
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await bringIn(service, directory()).catch(() => undefined)
      heal()
      expect(calls.count, 'it has died').toBeGreaterThanOrEqual(last)
      await audit(service)
      service.setNow('2026-11-21T09:10:01.000Z')
      await bringIn(service, directory())
      await runPurge()
      // That table has been audited.
      expect(await comparable(service), `after call ${last}`).toEqual(undisturbed)
    }
  })
})

/** Users of many transactions. */
const many = () => ({
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
      expect(await comparable(service)).toEqual(undisturbed)
    },
  )

  it('leaves whole users where it had to stop', async () => {
    const service = await emptyTable()
    service.setNow(start)
    let writes = 0
    const lost = (_n: number, command: string): StoreFault | undefined =>
      command.startsWith('TransactWrite') && ++writes === 6 ? 'refused' : undefined
    await expect(struck(service, many(), lost)).rejects.toThrow('Not like this')
    await audit(service)
    const stored = (await dump(service)).filter(({ sk }) => sk === 'USER').length
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(120)
    expect((await bringIn(service, many())).users).toMatchObject({ created: 120 - stored, unchanged: stored })
    await audit(service)
  })
})
