import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StaleRead, StoreBusy, StoreUnreachable } from '../../domain/base/errors.ts'
import { documentClient } from '../../domain/table/documentClient.ts'
import { callPolicy, setIfUnchanged, type Table, workPolicy } from '../../domain/table/dynamo.ts'
import { eventOf } from '../../domain/table/events.ts'
import { absent, exists } from '../../domain/table/expressions.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import { openStore } from '../../domain/table/openStore.ts'
import { newRequestStats, type Request, waitedFor } from '../../domain/table/requestStats.ts'
import type { Action, WorkStore } from '../../domain/table/store.ts'
import { workEntry } from '../../domain/table/work.ts'
import type { Any } from '../harness/call.ts'

// What goes over the wire, and what becomes of the answers: a stand-in answers for DynamoDB.

type Answer = { status?: number; body: Any } | 'ECONNRESET' | 'ECONNREFUSED' | 'AbortError'
type Asked = { operation: string; input: Any }
type Playing = (asked: Asked, nth: number) => Answer | Promise<Answer>

beforeEach(() => {
  // Nothing is waited for between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => vi.restoreAllMocks())

type More = Partial<Omit<Parameters<typeof openStore>[0], 'client' | 'name' | 'newToken'>>
/** What the SDK was asked to do with one request. */
type Options = { abortSignal?: unknown; requestTimeout?: number | undefined }
/** A store whose requests are answered by `play`. */
function playing(
  play: Playing,
  more: More = {},
): { store: OpenStore; table: Table; asked: Asked[]; options: Options[] } {
  const asked: Asked[] = []
  const options: Options[] = []
  const client = documentClient({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' })
  client.config.requestHandler.handle = async (request: Any, option: Options = {}) => {
    options.push(option)
    const one = {
      operation: request.headers['x-amz-target'].split('.')[1],
      input: JSON.parse(Buffer.from(request.body).toString()),
    }
    const answer = await play(one, asked.push(one))
    if (typeof answer === 'string')
      throw Object.assign(new Error('no answer'), answer === 'AbortError' ? { name: answer } : { code: answer })
    const { status = 200, body } = answer
    const headers = { 'content-type': 'application/x-amz-json-1.0' }
    return { response: { statusCode: status, headers, body: Buffer.from(JSON.stringify(body)) } as Any }
  }
  let tokens = 0
  const table = { client, name: 'T', newToken: () => `token-${++tokens}`, ...more }
  return { store: openStore(table), table, asked, options }
}
const failing = (type: string, more: object = {}): Answer => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'x', ...more },
})
const cancelled = (...codes: string[]) =>
  failing('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })
const key = (n: number | string) => ({ pk: `p${n}`, sk: 's' })
const wire = ({ pk, sk }: { pk: string; sk: string }) => ({ pk: { S: pk }, sk: { S: sk } })

describe('the one write of functions that only read', () => {
  const noting = (answer: Answer) => {
    const { table, asked } = playing(() => answer)
    return { noted: setIfUnchanged(table, key(1), 'at', 'before', 'now'), asked }
  }

  it('sets an attribute that is still as it was read', async () => {
    const { noted, asked } = noting({ body: {} })
    expect(await noted).toBeUndefined()
    const Update = {
      TableName: 'T',
      Key: wire(key(1)),
      UpdateExpression: 'SET #attribute = :value',
      ConditionExpression: '#attribute = :was',
      ExpressionAttributeNames: { '#attribute': 'at' },
      ExpressionAttributeValues: { ':value': { S: 'now' }, ':was': { S: 'before' } },
    }
    expect(asked).toMatchObject([{ operation: 'TransactWriteItems', input: { TransactItems: [{ Update }] } }])
  })

  it('does nothing if the attribute has changed', async () => {
    const { noted, asked } = noting(cancelled('ConditionalCheckFailed'))
    expect(await noted).toBeUndefined()
    expect(asked).toHaveLength(1)
  })

  it('is tried once', async () => {
    for (const [answer, error] of [
      [failing('ThrottlingException'), { name: 'StoreBusy' }],
      [cancelled('TransactionConflict'), { name: 'TransactionCanceledException' }],
      ['ECONNRESET', { name: 'StoreUnreachable' }],
    ] as const) {
      const { noted, asked } = noting(answer)
      await expect(noted).rejects.toMatchObject(error)
      expect(asked).toHaveLength(1)
    }
  })
})

describe('reads', () => {
  /** Has every item that is asked for, but those of `missing`. */
  const having =
    (...missing: string[]): Playing =>
    ({ input }) => {
      const found = input.RequestItems.T.Keys.filter(({ pk }: Any) => !missing.includes(pk.S))
      return { body: { Responses: { T: found.map((one: Any) => ({ ...one, n: { N: '1' } })) }, UnprocessedKeys: {} } }
    }

  it('of one tick travel together, each key once', async () => {
    const { store, asked } = playing(having('p2'))
    const found = await Promise.all([store.get(key(1)), store.get(key(2)), store.get(key(1))])
    expect(found).toEqual([{ ...key(1), n: 1 }, undefined, { ...key(1), n: 1 }])
    const RequestItems = { T: { Keys: [wire(key(1)), wire(key(2))], ConsistentRead: true } }
    expect(asked).toEqual([{ operation: 'BatchGetItem', input: { RequestItems } }])
  })

  it('are asked for again the next time: nothing is kept', async () => {
    const { store, asked } = playing(having())
    const one = key(1)
    await store.get(one)
    await store.get(one)
    expect(asked).toHaveLength(2)
  })

  it('go by the hundred', async () => {
    const { store, asked } = playing(having())
    await Promise.all(Array.from({ length: 101 }, (_, n) => store.get(key(n))))
    expect(asked.map(({ input }) => input.RequestItems.T.Keys.length)).toEqual([100, 1])
  })

  it('that may lag are asked for at half the price', async () => {
    const { store, asked } = playing(having())
    expect(await store.getEventual(key(1))).toEqual({ ...key(1), n: 1 })
    expect(asked[0]?.input.RequestItems.T.ConsistentRead).toBe(false)
  })

  it.each([
    [2048, 1024, 1],
    [2049, 1, 0],
    [1, 1025, 0],
  ])('of a key of %i and %i bytes: %i requests', async (pk, sk, requests) => {
    for (const read of ['get', 'getEventual'] as const) {
      const { store, asked } = playing(having())
      await store[read]({ pk: `ä${'x'.repeat(pk)}`.slice(0, pk - 1), sk: 'x'.repeat(sk) })
      expect(asked).toHaveLength(requests)
    }
  })

  it.each(['pk', 'sk'])('of a key whose %s is no valid text: nothing is there, and nothing is asked', async (part) => {
    const { store, asked } = playing(having())
    const malformed = { ...key(1), [part]: 'half a pair: \ud83d' }
    expect([await store.get(malformed), await store.getEventual(malformed)]).toEqual([undefined, undefined])
    expect(asked).toEqual([])
  })

  it('that are answered in part go on with the rest', async () => {
    const { store, asked } = playing(({ input }) => {
      const [first, ...rest] = input.RequestItems.T.Keys
      const left = rest.length > 0 ? { UnprocessedKeys: { T: { Keys: rest } } } : {}
      return { body: { Responses: { T: [first] }, ...left } }
    })
    const all = [1, 2, 3].map(key)
    expect(await Promise.all(all.map((one) => store.get(one)))).toEqual(all)
    expect(asked.map(({ input }) => input.RequestItems.T.Keys.length)).toEqual([3, 2, 1])
  })

  it('that are not answered give up after twelve attempts', async () => {
    const { store, asked } = playing(({ input }) => ({ body: { Responses: {}, UnprocessedKeys: input.RequestItems } }))
    const reading = store.get(key(1))
    await expect(reading).rejects.toBeInstanceOf(StoreBusy)
    await expect(reading).rejects.toMatchObject({
      cause: 'Unprocessed',
      failedRequest: { request: 'BatchGetItem', attempts: 12 },
    })
    expect(asked).toHaveLength(12)
  })

  it('that are throttled are repeated, and then reported as busy', async () => {
    const { store, asked } = playing(() => failing('ProvisionedThroughputExceededException'))
    await expect(store.get(key(1))).rejects.toBeInstanceOf(StoreBusy)
    expect(asked).toHaveLength(12)
  })
})

describe('a query', () => {
  it('answers a page, and where the next one begins', async () => {
    const { store, asked } = playing((_asked, nth) => ({
      body: { Items: [wire(key(nth))], Count: 1, ...(nth === 1 ? { LastEvaluatedKey: wire(key(1)) } : {}) },
    }))
    expect(await store.query({ hash: 'h' })).toEqual({ items: [key(1)], count: 1, next: key(1) })
    expect(await store.query({ hash: 'h', after: key(1) })).toEqual({ items: [key(2)], count: 1 })
    expect(asked[0]?.operation).toBe('Query')
    expect(asked[0]?.input).toMatchObject({ TableName: 'T', KeyConditionExpression: '#hash = :hash' })
    expect(asked[1]?.input.ExclusiveStartKey).toEqual(wire(key(1)))
  })

  it('that only counts is answered without rows', async () => {
    const { store, asked } = playing(() => ({ body: { Count: 7 } }))
    expect(await store.query({ hash: 'h', countOnly: true })).toEqual({ items: [], count: 7 })
    expect(asked[0]?.input.Select).toBe('COUNT')
    expect(await playing(() => ({ body: {} })).store.query({ hash: 'h' })).toEqual({ items: [], count: 0 })
  })

  it('tells of no units where nobody counts them', async () => {
    const { store } = playing(() => ({ body: { Items: [], Count: 0, ConsumedCapacity: { CapacityUnits: 1 } } }))
    expect(await store.query({ hash: 'h' })).toEqual({ items: [], count: 0 })
  })

  it.each<[Answer, new (...args: never[]) => Error]>([
    [failing('ProvisionedThroughputExceededException'), StoreBusy],
    ['ECONNRESET', StoreUnreachable],
  ])('that fails: %j', async (answer, error) => {
    const { store } = playing(() => answer)
    await expect(store.query({ hash: 'h' })).rejects.toBeInstanceOf(error)
  })
})

describe('a transaction', () => {
  const done: Answer = { body: {} }
  const actions: Action[] = [
    { put: { ...key(1), n: 1, none: undefined, data: { none: undefined } }, if: absent },
    { update: key(2), add: { n: 1 } },
    { delete: key(3) },
    { check: key(4), if: exists, otherwise: { code: 'ROLE_NOT_FOUND' } },
  ]

  it('says each action as DynamoDB takes it', async () => {
    const { store, asked } = playing(() => done)
    await store.write(actions)
    const condition = (text: string) => ({
      ConditionExpression: text,
      ExpressionAttributeNames: { '#n0': 'pk' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    expect(asked).toEqual([
      {
        operation: 'TransactWriteItems',
        input: {
          ClientRequestToken: 'token-1',
          TransactItems: [
            {
              Put: {
                TableName: 'T',
                Item: { ...wire(key(1)), n: { N: '1' }, data: { M: {} } },
                ...condition('attribute_not_exists(#n0)'),
              },
            },
            {
              Update: {
                TableName: 'T',
                Key: wire(key(2)),
                UpdateExpression: 'ADD #n0 :v0',
                ExpressionAttributeNames: { '#n0': 'n' },
                ExpressionAttributeValues: { ':v0': { N: '1' } },
              },
            },
            { Delete: { TableName: 'T', Key: wire(key(3)) } },
            { ConditionCheck: { TableName: 'T', Key: wire(key(4)), ...condition('attribute_exists(#n0)') } },
          ],
        },
      },
    ])
  })

  it('that changes, or checks, nothing says so: DynamoDB refuses it', async () => {
    const { store, asked } = playing(() => done)
    await store.write([{ update: key(1) }, { check: key(2) }])
    const [update, check] = asked[0]?.input.TransactItems ?? []
    expect([update.Update.UpdateExpression, check.ConditionCheck.ConditionExpression]).toEqual(['', ''])
  })

  it('has one token for all attempts, and another for the next', async () => {
    const { store, asked } = playing((_asked, nth) => (nth < 4 ? cancelled('TransactionConflict') : done))
    await store.write(actions)
    await store.write(actions)
    const tokens = asked.map(({ input }) => input.ClientRequestToken)
    expect(tokens).toEqual([...Array(4).fill('token-1'), 'token-2'])
  })

  it('that is in conflict with others gives up after eight attempts', async () => {
    const { store, asked } = playing(() => cancelled('TransactionConflict', 'None', 'None', 'None'))
    await expect(store.write(actions)).rejects.toMatchObject({ code: 'CONCURRENT_MODIFICATION' })
    expect(asked).toHaveLength(8)
  })

  it('that meets no room is reported as busy', async () => {
    const { store } = playing(() => cancelled('None', 'ThrottlingError'))
    const failedRequest = { dependency: 'DynamoDB', request: 'TransactWriteItems', attempts: 12 }
    const busy = { name: 'StoreBusy', cause: 'ThrottlingError', failedRequest }
    await expect(store.write(actions)).rejects.toMatchObject(busy)
  })

  it('is refused at once where a condition failed', async () => {
    const refused = playing(() => cancelled('None', 'None', 'None', 'ConditionalCheckFailed'))
    await expect(refused.store.write(actions)).rejects.toMatchObject({ code: 'ROLE_NOT_FOUND' })
    const stale = playing(() => cancelled('ConditionalCheckFailed', 'None', 'None', 'None'))
    await expect(stale.store.write(actions)).rejects.toBeInstanceOf(StaleRead)
    expect([refused.asked.length, stale.asked.length]).toEqual([1, 1])
  })

  it('of which one attempt had no answer may be done, whatever comes after', async () => {
    const conflict = cancelled('TransactionConflict', 'None', 'None', 'None')
    const lost = playing((_asked, nth) => (nth === 1 ? 'ECONNRESET' : conflict))
    await expect(lost.store.write(actions)).rejects.toMatchObject({ name: 'StoreUnreachable', mayBeDone: true })
    const unsent = playing((_asked, nth) => (nth === 1 ? 'ECONNREFUSED' : conflict))
    await expect(unsent.store.write(actions)).rejects.toMatchObject({ code: 'CONCURRENT_MODIFICATION' })
  })
})

describe('writes in bulk', () => {
  const changes = (length: number) => Array.from({ length }, (_, n) => ({ put: key(n) }))
  const sizes = (asked: Asked[]) => asked.map(({ input }) => input.RequestItems.T.length)

  it('put and delete, 25 in a request', async () => {
    const { store, asked } = playing(() => ({ body: {} }))
    await store.bulk([...changes(25), { delete: key('x') }])
    expect(asked.map(({ operation }) => operation)).toEqual(['BatchWriteItem', 'BatchWriteItem'])
    expect(sizes(asked)).toEqual([25, 1])
    expect(asked[0]?.input.RequestItems.T[0]).toEqual({ PutRequest: { Item: wire(key(0)) } })
    expect(asked[1]?.input.RequestItems.T).toEqual([{ DeleteRequest: { Key: wire(key('x')) } }])
  })

  it('eight requests at once', async () => {
    let [running, most] = [0, 0]
    const { store } = playing(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      running--
      return { body: {} }
    })
    await store.bulk(changes(25 * 12))
    expect(most).toBe(8)
  })

  it('go on with what was left, and give up after twelve attempts', async () => {
    const some = playing(({ input }, nth) => ({
      body: nth < 3 ? { UnprocessedItems: { T: input.RequestItems.T.slice(1) } } : {},
    }))
    await some.store.bulk(changes(5))
    expect(sizes(some.asked)).toEqual([5, 4, 3])
    const none = playing(({ input }) => ({ body: { UnprocessedItems: input.RequestItems } }))
    await expect(none.store.bulk(changes(1))).rejects.toMatchObject({ name: 'StoreBusy', cause: 'Unprocessed' })
    expect(none.asked).toHaveLength(12)
  })

  it('that meet no room are reported as busy', async () => {
    const { store } = playing(() => failing('ProvisionedThroughputExceededException'))
    await expect(store.bulk(changes(1))).rejects.toBeInstanceOf(StoreBusy)
  })
})

describe('a request', () => {
  const answered = () => ({ body: {} })

  it('waits for an answer as long as its policy says, in a call as long as its client says', async () => {
    for (const [policy, requestTimeout] of [
      [undefined, undefined],
      [callPolicy, undefined],
      [workPolicy, 5000],
    ] as const) {
      const { store, options } = playing(answered, { policy })
      await store.query({ hash: 'h' })
      expect(options.map((option) => option.requestTimeout)).toEqual([requestTimeout])
    }
  })

  it('is aborted when its call is over, if it has a call', async () => {
    const { signal } = new AbortController()
    for (const [of, abortSignal] of [
      [undefined, undefined],
      [() => undefined, undefined],
      [() => signal, signal],
    ] as const) {
      const { store, options } = playing(answered, { signal: of })
      await store.query({ hash: 'h' })
      expect(options.map((option) => option.abortSignal)).toEqual([abortSignal])
    }
  })
})

describe('a call that is over', () => {
  const actions: Record<string, (store: WorkStore) => Promise<unknown>> = {
    get: (store) => store.get(key(1)),
    query: (store) => store.query({ hash: 'h' }),
    write: (store) => store.write([{ delete: key(1) }]),
    bulk: (store) => store.bulk([{ delete: key(1) }]),
  }
  it.each(Object.entries(actions))('sends nothing more: %s', async (_name, act) => {
    const over = new AbortController()
    const { store, asked } = playing(() => ({ body: {} }), { signal: () => over.signal })
    await act(store)
    expect(asked).toHaveLength(1)
    over.abort(new StoreUnreachable('OutOfTime'))
    await expect(act(store)).rejects.toMatchObject({ cause: 'OutOfTime' })
    expect(asked).toHaveLength(1)
  })

  it('sends nothing where its time is over between two attempts', async () => {
    const over = new AbortController()
    const { store, asked } = playing(
      () => {
        over.abort(new StoreUnreachable('OutOfTime'))
        return failing('ProvisionedThroughputExceededException')
      },
      { signal: () => over.signal },
    )
    await expect(store.query({ hash: 'h' })).rejects.toThrow()
    expect(asked).toHaveLength(1)
  })
})

describe('an event', () => {
  const cause = { actor: 'ada', request: 'r', operation: 'updateRole' }
  const event = eventOf({ record: { kind: 'role', id: 'r' } }, undefined, { name: 'n' })
  const done = () => ({ body: {} })

  it('is written with its change, by who causes it, and kept as long as is said: 400 days if nothing is', async () => {
    const clock = () => new Date('2026-11-21T09:00:00.000Z')
    for (const [days, more] of [
      [400, { clock }],
      [7, { clock, keptDays: 7 }],
    ] as const) {
      const { store, asked } = playing(done, more)
      await store.causedBy(cause).write([{ put: key(1), event }])
      // By default a store itself looks whether a webhook is enabled.
      expect(asked.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'TransactWriteItems'])
      const [change, noted] = asked[1]?.input.TransactItems ?? []
      expect(noted.Put.Item.actor).toEqual({ S: 'ada' })
      expect(noted.Put.Item.sk.S).toBe('2026-11-21T09:00:00.000Z\u0001token-1')
      expect(change.Put.Item.event).toEqual(noted.Put.Item.sk)
      expect(noted.Put.Item.ttl).toEqual({ N: String(clock().getTime() / 1000 + days * 86_400) })
    }
    const { store, asked } = playing(done, { isWebhookEnabled: async () => false })
    await store.causedBy(cause).write([{ put: key(1), event }])
    const [time = ''] = asked[0]?.input.TransactItems[1].Put.Item.sk.S.split('\u0001') ?? []
    expect(Math.abs(Date.now() - Date.parse(time))).toBeLessThan(60_000)
  })

  describe('that a webhook may want', () => {
    const listening = (isWebhookEnabled: boolean) => {
      const asks: unknown[] = []
      const ask = async (store: object) => {
        asks.push(store)
        return isWebhookEnabled
      }
      return { asks, ...playing(done, { isWebhookEnabled: ask }) }
    }
    const sent = (asked: Asked[]) =>
      asked[0]?.input.TransactItems.map(({ Put, Delete }: Any) => (Put?.Item ?? Delete.Key).pk.S)

    it.each([
      [true, ['p1', 'EVENTS#role#r', expect.stringMatching(/^OUTBOX#/)]],
      [false, ['p1', 'EVENTS#role#r']],
    ])('is announced in the same transaction: %s', async (isWebhookEnabled, items) => {
      const { store, asked, asks } = listening(isWebhookEnabled)
      await store.causedBy(cause).write([{ put: key(1), event }])
      expect(sent(asked)).toEqual(items)
      expect(asks).toEqual([expect.objectContaining({ get: expect.any(Function) })])
    })

    it('is asked about only where there is an event', async () => {
      const { store, asked, asks } = listening(true)
      await store.causedBy(cause).write([{ delete: key(1) }, { delete: key(2) }])
      expect([sent(asked), asks]).toEqual([['p1', 'p2'], []])
    })

    it.each([true, false])('has a place, whether a webhook is enabled (%s) or not', async (isEnabled) => {
      const others = (length: number): Action[] => Array.from({ length }, (_, n) => ({ delete: key(`other ${n}`) }))
      const full = listening(isEnabled)
      await full.store.causedBy(cause).write([{ put: key(1), event }, ...others(97)])
      expect(sent(full.asked)).toHaveLength(isEnabled ? 100 : 99)
      const tooFull = listening(isEnabled)
      const writing = tooFull.store.causedBy(cause).write([{ put: key(1), event }, ...others(98)])
      await expect(writing).rejects.toThrow('A transaction has 100 places, and these actions take 101')
      await expect(tooFull.store.write(others(101))).rejects.toThrow('100 places')
      expect(tooFull.asked).toEqual([])
    })
  })

  it('that nobody has caused is refused, and nothing is written', async () => {
    const { store, asked } = playing(done)
    await expect(store.write([{ delete: key(1) }, { put: key(2), event }])).rejects.toThrow('needs a cause')
    expect(asked).toEqual([])
  })
})

describe('what a call asks for', () => {
  const noRoom = failing('ProvisionedThroughputExceededException')
  const entry = workEntry('places', 't', { task: 't' }, '2026-11-21T09:00:00.000Z')
  const counting = (play: Playing) => {
    const stats = newRequestStats()
    return { stats, ...playing(play, { stats }) }
  }

  it('is counted: requests, waves of those at the same time, and units as DynamoDB reports them', async () => {
    const units: Record<string, object> = {
      BatchGetItem: { ConsumedCapacity: [{ CapacityUnits: 1.5 }, {}] },
      Query: { ConsumedCapacity: { CapacityUnits: 2 } },
      TransactWriteItems: { ConsumedCapacity: [{ CapacityUnits: 9, ReadCapacityUnits: 4, WriteCapacityUnits: 8 }] },
      BatchWriteItem: { ConsumedCapacity: [{ CapacityUnits: 16 }] },
    }
    const { stats, store, asked } = counting(async ({ operation }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { body: units[operation] }
    })
    expect(stats).toEqual(none)
    await Promise.all([store.get(key(1)), store.query({ hash: 'h' })])
    expect(stats).toMatchObject({ requests: 2, waves: 1, readUnits: 3.5, writeUnits: 0, notedWork: 0 })
    await store.write([{ put: entry }, { delete: key(1) }])
    await store.bulk([{ delete: key(1) }])
    expect(stats).toEqual({ ...none, requests: 4, waves: 3, readUnits: 7.5, writeUnits: 24, notedWork: 1 })
    expect(asked.map(({ input }) => input.ReturnConsumedCapacity)).toEqual(Array(4).fill('TOTAL'))
    const silent = counting(() => ({ body: {} }))
    await silent.store.query({ hash: 'h' })
    expect(silent.stats).toEqual({ ...none, requests: 1, waves: 1 })
  })
  const none = { ...newRequestStats(), underway: new Set(), lost: expect.anything() }

  it.each<[string, Answer, number]>([
    ['a request', noRoom, 1],
    ['part of a transaction', cancelled('None', 'ThrottlingError'), 1],
    ['nothing: it met another one', cancelled('None', 'TransactionConflict'), 0],
    ['nothing: it was lost', 'ECONNRESET', 0],
  ])('counts each attempt that was throttled: %s', async (_what, answer, throttles) => {
    const { stats, store, asked } = counting((_asked, nth) => (nth === 1 ? answer : { body: {} }))
    await store.write([{ delete: key(1) }, { put: entry }])
    expect(stats).toEqual({ ...none, requests: 1, waves: 1, throttles, notedWork: 1 })
    expect(asked).toHaveLength(2)
  })

  it('keeps why the last request failed for good, unless it was refused', async () => {
    const { stats, store } = counting(({ operation }) => (operation === 'Query' ? noRoom : cancelled('None')))
    const reading = store.query({ hash: 'h' })
    const failedRequest = { dependency: 'DynamoDB', request: 'Query', attempts: 12, waited_ms: expect.any(Number) }
    await expect(reading).rejects.toMatchObject({ failedRequest })
    const failure = { cause: 'ProvisionedThroughputExceededException', ...failedRequest }
    expect(stats).toEqual({ ...none, requests: 1, waves: 1, throttles: 12, failure })
    const refused = counting(() => cancelled('ConditionalCheckFailed'))
    const refusing: Action[] = [{ check: key(1), if: exists, otherwise: { code: 'ROLE_NOT_FOUND' } }]
    for (const actions of [refusing, [{ delete: key(1), if: exists }]])
      await expect(refused.store.write(actions)).rejects.toThrow()
    expect(refused.stats).toEqual({ ...none, requests: 2, waves: 2 })
    await expect(playing(() => noRoom).store.query({ hash: 'h' })).rejects.toBeInstanceOf(StoreBusy)
  })

  it('and was called off stays under way, for the log', async () => {
    const { stats, store } = counting((_asked, nth) => (nth === 1 ? 'AbortError' : { body: {} }))
    await expect(store.query({ hash: 'h' })).rejects.toMatchObject({ cause: 'OutOfTime', mayBeDone: true })
    await store.get(key(1))
    expect(stats).toMatchObject({ requests: 2, waves: 1 })
    expect([...stats.underway]).toMatchObject([{ name: 'Query', attempts: 1, lastCause: 'OutOfTime' }])
    expect(waitedFor(stats)).toEqual({
      ...{ dependency: 'DynamoDB', request: 'Query', attempts: 1 },
      waited_ms: expect.any(Number),
    })
  })

  it('and waited for longest is reported, with what went wrong last', () => {
    vi.spyOn(performance, 'now').mockReturnValue(1100.4)
    const request = (name: string, lastCause?: string): Request => ({
      ...{ name, since: 1000, attempts: 2, isUncertain: false, unanswered: 0, stats: undefined },
      ...(lastCause === undefined ? {} : { lastCause }),
    })
    const told = { dependency: 'DynamoDB', request: 'Query', attempts: 2, waited_ms: 100 }
    const waited = (...requests: Request[]) => waitedFor({ ...newRequestStats(), underway: new Set(requests) })
    expect(waited(request('Query'), request('BatchGetItem'))).toStrictEqual(told)
    expect(waited(request('Query', 'TransactionConflict'))).toEqual({ ...told, last_cause: 'TransactionConflict' })
    expect(waited(request('Query', 'OutOfTime'))).toEqual(told)
    expect(waited()).toEqual({})
  })
})

describe('the client', () => {
  it('logs nothing, and has no logger for answers, as the SDK would copy them for it', () => {
    const { logger } = documentClient({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }).config
    expect(Object.keys(logger).sort()).toEqual(['debug', 'error', 'warn'])
    expect([logger.debug('x'), logger.warn('x'), logger.error('x')]).toEqual([undefined, undefined, undefined])
  })

  it('is for DynamoDB Local where an endpoint is set', async () => {
    const { config } = documentClient({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' })
    expect(await config.endpoint?.()).toMatchObject({ hostname: '127.0.0.1', port: 8000 })
    expect(await config.credentials()).toMatchObject({ accessKeyId: 'local', secretAccessKey: 'local' })
    expect([await config.region(), await config.maxAttempts()]).toEqual(['eu-central-1', 1])
    expect(await documentClient({ DYNAMODB_ENDPOINT: 'http://x', AWS_REGION: 'eu-west-3' }).config.region()).toBe(
      'eu-west-3',
    )
  })

  it('is for AWS otherwise: credentials of the environment, and no request that hangs', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'from-environment')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    const { config } = documentClient({})
    expect(await config.credentials()).toMatchObject({ accessKeyId: 'from-environment' })
    expect(config.endpoint).toBeUndefined()
    const { connectionTimeout, requestTimeout, throwOnRequestTimeout } = await (config.requestHandler as Any)
      .configProvider
    expect([connectionTimeout, requestTimeout, throwOnRequestTimeout]).toEqual([1000, 1000, true])
    vi.unstubAllEnvs()
  })
})
