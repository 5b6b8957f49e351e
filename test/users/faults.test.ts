import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { audit } from '../harness/audit.ts'
import { call, type Request } from '../harness/call.ts'
import { dieAfterWrite, type StoreFault, strike, withoutWaits } from '../harness/faults.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
let serial = 0
let id = ''
beforeAll(async () => {
  service = await startService({ indexes: 'none' })
})
beforeEach(async () => {
  id = `u-${++serial}`
  service.setNow('2026-11-21T09:00:00.000Z')
  const body = {
    id,
    first_name: 'Zoë',
    last_name: 'Weiß',
    username: `zoe-${serial}`,
    external_id: `x-${serial}`,
    attributes: [{ name: 'department', value: 'Research' }],
  }
  await call('createUser', { body: { ...ordinary, ...body } })
})

const path = () => ({ user_id: id })
const steps: [string, () => [name: string, request: Request][]][] = [
  [
    'create',
    () => [
      [
        'createUser',
        {
          body: {
            ...ordinary,
            id: `n-${serial}`,
            first_name: 'N',
            last_name: 'N',
            username: `n-${serial}`,
            external_id: `n-${serial}`,
          },
        },
      ],
    ],
  ],
  [
    'rename',
    () => [
      [
        'updateUser',
        { path: path(), body: { last_name: 'Schwarz', username: `new-${serial}`, external_id: `new-${serial}` } },
      ],
    ],
  ],
  ['move', () => [['updateUser', { path: path(), body: { primary_user_group_id: 'sales', attributes: null } }]]],
  [
    'promote',
    () => [
      ['updateUser', { path: path(), body: { role: 'ADMIN' } }],
      ['updateUser', { path: path(), body: { role: 'USER' } }],
    ],
  ],
  [
    'lock',
    () => [
      ['lockUser', { path: path() }],
      ['unlockUser', { path: path() }],
    ],
  ],
  [
    'delete and restore',
    () => [
      ['deleteUser', { path: path() }],
      ['restoreUser', { path: path() }],
    ],
  ],
]

describe('whatever the store does, an operation happens once or not at all', () => {
  describe.each(steps)('%s', (_name, calls) => {
    it.each<StoreFault>(['conflict', 'throttle', 'lostAnswer'])(
      'succeeds although every call meets a %s at first',
      async (fault) => {
        for (const [name, request] of calls()) {
          const seen = new Set<string>()
          const { heal } = strike(service.client, (_n, command) => {
            const isFirst = !seen.has(command)
            seen.add(command)
            return isFirst ? fault : undefined
          })
          const { status } = await call(name, request)
          heal()
          expect(status).toBeLessThan(300)
        }
        // The user stays in the table, which the next deaths audit.
      },
    )

    it('leaves all or nothing when the process dies after any write, and can be repeated', async () => {
      for (const [name, request] of calls()) {
        for (let nth = 1; ; nth++) {
          const { isOver, heal } = dieAfterWrite(service.client, nth)
          const { status } = await call(name, request)
          heal()
          await audit(service)
          if (isOver()) {
            // What has already happened is not a fault, except a restore: it cannot be asked for twice.
            expect(status).toBe(name === 'restoreUser' ? 409 : 200)
            break
          }
        }
      }
    })
  })

  it('answers 503 and does nothing while the store stays throttled', async () => {
    const { heal } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') ? 'throttle' : undefined,
    )
    const { status, headers } = await withoutWaits(() => call('lockUser', { path: path() }))
    const batch = await withoutWaits(() => call('deleteUsers', { body: { items: [{ id }] } }))
    heal()
    expect([status, headers['retry-after']]).toEqual([503, '2'])
    expect(batch.body.items[0]).toMatchObject({ id, status: 429, error: { error_code: 'TOO_MANY_REQUESTS' } })
    expect((await call('getUser', { path: path() })).body.status).toBe('ACTIVE')
    await audit(service)
  })
})

describe('the purge', () => {
  const purge = (timeLeft = 60_000) =>
    purgeUsers({ store: service.store, clock: service.now, timeLeft: () => timeLeft, log: () => {} })
  const rows = async () => (await service.store.query({ hash: `USER#${id}` })).items.map(({ sk }) => sk)

  it.each(['before TTL', 'after TTL'])('leaves only the tombstone, %s', async (order) => {
    await call('deleteUser', { path: path() })
    await purge()
    await audit(service)
    service.setNow('2026-12-05T09:00:00.000Z')
    if (order === 'after TTL') await service.store.bulk([{ delete: { pk: `USER#${id}`, sk: 'USER' } }])
    await Promise.all([purge(), purge()])
    expect(await rows()).toEqual(['GONE'])
    await audit(service)
    expect((await call('restoreUser', { path: path() })).body.error_code).toBe('USER_NOT_RESTORABLE')
  })

  it('is finished by a later run when the process dies after any call', async () => {
    await call('deleteUser', { path: path() })
    service.setNow('2026-12-05T09:00:00.000Z')
    for (let last = 1; ; last++) {
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await purge().catch(() => {})
      heal()
      await audit(service)
      if (calls.count < last) break
      // Longer than the longest wait after an attempt.
      service.setNow(new Date(service.now().getTime() + 7 * 3_600_000))
    }
    expect(await rows()).toEqual(['GONE'])
  })

  it('stops in time and goes on later', async () => {
    await call('deleteUser', { path: path() })
    service.setNow('2026-12-05T09:00:00.000Z')
    expect(await purge(1000)).toMatchObject({ purged: 0, left: true })
    expect(await purge()).toMatchObject({ left: false, failed: 0 })
    expect(await rows()).toEqual(['GONE'])
  })

  it('never takes a username that another user has by now', async () => {
    await call('deleteUser', { path: path() })
    service.setNow('2026-12-05T09:00:00.000Z')
    const heir = {
      id: `heir-${serial}`,
      first_name: 'H',
      last_name: 'H',
      username: `zoe-${serial}`,
      external_id: `x-${serial}`,
    }
    expect((await call('createUser', { body: { ...ordinary, ...heir } })).status).toBe(201)
    await purge()
    await audit(service)
    expect((await call('createUser', { body: { ...ordinary, ...heir, id: `other-${serial}` } })).body.error_code).toBe(
      'USERNAME_ALREADY_EXISTS',
    )
  })

  it('loses against a restore, or the restore against it, but never both', async () => {
    await call('deleteUser', { path: path() })
    const purgeClock = '2026-12-05T09:00:01.000Z'
    service.setNow('2026-12-05T08:59:59.999Z')
    const [, restored] = await Promise.all([
      purgeUsers({ store: service.store, clock: () => new Date(purgeClock), timeLeft: () => 60_000, log: () => {} }),
      call('restoreUser', { path: path() }),
    ])
    const isThere = (await call('getUser', { path: path() })).status === 200
    expect(isThere).toBe(restored.status === 200)
    if (!isThere) service.setNow(purgeClock)
    await audit(service)
  })
})

it('a call that runs out of time says so, and that it may have been done', async () => {
  const answer = await call('lockUser', { path: path(), timeLeft: 251 })
  expect(answer).toMatchObject({
    status: 503,
    body: { error_code: 'SERVICE_UNAVAILABLE' },
    headers: { 'retry-after': '2' },
  })
  expect(answer.body.detail).toMatch(/took too long/)
})
