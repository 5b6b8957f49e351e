import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { documentClient } from '../../domain/table/documentClient.ts'
import { type Policy, workPolicy } from '../../domain/table/dynamo.ts'
import { openStore } from '../../domain/table/openStore.ts'
import { newRequestStats } from '../../domain/table/requestStats.ts'
import type { WorkStore } from '../../domain/table/store.ts'
import type { Any } from '../harness/call.ts'

// How often a call sends what fails, and how long it holds its function: a stand-in answers for DynamoDB, and a clock that
// only tries and waits move forward.

let now = 0
beforeEach(() => {
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.spyOn(timers, 'setTimeout').mockImplementation((async (ms: number) => {
    now += ms
  }) as never)
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** How a try ends, and how many milliseconds it takes. */
type Try = { ms: number; thrown: object }
const named = (name: string, more: object = {}) => Object.assign(new Error('x'), { name, ...more })
const throttled: Try = { ms: 10, thrown: named('ProvisionedThroughputExceededException') }
const hanging: Try = { ms: 1000, thrown: named('TimeoutError', { code: 'ETIMEDOUT' }) }
const refusing: Try = { ms: 1, thrown: named('Error', { code: 'ECONNREFUSED' }) }
const withoutTls: Try = { ms: 2, thrown: named('Error', { code: 'EPROTO' }) }
const untrusted: Try = { ms: 2, thrown: named('Error', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }) }
const failing: Try = { ms: 5, thrown: named('InternalServerError', { $metadata: { httpStatusCode: 500 } }) }
const conflict: Try = {
  ms: 10,
  thrown: named('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] }),
}

/** The store of one call whose nth request meets this; undefined: it succeeds. */
function meeting(fault: (nth: number) => Try | undefined, policy?: Policy) {
  const sent: { operation: string; token?: string }[] = []
  const client = documentClient({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' })
  client.config.requestHandler.handle = async (request: Any) => {
    const { ClientRequestToken: token } = JSON.parse(Buffer.from(request.body).toString())
    const met = fault(sent.push({ operation: request.headers['x-amz-target'].split('.')[1], token }))
    if (met) {
      now += met.ms
      throw met.thrown
    }
    const headers = { 'content-type': 'application/x-amz-json-1.0' }
    return { response: { statusCode: 200, headers, body: Buffer.from('{}') } as Any }
  }
  let tokens = 0
  const store = openStore({
    client,
    name: 'T',
    newToken: () => `token-${++tokens}`,
    stats: newRequestStats(),
    policy,
  })
  return { store, sent }
}

const key = { pk: 'p', sk: 's' }
const write = (store: WorkStore) => store.write([{ delete: key }])
const bulk = (store: WorkStore) => store.bulk([{ delete: key }])
const query = (store: WorkStore) => store.query({ hash: 'h' })
const get = (store: WorkStore) => store.get(key)

const half = () => vi.spyOn(Math, 'random').mockReturnValue(0.5)
const ofPolicy = { name: 'StoreBusy', code: 'SERVICE_UNAVAILABLE' }
const unreachable = { name: 'StoreUnreachable', code: 'SERVICE_UNAVAILABLE' }

describe('a call', () => {
  it.each<[string, Try, (store: WorkStore) => Promise<unknown>, object, number]>([
    ['throttled, a read', throttled, get, ofPolicy, 11],
    ['throttled, a query', throttled, query, ofPolicy, 11],
    ['throttled, a write', throttled, write, ofPolicy, 11],
    ['throttled, writes in bulk', throttled, bulk, ofPolicy, 11],
    ['refusing, a read', refusing, get, unreachable, 12],
    ['refusing, a write', refusing, write, { ...unreachable, mayBeDone: false }, 12],
    ['failing, a write', failing, write, { ...unreachable, mayBeDone: true }, 11],
    ['hanging, a read', hanging, query, unreachable, 3],
    ['hanging, a write', hanging, write, { ...unreachable, mayBeDone: true }, 2],
    ['hanging, writes in bulk', hanging, bulk, unreachable, 2],
    ['speaking no TLS, a read', withoutTls, get, unreachable, 12],
    ['speaking no TLS, a write', withoutTls, write, { ...unreachable, mayBeDone: true }, 2],
    ['without a good certificate, a write', untrusted, write, { ...unreachable, mayBeDone: false }, 12],
  ])('meets a table that is %s', async (_what, fault, act, error, tries) => {
    half()
    const { store, sent } = meeting(() => fault)
    await expect(act(store)).rejects.toMatchObject(error)
    expect(sent).toHaveLength(tries)
    expect(now).toBeLessThanOrEqual(3000 + fault.ms)
  })

  it('sends at most 12 writes and ends within 4 seconds, whatever fails and however long it waits', async () => {
    const faults = fc.constantFrom(throttled, hanging, refusing, withoutTls, failing, conflict)
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(faults),
        fc.infiniteStream(fc.double({ min: 0, max: 0.99, noNaN: true })),
        async (met, part) => {
          now = 0
          const random = vi.spyOn(Math, 'random').mockImplementation(() => part.next().value as number)
          const { store, sent } = meeting(() => met.next().value as Try)
          await expect(write(store)).rejects.toThrow()
          random.mockRestore()
          expect(sent.length).toBeLessThanOrEqual(12)
          expect(new Set(sent.map(({ token }) => token)).size).toBe(1)
          expect(now).toBeLessThanOrEqual(4000)
        },
      ),
    )
  })

  it('has this time for all of its requests: each of the others is tried once then', async () => {
    half()
    const { store, sent } = meeting(() => throttled)
    await expect(query(store)).rejects.toMatchObject(ofPolicy)
    const before = sent.length
    for (const act of [get, write, bulk, query]) await expect(act(store)).rejects.toMatchObject(ofPolicy)
    expect(sent).toHaveLength(before + 4)
    expect(now).toBeLessThanOrEqual(3000 + 5 * throttled.ms)
  })

  it('goes on where requests succeed: only failed tries and waits take of the time', async () => {
    half()
    const { store, sent } = meeting((nth) => (nth % 2 === 1 && nth < 40 ? throttled : undefined))
    for (let n = 0; n < 30; n++) {
      await query(store)
      now += 1000
    }
    expect(sent).toHaveLength(50)
  })

  it('loses the time of parallel requests once', async () => {
    half()
    const { store, sent } = meeting((nth) => (nth <= 8 ? throttled : undefined))
    await Promise.all(Array.from({ length: 8 }, (_, n) => store.query({ hash: `h${n}` })))
    expect(sent).toHaveLength(16)
    expect(now).toBeLessThan(1000)
  })

  it('takes no time for conflicts with other transactions: eight tries each', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.99)
    const { store, sent } = meeting(() => conflict)
    for (const tries of [8, 16, 24, 32]) {
      await expect(write(store)).rejects.toMatchObject({ code: 'CONCURRENT_MODIFICATION' })
      expect(sent).toHaveLength(tries)
    }
    expect(now).toBeGreaterThan(3000)
  })

  it('sends a write without an answer once more, with its token, and what is throttled after that further on', async () => {
    half()
    const faults = [hanging, throttled, throttled]
    const { store, sent } = meeting((nth) => faults[nth - 1])
    await write(store)
    expect(sent.map(({ token }) => token)).toEqual(Array(4).fill('token-1'))
    const lost = meeting((nth) => [hanging, throttled, hanging][nth - 1])
    await expect(write(lost.store)).rejects.toMatchObject({ ...unreachable, mayBeDone: true })
    expect(lost.sent).toHaveLength(3)
  })

  it('sends again what was refused for its time, once the SDK has set its clock', async () => {
    half()
    const skewed = named('InvalidSignatureException', { $metadata: { httpStatusCode: 400, clockSkewCorrected: true } })
    const { store, sent } = meeting((nth) => (nth === 1 ? { ms: 5, thrown: skewed } : undefined))
    await query(store)
    expect(sent).toHaveLength(2)
  })
})

describe('work that no caller waits for', () => {
  it('is more patient, and each request has its own time', async () => {
    half()
    const { store, sent } = meeting(() => throttled, workPolicy)
    for (const tries of [30, 60]) {
      const before = now
      await expect(write(store)).rejects.toMatchObject(ofPolicy)
      expect(now - before).toBeGreaterThan(10_000)
      expect(now - before).toBeLessThanOrEqual(workPolicy.ms + throttled.ms)
      expect(sent).toHaveLength(tries)
    }
  })

  it('sends a write without an answer three times more', async () => {
    half()
    const { store, sent } = meeting(() => hanging, workPolicy)
    await expect(write(store)).rejects.toMatchObject({ ...unreachable, mayBeDone: true })
    expect(sent).toHaveLength(4)
  })
})
