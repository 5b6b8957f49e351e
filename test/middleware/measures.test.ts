import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, withoutWaits } from '../harness/faults.ts'
import { type Service, startService } from '../harness/service.ts'

// What calls and runs count for the metrics.

let service: Service
beforeAll(async () => {
  service = await startService()
})

describe('a call counts', () => {
  it('its requests to the database, parallel ones as one round, and the units', async () => {
    await call('getUser', { path: { user_id: 'plain' } })
    service.measured()
    await call('getUser', { path: { user_id: 'plain' } })
    const [measures, ...others] = service.measured()
    expect(others).toEqual([])
    expect(measures).toMatchObject({
      Requests: 1,
      DatabaseRequests: 2,
      DatabaseRounds: 2,
      ReadUnits: expect.any(Number),
    })
    expect(measures?.Latency).toBeGreaterThan(0)
    for (const name of ['ClientErrors', 'ServerErrors', 'WriteUnits', 'DatabaseThrottles', 'ColdStarts'])
      expect(measures, name).not.toHaveProperty(name)
  })

  it('what it writes, its errors and every throttled attempt', async () => {
    await call('lockUser', { path: { user_id: 'plain' } })
    await call('getUser', { path: { user_id: 'nobody' } })
    const { heal } = strike(service.client, (_n, command) => (command.startsWith('BatchGet') ? 'throttle' : undefined))
    onTestFinished(heal)
    service.measured()
    await withoutWaits(() => call('getUser', { path: { user_id: 'plain' } }))
    heal()
    await call('getUser', { path: { user_id: 'nobody' } })
    await call('unlockUser', { path: { user_id: 'plain' } })
    const [throttled, unknown, unlocked] = service.measured()
    expect(throttled).toMatchObject({ ServerErrors: 1, DatabaseThrottles: 12 })
    expect(unknown).toMatchObject({ ClientErrors: 1 })
    expect(unlocked?.WriteUnits).toBeGreaterThan(0)
  })
})

it('a call that notes work counts it', async () => {
  const title = [{ language: 'en-GB', text: 'Some group' }]
  await call('createGroup', { body: { id: 'noting', title, parent_id: 'root' } })
  service.measured()
  await call('archiveGroup', { path: { group_id: 'noting' } })
  await call('getGroup', { path: { group_id: 'noting' } })
  expect(service.measured().map(({ WorkNoted }) => WorkNoted)).toEqual([1, undefined])
})

it('a run of the purge counts itself', async () => {
  service.measured()
  await purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
  expect(service.measured()).toEqual([
    expect.objectContaining({
      PurgeRuns: 1,
      UsersPurged: 0,
      WorkFailed: 0,
      WorkEntries: 0,
      WorkStuck: 0,
      WorkOverdue: 0,
    }),
  ])
})
