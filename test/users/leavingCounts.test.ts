import fc from 'fast-check'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { creationOfImported } from '../../domain/import/importedUser.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { deadlineItems } from '../../domain/people/records/deadlineItem.ts'
import { countAttribute, userCounts } from '../../domain/people/records/userCounters.ts'
import * as keys from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { Died, type StoreFault, strike } from '../harness/faults.ts'
import { runs } from '../harness/runs.ts'
import { people, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// Totals count users pending deletion until their deadline, whatever has been done by then to remove or to keep them.

const HOUR = 3_600_000
const roles = ['USER', 'ADMIN'] as const

let service: Service
beforeAll(async () => {
  service = await startService({ users: people, indexes: { only: ['by_last_name'] } })
})

const later = (ms: number): void => service.setNow(new Date(service.now().getTime() + ms))
const purge = () => purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })

/** Creates users as the API or an import would: the latter also brings users pending deletion. */
async function bring(users: readonly Any[]): Promise<void> {
  for (const [shard, user] of users.entries()) {
    const record = userRecord({ first_name: 'Lea', last_name: 'Ving', ...user }, service.now().toISOString())
    const context = { now: service.now().toISOString(), shard, memberRole: 'group-member' }
    await service.store.write(creationOfImported(record, context))
  }
}

async function walk(query: object): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = []
  for (let page_number = 1; ; page_number++) {
    const { body } = await call('listUsers', { query: { ...query, page_limit: 100, page_number } })
    ids.push(...body.users.map(({ id }: Any) => id))
    const { total_pages, total_elements: total } = body.pagination
    if (page_number >= total_pages) return { ids: ids.sort(), total }
  }
}

/** Every list has the users who can be read, and a total that fits. */
async function compare(ids: readonly string[]): Promise<void> {
  const read = await Promise.all(ids.map((user_id) => call('getUser', { path: { user_id } })))
  const known: Any[] = read.filter(({ status }) => status === 200).map(({ body }) => body)
  const leaving = { status: 'PENDING_DELETION' }
  const queries = [
    {},
    leaving,
    ...roles.map((role) => ({ ...leaving, role })),
    { status: 'ACTIVE,LOCKED', role: 'USER' },
  ]
  for (const query of queries) {
    const fits = known.filter((user) =>
      Object.entries(query).every(([field, some]) => some.split(',').includes(user[field])),
    )
    const expected = fits.map(({ id }) => id).sort()
    expect(await walk(query), JSON.stringify(query)).toEqual({ ids: expected, total: expected.length })
  }
}

type Step = { name: keyof typeof taken; who: number; fault: StoreFault | undefined; nth: number }

/** What happens to the users of one run. */
const taken = {
  delete: (user_id: string) => call('deleteUser', { path: { user_id } }),
  restore: (user_id: string) => call('restoreUser', { path: { user_id } }),
  lock: (user_id: string) => call('lockUser', { path: { user_id } }),
  promote: (user_id: string) => call('updateUser', { path: { user_id }, body: { role: 'ADMIN' } }),
  purge,
  /** DynamoDB may remove the record of a user at any time after the deadline. */
  expire: async (user_id: string) => {
    const item = await service.store.get(keys.userKey(user_id))
    if (String(item?.['deletion_at'] ?? '9') <= service.now().toISOString())
      await service.store.bulk([{ delete: keys.userKey(user_id) }])
  },
  /** To the very instant of the next deadline, or just before it. */
  deadline: async () => meetDeadline(0),
  almost: async () => meetDeadline(-1),
  hour: async () => later(HOUR),
  /** By a clock that is behind, as those of two functions may differ. */
  lateRestore: async (user_id: string) => {
    const now = service.now()
    later(-HOUR)
    const restored = call('restoreUser', { path: { user_id } })
    service.setNow(now)
    return restored
  },
}

async function meetDeadline(by: number): Promise<void> {
  const { items } = await service.store.query({ ...keys.allDeadlineItems, consistent: true })
  const next = items.map(keys.momentOfDeadlineItem).find((deadline) => deadline > service.now().toISOString())
  if (next) service.setNow(new Date(Math.max(service.now().getTime(), Date.parse(next) + by)))
}

const stepOf = (faults: readonly (StoreFault | undefined)[]): fc.Arbitrary<Step> =>
  fc.record({
    name: fc.constantFrom<Step['name']>(
      ...(['delete', 'delete', 'delete', 'restore', 'restore', 'lock', 'promote', 'purge', 'purge'] as const),
      ...(['expire', 'deadline', 'deadline', 'deadline', 'almost', 'hour', 'lateRestore'] as const),
    ),
    who: fc.nat(4),
    fault: fc.constantFrom(...faults),
    nth: fc.integer({ min: 1, max: 6 }),
  })

/** What the process that died had to do is left to the next purge. */
function unlessDead(error: unknown): void {
  if (!(error instanceof Died)) throw error
}

