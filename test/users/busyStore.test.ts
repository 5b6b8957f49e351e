import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { type StoreFault, strike, withoutWaits } from '../harness/faults.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
const crowd = Array.from({ length: 150 }, (_, n) => ({ id: `c-${n}`, username: `c-${n}` }))
beforeAll(async () => {
  service = await startService({
    users: [{ id: 'admin', username: 'admin', role: 'ADMIN' }, ...crowd],
    indexes: 'none',
  })
})

/** Faults that transactions meet one after the other; the last one stays. */
function strikeWrites(...faults: (StoreFault | undefined)[]) {
  let n = 0
  return strike(service.client, (_n, command) =>
    command.startsWith('TransactWrite') ? faults[Math.min(n++, faults.length - 1)] : undefined,
  )
}

describe('a write whose answer was lost', () => {
  const user = { user_id: 'c-0' }
  const items = { items: [{ id: 'c-1' }] }

  it.each<StoreFault>(['throttle', 'conflict'])(
    'is never told as not done, although it only meets a %s from then on',
    async (fault) => {
      let struck = strikeWrites('lostAnswer', fault)
      const single = await withoutWaits(() => call('lockUser', { path: user })).finally(struck.heal)
      expect(single.body.error_code).toBe('SERVICE_UNAVAILABLE')
      expect((await call('getUser', { path: user })).body.status).toBe('LOCKED')
      await call('unlockUser', { path: user })

      struck = strikeWrites('lostAnswer', fault)
      const batch = await withoutWaits(() => call('deleteUsers', { body: items })).finally(struck.heal)
      expect(batch.body.items[0]).toMatchObject({
        id: 'c-1',
        status: 503,
        error: { error_code: 'SERVICE_UNAVAILABLE' },
      })
      expect((await call('getUser', { path: { user_id: 'c-1' } })).body.status).toBe('PENDING_DELETION')
      await call('restoreUsers', { body: items })
    },
  )

  it('is reported as done when the store answers again', async () => {
    const { heal } = strikeWrites('lostAnswer', 'throttle', 'throttle', undefined)
    const batch = await call('deleteUsers', { body: { items: [{ id: 'c-2' }] } }).finally(heal)
    expect(batch.body.items[0]).toMatchObject({ id: 'c-2', status: 200 })
  })

  it.each<[string, string, object]>([
    ['user', 'createUser', { id: 'lost', username: 'lost', first_name: 'Lo', last_name: 'St', ...ordinary }],
    ['group', 'createGroup', { id: 'lost', title: [{ language: 'en-GB', text: 'Lost' }], parent_id: 'root' }],
  ])('of a new %s is no conflict with itself: every attempt has the token of the first', async (_what, name, body) => {
    const tokens: unknown[] = []
    const faults = ['lostAnswer', 'throttle', 'conflict'] as const
    const { heal } = strike(service.client, (_n, command, { ClientRequestToken }) =>
      command.startsWith('TransactWrite') ? faults[tokens.push(ClientRequestToken) - 1] : undefined,
    )
    const { status } = await call(name, { body }).finally(heal)
    expect([status, tokens.length, new Set(tokens).size]).toEqual([201, 4, 1])
    expect(tokens[0]).toEqual(expect.any(String))
  })
})

