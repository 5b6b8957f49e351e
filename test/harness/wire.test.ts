import { BatchGetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, test } from 'vitest'
import { documentClient } from '../../domain/table/documentClient.ts'
import { testClient } from './client.ts'
import { dynamoDBEndpoint } from './endpoint.ts'
import { faultyServer } from './silence.ts'
import { newTable } from './table.ts'
import { wire } from './wire.ts'

// What the quick way of the tests gives, the SDK's own way gives, too.

const clients = { quick: testClient(), own: documentClient({ DYNAMODB_ENDPOINT: dynamoDBEndpoint() }, {}) }
const ways = ['quick', 'own'] as const
let TableName: string
beforeAll(async () => {
  TableName = await newTable(clients.own, 'none')
})

const item = {
  ...{
    pk: 'p',
    text: 'Zoë \u{1f600}\u2028"\\\n\u0001',
    empty: '',
    number: 0.1,
    large: 2 ** 53 - 1,
    yes: true,
    nothing: null,
  },
  ...{ set: new Set(['b', 'ä']), list: [1, ['x', null], { deep: [] }], map: { 'a.b': {}, ü: undefined } },
}
const put = (sk: string, more: object = {}) => ({ Put: { TableName, Item: { ...item, sk }, ...more } })

test('what one way writes, both ways read alike', async () => {
  for (const way of ways) {
    const Keys = [{ pk: 'p', sk: way }]
    await clients[way].send(new TransactWriteCommand({ TransactItems: [put(way)] }))
    const asked = { RequestItems: { [TableName]: { Keys } }, ReturnConsumedCapacity: 'TOTAL' } as const
    const [one, other] = await Promise.all(ways.map((reader) => clients[reader].send(new BatchGetCommand(asked))))
    const { ü: _, ...map } = item.map
    expect(one?.Responses).toEqual({ [TableName]: [{ ...item, map, sk: way }] })
    expect({ ...other, $metadata: {} }).toEqual({ ...one, $metadata: {} })
  }
})

test('pages of a long answer', async () => {
  const long = 'ä'.repeat(100_000)
  for (const n of [1, 2, 3, 4, 5, 6, 7]) {
    const Item = { pk: 'long', sk: String(n), long }
    await clients.quick.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item } }] }))
  }
  const asked = {
    ...{ TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'long' } },
  }
  const [one, other] = await Promise.all(ways.map((way) => clients[way].send(new QueryCommand(asked))))
  expect(one?.LastEvaluatedKey).toBeDefined()
  expect({ ...other, $metadata: {} }).toEqual({ ...one, $metadata: {} })
})

test.each([
  ['a condition that fails', () => [put('quick', { ConditionExpression: 'attribute_not_exists(pk)' })]],
  ['what no request may be', () => [put('quick'), put('quick')]],
])('the error of %s', async (_what, TransactItems) => {
  const failing = (way: (typeof ways)[number]) =>
    clients[way].send(new TransactWriteCommand({ TransactItems: TransactItems() })).catch((error) => error)
  const [one, other] = await Promise.all(ways.map(failing))
  const parts = ({ name, message, CancellationReasons, $metadata }: Record<string, unknown>) => ({
    ...{ name, message, CancellationReasons, status: ($metadata as { httpStatusCode: number }).httpStatusCode },
  })
  expect(parts(one)).toEqual(parts(other))
  expect(one.name).toMatch(/Exception$/)
})

test('a request that is given up, or whose connection ends', async () => {
  const { url, calls, stop } = await faultyServer('hanging')
  const { handle } = wire(url)
  const request = { method: 'POST', path: '/', headers: {} }
  const given = [new AbortController(), new AbortController()]
  given[0]?.abort()
  const sent = [...given.map(({ signal }) => handle(request, { abortSignal: signal })), handle(request)]
  const outcomes = Promise.allSettled(sent)
  await expect.poll(calls).toBe(2)
  given[1]?.abort()
  stop()
  expect(await outcomes).toMatchObject([
    ...[{ reason: { name: 'AbortError' } }, { reason: { name: 'AbortError' } }, { reason: { code: 'ECONNRESET' } }],
  ])
  await expect(handle(request)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