let run = 0
/** Five users of each run, one of them an administrator and one imported with a deadline. */
async function begin(): Promise<string[]> {
  const ids = Array.from({ length: 5 }, (_, n) => `run-${++run}-${n}`)
  const deletion_at = new Date(service.now().getTime() + 7 * 24 * HOUR).toISOString()
  const leaving = { status: 'PENDING_DELETION', previous_status: 'LOCKED', deletion_at }
  await bring(ids.map((id, n) => ({ id, ...(n === 1 ? { role: 'ADMIN' } : n === 2 ? leaving : {}) })))
  return ids
}

const take = ({ name, who }: Step, ids: readonly string[]) => taken[name](ids[who] ?? '')
const everybody = (ids: readonly string[]) => [...ids, ...people.map(({ id }) => id ?? '')]

/** Whatever happened, in the end everybody is purged, once. */
async function end(ids: readonly string[]): Promise<void> {
  for (const id of ids) await taken.delete(id)
  later(31 * 24 * HOUR)
  await purge()
  await compare(everybody(ids))
  await audit(service)
  const shards = await userCounts.read(service.store, 'strong')
  for (const role of roles)
    expect(shards.reduce((sum, one) => sum + Number(one[countAttribute('PENDING_DELETION', role)] ?? 0), 0)).toBe(0)
}

describe('totals are what can be walked', () => {
  it('one thing after the other, with faults and deaths', async () => {
    const step = stepOf([undefined, undefined, undefined, 'conflict', 'throttle', 'lostAnswer', 'death'])
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
        const ids = await begin()
        for (const one of steps) {
          const { heal } = strike(service.client, (n) => (n === one.nth ? one.fault : undefined))
          await take(one, ids).catch(unlessDead).finally(heal)
          await compare(everybody(ids))
        }
        await end(ids)
      }),
      { numRuns: runs(4) },
    )
  })

  it('several at once, while two purges meet', async () => {
    const step = stepOf([undefined, undefined, 'conflict', 'lostAnswer'])
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 2, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
        async (rounds) => {
          const ids = await begin()
          for (const steps of rounds) {
            const { heal } = strike(service.client, (n) => steps.find(({ nth }) => nth === n)?.fault)
            await Promise.all([...steps.map((one) => take(one, ids)), purge()]).finally(heal)
            await compare(everybody(ids))
          }
          await end(ids)
        },
      ),
      { numRuns: runs(4) },
    )
  })

  it('for users who come with a deadline that is past', async () => {
    const ids = ['past-1', 'past-2']
    const leaving = { status: 'PENDING_DELETION', deletion_at: new Date(service.now().getTime() - 1).toISOString() }
    await bring(ids.map((id, n) => ({ ...leaving, id, role: roles[n] })))
    await compare(everybody(ids))
    await end([])
  })

  it('in every list that is asked for while a purge runs', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `crowd-${n}`)
    await bring(ids.map((id, n) => ({ id, role: roles[n % 2] })))
    for (const [n, id] of ids.entries()) {
      if (n === 17) later(HOUR)
      if (n !== 19) await taken.delete(id)
    }
    later(14 * 24 * HOUR - 1)
    const totals = async () => (await call('listUsers', { query: { page_limit: 1 } })).body.pagination.total_elements
    expect(await totals()).toBe(people.length + 3)
    let isPurging = true
    const purging = purge().finally(() => {
      isPurging = false
    })
    while (isPurging) expect(await totals()).toBe(people.length + 3)
    expect(await purging).toMatchObject({ purged: 17 })
    await end(ids.slice(17))
  })
})

/** Only what is counted of so many users, whose deadlines pass within an hour. */
async function manyItems(count: number, first: number): Promise<void> {
  const items = Array.from({ length: count }, (_, n) => {
    const [id, role] = [`many-${n}`, roles[n % 4 === 0 ? 1 : 0]] as const
    const deadline = new Date(first + Math.floor((n * HOUR) / count)).toISOString()
    return deadlineItems.item(keys.deadlineItemKey(deadline, id), { username: id, external_id: null, role })
  })
  await service.store.bulk(items.map((put) => ({ put })))
  const by = { [countAttribute('PENDING_DELETION', 'USER')]: (count * 3) / 4 }
  const administrators = { [countAttribute('PENDING_DELETION', 'ADMIN')]: count / 4 }
  await service.store.write([userCounts.add(7, { ...by, ...administrators })])
}

it('when two thousand deadlines pass within an hour, totals follow each of them', async () => {
  const others = service
  onTestFinished(() => {
    service = others
    service.activate()
  })
  service = await startService({ users: people, indexes: { only: ['by_last_name'] } })
  const [count, first] = [2_000, service.now().getTime() + HOUR]
  await manyItems(count, first)
  const total = async (query: object) =>
    (await call('listUsers', { query: { status: 'PENDING_DELETION', page_number: 1_000_000, ...query } })).body
      .pagination.total_elements
  for (const passed of [0, 1, 4, count / 2, count - 1, count]) {
    // Four deadlines pass in 7.2 seconds.
    service.setNow(new Date(first + Math.floor(((passed - 1) * HOUR) / count)))
    expect(await total({}), `${passed}`).toBe(count - passed)
    expect(await total({ role: 'ADMIN' }), `${passed}`).toBe(count / 4 - Math.ceil(passed / 4))
  }
})
