import { beforeAll, expect, it } from 'vitest'
import { audit } from '../../harness/audit.ts'
import { type Any, call } from '../../harness/call.ts'
import { dieAfterWrite } from '../../harness/faults.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { apply, cancel, changes, faults, get, work } from '../plans.ts'
import { checking, csv } from './plansOfFiles.ts'

// A worker that dies at any of its writes: the next one goes on, and no row is judged or made twice.

const crowd = Array.from({ length: 130 }, (_, n) => `q-${String(n).padStart(3, '0')}`)
let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...crowd.map((id) => ({ id, username: id, external_id: `E-${id}` }))],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

const rows = [
  ...crowd.slice(4).map((id, n) => [`E-${id}`, n < 20 ? `new-${id}` : id, 'Some', n % 30 === 0 ? 'LOCKED' : '']),
  // A chain, a circle, somebody new, and faults.
  [`E-${crowd[1]}`, crowd[2] ?? '', 'Some', ''],
  [`E-${crowd[2]}`, crowd[1] ?? '', 'Some', ''],
  ['E-new', crowd[4] ?? '', 'Nina', ''],
  [`E-${crowd[3]}`, 'admin', 'Some', ''],
  ['', 'nobody', 'Some', ''],
]
const file = csv(
  ['external_id', 'username', 'first_name', 'status', 'last_name'],
  ...rows.map((row) => [...row, 'One']),
)
const options = { limits: { changed_percent: 100, lifecycle_percent: 100 } }

/** What a plan says, without what differs from one plan to the next. */
const shown = async (id: string): Promise<Any[]> => [
  (await get(id)).counts,
  (await changes(id)).map(({ number, row, user, action, fields }) => [
    ...[number, row, action, action === 'CREATE' ? null : user.id],
    fields,
  ]),
  await faults(id),
]

async function diesUntilReady(id: string, nth: number): Promise<number> {
  let deaths = 0
  for (; (await get(id)).state === 'CHECKING'; deaths++) {
    const { heal } = dieAfterWrite(service.client, nth)
    await work(service, id, () => {}).catch(() => undefined)
    heal()
    service.setNow(new Date(service.now().getTime() + 11_000))
  }
  return deaths
}

it('checks the same, wherever it dies', async () => {
  const first = await checking(file, options)
  await work(service, first.id)
  const whole = await shown(first.id)
  expect(whole[0]).toMatchObject({ rows: 131, faults: 2, creations: 1, updates: 22, lifecycle: 5 })
  await cancel(first.id)
  // Each of its writes in turn, and each of the second and third again and again.
  for (const nth of [2, 3, 4, 5]) {
    const { id } = await checking(file, options)
    const deaths = await diesUntilReady(id, nth)
    expect(deaths).toBeGreaterThan(0)
    expect(await shown(id)).toEqual(whole)
    if (nth < 5) await cancel(id)
    else {
      await apply(id, whole[0].planned)
      for (let n = 0; (await get(id)).state !== 'DONE'; n++) {
        const { heal } = dieAfterWrite(service.client, 4 + (n % 7))
        await work(service, id, () => {}).catch(() => undefined)
        heal()
        service.setNow(new Date(service.now().getTime() + 11_000))
      }
      expect((await get(id)).counts).toMatchObject({ done: whole[0].planned, skipped: 0, failed: 0 })
      expect((await call('getUser', { path: { user_id: crowd[1] ?? '' } })).body.username).toBe(crowd[2])
    }
  }
  await audit(service)
})

it('goes on in the middle of reading', async () => {
  // The faults of so many rows are several steps.
  const faulty = Array.from({ length: 1_200 }, () => ['', 'Some', ''])
  const text = csv(['external_id', 'first_name', 'department'], ...faulty, ['E-q-001', 'Other', 'Sales'])
  const columns = { first_name: 'first_name', external_id: 'external_id', note: null }
  const { id } = await checking(text, { columns })
  expect(await diesUntilReady(id, 2)).toBeGreaterThan(3)
  expect(await get(id)).toMatchObject({ fault: null, counts: { rows: 1_201, faults: 1_200, updates: 1 } })
})
