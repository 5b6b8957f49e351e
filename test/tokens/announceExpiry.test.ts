import { beforeAll, expect, it } from 'vitest'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, withoutWaits } from '../harness/faults.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'

// Tokens that expire are announced by the schedule, 30 and 7 days before.

const ending = tokenId('ending')
let service: Service
beforeAll(async () => {
  service = await startService()
  // Ends on 1 March at noon.
  await giveToken(service, ['READ'], { id: ending, expires_at: '2027-03-01T12:00:00.000Z' })
  await giveToken(service, ['READ'], { id: tokenId('lasting') })
})

const run = async (at: string) => {
  service.setNow(at)
  service.measured()
  const { answer: summary, used } = await usedBy(() => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any))
  expect(allowedTo('purge')).toEqual(expect.arrayContaining(used))
  const [{ TokensExpiring } = {}] = service.measured()
  return { summary, TokensExpiring }
}
const warnings = async (): Promise<Any[]> => {
  const query = { record_kind: 'service_token', record_id: ending, type: 'service_token.expiring', sort: 'TIME_ASC' }
  return (await call('listEvents', { query })).body.events
}

it('30 and 7 days before the end, each once', async () => {
  const counts: unknown[] = []
  for (const at of [
    '2027-01-30T11:17:00.000Z',
    '2027-01-30T12:16:00.000Z',
    '2027-01-30T12:17:00.000Z',
    '2027-01-30T13:17:00.000Z',
    '2027-02-22T11:17:00.000Z',
    '2027-02-22T12:17:00.000Z',
    '2027-02-28T12:17:00.000Z',
    '2027-03-01T12:17:00.000Z',
  ])
    counts.push((await run(at)).TokensExpiring)
  expect(counts).toEqual([undefined, undefined, 1, undefined, undefined, 1, undefined, undefined])
  const events = await warnings()
  expect(events.map(({ time, changes }) => [time.slice(0, 16), changes])).toEqual([
    ['2027-01-30T12:17', [{ field: 'warned_days', before: null, after: 30 }]],
    ['2027-02-22T12:17', [{ field: 'warned_days', before: 30, after: 7 }]],
  ])
  for (const { actor } of events) expect(actor).toMatchObject({ id: null, kind: 'SYSTEM', operation: 'purge' })
  await audit(service)
})

it('a busy database puts it off by an hour', async () => {
  await giveToken(service, ['READ'], { id: tokenId('late'), expires_at: '2027-06-01T00:00:00.000Z' })
  const throttled = strike(service.client, (_n, command) =>
    command.startsWith('TransactWrite') ? 'unreachable' : undefined,
  )
  const first = await withoutWaits(() => run('2027-05-10T09:17:00.000Z'))
  throttled.heal()
  expect(first.summary).toMatchObject({ expiring: 0, left: true, stopped: 'announceExpiry' })
  expect((await run('2027-05-10T10:17:00.000Z')).summary).toMatchObject({ expiring: 1, left: false })
})
