import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanHtml } from '../../domain/tasks/cleanBody.ts'
import { bundle } from '../../local/build/bundle.ts'
import { defaultEndpointResolver } from '../../local/build/bundleStandIns.ts'
import { createTable } from '../../local/database/createTable.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'

const folder = mkdtempSync(join(tmpdir(), 'stand-ins-'))
const modules = new URL('../../node_modules/', import.meta.url).pathname
// biome-ignore lint/suspicious/noExplicitAny: a bundle has no types
let sdk: any

beforeAll(async () => {
  const entry = join(folder, 'sdk.ts')
  const ofClient = 'DynamoDBClient, CreateTableCommand, TransactionCanceledException'
  const lines = [
    `export { ${ofClient} } from '${modules}@aws-sdk/client-dynamodb'`,
    `export * from '${modules}@aws-sdk/lib-dynamodb'`,
  ]
  writeFileSync(entry, lines.join('\n'))
  await bundle({ entry, outfile: join(folder, 'sdk.cjs') })
  sdk = createRequire(import.meta.url)(join(folder, 'sdk.cjs'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const local = () => ({ endpoint: dynamoDBEndpoint(), region: 'eu-central-1', credentials })

describe('the address of DynamoDB', () => {
  const regions = ['us-east-1', 'eu-central-1', 'ap-east-2', 'mx-central-1', 'us-gov-west-1', 'cn-north-1']
  const apart = [
    'cn-northwest-1',
    'eusc-de-east-1',
    'us-iso-east-1',
    'us-isob-east-1',
    'eu-isoe-west-1',
    'us-isof-east-1',
  ]

  test.each([...regions, ...apart])('in %s is the one that the SDK finds', async (region) => {
    const original = new DynamoDBClient({ region, credentials }).config.endpointProvider({ Region: region }, {})
    expect(defaultEndpointResolver({ Region: region }).url.href).toBe(original.url.href)
  })

  test('is any that is given', () => {
    expect(defaultEndpointResolver({ Region: 'x', Endpoint: 'http://localhost:1' }).url.href).toBe(
      'http://localhost:1/',
    )
  })

  test('is never silently another than was asked for', () => {
    expect(() => defaultEndpointResolver({ Region: 'eu-central-1', UseFIPS: true })).toThrow(/left out/)
    expect(() => defaultEndpointResolver({ Region: 'eu-central-1', UseDualStack: true })).toThrow(/left out/)
  })
})

describe('a bundled SDK', () => {
  const TableName = 'stand-ins'
  beforeAll(() => createTable(new sdk.DynamoDBClient(local()), TableName))

  const document = () => sdk.DynamoDBDocumentClient.from(new sdk.DynamoDBClient(local()))

  test('writes and reads items', async () => {
    const items = [1, 2, 3].map((n) => ({
      pk: 'a',
      sk: `${n}`,
      set: new Set(['x']),
      nested: { list: [n, null, true] },
    }))
    const puts = items.map((Item) => ({ Put: { TableName, Item } }))
    await document().send(new sdk.TransactWriteCommand({ TransactItems: puts }))
    const query = { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'a' } }
    const { Items } = await document().send(new sdk.QueryCommand({ ...query, ConsistentRead: true }))
    expect(Items).toEqual(items)
    const keys = items.map(({ pk, sk }) => ({ pk, sk }))
    const { Responses } = await document().send(
      new sdk.BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys } } }),
    )
    expect(Responses[TableName].length).toBe(3)
    const deletes = keys.map((Key) => ({ DeleteRequest: { Key } }))
    await document().send(new sdk.BatchWriteCommand({ RequestItems: { [TableName]: deletes } }))
  })

  test('says why a transaction was cancelled', async () => {
    const Item = { pk: 'b', sk: '1', owner: 'me' }
    await document().send(new sdk.PutCommand({ TableName, Item }))
    const ConditionExpression = 'attribute_not_exists(pk)'
    const put = { TableName, Item, ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
    const error = await document()
      .send(new sdk.TransactWriteCommand({ TransactItems: [{ Put: put }] }))
      .catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(sdk.TransactionCanceledException)
    expect(error).toMatchObject({ name: 'TransactionCanceledException' })
    expect(error.CancellationReasons).toMatchObject([{ Code: 'ConditionalCheckFailed', Item: { owner: { S: 'me' } } }])
  })

  test('names errors', async () => {
    const missing = document().send(new sdk.GetCommand({ TableName: 'none', Key: { pk: 'a', sk: 'b' } }))
    await expect(missing).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    const twice = new sdk.CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    })
    await expect(document().send(twice)).rejects.toMatchObject({ name: 'ResourceInUseException' })
  })

  test('takes credentials and region from the environment', async () => {
    process.env.AWS_ACCESS_KEY_ID = 'from-environment'
    process.env.AWS_SECRET_ACCESS_KEY = 'secret'
    process.env.AWS_REGION = 'eu-west-3'
    const { config } = new sdk.DynamoDBClient({})
    expect(await config.region()).toBe('eu-west-3')
    expect(await config.credentials()).toMatchObject({ accessKeyId: 'from-environment' })
  })
})

test('a bundled cleaner of HTML does what its sources do', async () => {
  const outfile = join(folder, 'cleanHtml.cjs')
  await bundle({ entry: new URL('../../domain/tasks/cleanBody.ts', import.meta.url).pathname, outfile })
  const bundled = createRequire(import.meta.url)(outfile)
  const parts =
    '<p> </p> <p <b/> <svg> <style> </style> <script> </script> <title> </title> <!-- --> <![CDATA[ ]]> <!x> <?x> <li> ' +
    '<td> <plaintext> <a href=https://e.org> href="https://e.org" href=\'x\' class=ql-ui > " \' = & &amp; x <'
  const html = fc.array(fc.constantFrom(...parts.split(' '), ' '), { maxLength: 30 }).map((some) => some.join(''))
  fc.assert(
    fc.property(html, (given) => {
      expect(bundled.cleanHtml(given)).toBe(cleanHtml(given))
    }),
  )
  const link = '<p class="ql-align-center">1 &lt; 2<a href="tel:1">x</a></p>'
  expect(bundled.cleanHtml(`${link}<script>x</script>`)).toBe(link)
})