describe('an item of a batch', () => {
  /** Lets a fault strike the transactions that write this user. */
  const writesOf = (id: string, fault: () => StoreFault | undefined) =>
    strike(service.client, (_n, command, input) =>
      command.startsWith('TransactWrite') && JSON.stringify(input).includes(`"USER#${id}"`) ? fault() : undefined,
    )
  const items = ['c-3', 'c-4'].map((id) => ({ id }))

  it('that only other transactions kept from its record has status 429: nothing of it was done', async () => {
    const { heal } = writesOf('c-3', () => 'conflict')
    const { status, body } = await withoutWaits(() => call('deleteUsers', { body: { items } })).finally(heal)
    expect([status, body.items[1].status]).toEqual([200, 200])
    const error = { error_code: 'TOO_MANY_REQUESTS', done: false }
    expect(body.items[0]).toMatchObject({ id: 'c-3', status: 429, error })
    expect((await call('getUser', { path: { user_id: 'c-3' } })).body.status).toBe('ACTIVE')
    expect((await call('lockUser', { path: { user_id: 'c-3' } })).status).toBe(200)
  })

  it('has status 409 where others change the record again and again', async () => {
    let changes = 0
    const key = { pk: 'USER#c-5', sk: 'USER' }
    const change = async () => {
      const item = (await service.store.get(key)) as Any
      await service.store.write([{ put: { ...item, data: { ...item.data, version: item.data.version + 1 } } }])
      changes++
    }
    service.client.middlewareStack.add(
      (next, context) => async (args) => {
        const isOurs = JSON.stringify(args.input).includes('PENDING_DELETION')
        if (context['commandName'] === 'TransactWriteItemsCommand' && isOurs) await change()
        return next(args)
      },
      { step: 'initialize', name: 'faster', override: true },
    )
    const work = withoutWaits(() => call('deleteUsers', { body: { items: [{ id: 'c-5' }] } }))
    const { body } = await work.finally(() => service.client.middlewareStack.remove('faster'))
    expect(body.items[0]).toMatchObject({ status: 409, error: { error_code: 'CONCURRENT_MODIFICATION' } })
    expect(changes).toBe(10)
  })
})

describe('a batch of which some records cannot be read', () => {
  const wanted = Array.from({ length: 100 }, (_, n) => `c-${n + 10}`)
  const isAskedFor = (input: Record<string, unknown>, id: string): boolean =>
    JSON.stringify(input).includes(`"USER#${id}"`)

  it('has status 429 for those, and does the others', async () => {
    const unread = new Set<string>()
    const { heal } = strike(service.client, (_n, command, input) => {
      // The caller is read with the first records; of the other ones the store has no room for those it is asked for first.
      if (!command.startsWith('BatchGet') || isAskedFor(input, 'admin')) return undefined
      const asked = wanted.filter((id) => isAskedFor(input, id))
      for (const id of asked) unread.add(id)
      return asked.length > 0 ? 'throttle' : undefined
    })
    const items = wanted.map((id) => ({ id }))
    const { status, body } = await call('deleteUsers', { body: { items } }).finally(heal)
    expect(status).toBe(200)
    expect(unread.size).toBeGreaterThan(0)
    expect(unread.size).toBeLessThan(wanted.length)
    for (const { id, status: one, error } of body.items)
      expect([id, one, error?.error_code]).toEqual(
        unread.has(id) ? [id, 429, 'TOO_MANY_REQUESTS'] : [id, 200, undefined],
      )
    const again = await call('deleteUsers', { body: { items: [...unread].map((id) => ({ id })) } })
    expect(new Set(again.body.items.map((item: { status: number }) => item.status))).toEqual(new Set([200]))
  })
})

describe('many creations', () => {
  /** The counters that transactions add to while something is done, by partition. */
  async function countersOf(work: () => Promise<unknown>): Promise<Map<string, Set<string>>> {
    const used = new Map<string, Set<string>>()
    const { heal } = strike(service.client, (_n, command, { TransactItems }) => {
      for (const { Update } of command.startsWith('TransactWrite') ? (TransactItems as Any[]) : [])
        if (Update) used.set(Update.Key.pk.S, (used.get(Update.Key.pk.S) ?? new Set()).add(Update.Key.sk.S))
      return undefined
    })
    await work().finally(heal)
    return used
  }
  const names = Array.from({ length: 24 }, (_, n) => `many-${n}`)
  // Each call picks one of 32 shards; that 24 calls pick less than six of them is as good as impossible.
  const SPREAD = 5

  it('count in many shards, of the users and of their group', async () => {
    const used = await countersOf(() =>
      Promise.all(
        names.map((id) =>
          call('createUser', { body: { ...ordinary, id, username: id, first_name: 'A', last_name: 'B' } }),
        ),
      ),
    )
    for (const counter of ['USERS', 'GROUP#all-users']) expect(used.get(counter)?.size, counter).toBeGreaterThan(SPREAD)
  })

  it('and so does a batch', async () => {
    const items = names.map((_, n) => ({ id: `c-${n + 120}` }))
    const used = await countersOf(() => call('deleteUsers', { body: { items } }))
    expect(used.get('USERS')?.size).toBeGreaterThan(SPREAD)
  })
})

it('leaves the table whole', () => audit(service))
