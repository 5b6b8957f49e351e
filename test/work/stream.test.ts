import { readFileSync } from 'node:fs'
import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { beforeAll, describe, expect, it } from 'vitest'
import { readAllWork } from '../../domain/table/readWork.ts'
import { handler } from '../../handlers/maintenance/finishWork.ts'
import { serviceFunctions } from '../../local/build/yamlFiles.ts'
import { tableDefinition } from '../../local/database/createTable.ts'
import { audit } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { dynamoDBEndpoint, engine } from '../harness/endpoint.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// How AWS starts the worker: the table's stream shows each write, and the filter in serverless.yml lets few of them
// through. DynamoDB Local has such a stream. `npm run test:dynamodb-local` compares what it tells with recordedStream.json
// (with `-- test/work/stream.test.ts --update` it records again). On other engines the recorded events take its place:
// dynoxide reads its stream from the beginning at every request.

const hasStream = engine() === 'dynamodb-local'
const file = new URL('recordedStream.json', import.meta.url)
const crowd = Array.from({ length: 100 }, (_, n) => `c-${n}`)
const recipients = crowd.map((id) => ({ id, type: 'USER' }))

let service: Service
let records: DynamoDBRecord[]
beforeAll(async () => {
  service = await startService({ users: [...people, { id: 'author' }, ...crowd.map((id) => ({ id }))] })
  if (hasStream) await turnOnStream(service.client, service.tableName)
  // A call that has no time for anything but what it must do.
  const body = { id: 'drill', title: 'T', recipients }
  expect((await call('createTask', { body, as: 'author', timeLeft: 7000 })).status).toBe(201)
  await call('lockUser', { path: { user_id: 'c-7' } })
  records = hasStream ? await readStream(service.client, service.tableName) : JSON.parse(readFileSync(file, 'utf8'))
})

const keyOf = ({ dynamodb: { Keys: { pk, sk } = {} } = {} }: DynamoDBRecord) => `${pk?.S} ${sk?.S}`
const run = (Records: DynamoDBRecord[]) => handler({ Records }, { getRemainingTimeInMillis: () => 15_000 } as never)

describe('the stream of the table', () => {
  it.runIf(hasStream)('tells what is recorded', async () => {
    const told = records.filter((record) => /^WORK |^USER#c-7 USER$/.test(keyOf(record)))
    // What the filter looks at, without what differs from run to run.
    const steady = told.map(({ eventName, dynamodb: { Keys: { pk, sk } = {}, NewImage } = {} }) => ({
      eventName,
      dynamodb: {
        Keys: { pk, sk: { S: sk?.S?.replace(/#[-0-9a-f]{36}/, '#id') } },
        NewImage: { taker: NewImage?.taker },
      },
    }))
    await expect(`${JSON.stringify(steady, null, 2)}\n`).toMatchFileSnapshot('recordedStream.json')
  })

  it('starts the worker for what a call has handed over, and for nothing else', () => {
    const taken = records.filter(isLetThrough)
    expect(taken.map(keyOf)).toEqual([expect.stringMatching(/^WORK recipients#drill#/)])
    expect(records.filter((record) => !taken.includes(record)).map(keyOf)).toEqual(
      expect.arrayContaining([keyOf(taken[0] as DynamoDBRecord), 'USER#c-7 USER']),
    )
  })

  it('has it do all of that', async () => {
    const task = async () => (await call('getTask', { path: { task_id: 'drill' }, as: 'author' })).body.distribution
    expect(await task()).toMatchObject({ state: 'RUNNING', done: 30 })
    await run(records.filter(isLetThrough))
    expect(await task()).toEqual({ state: 'DONE', total: 100, done: 100 })
    expect(await readAllWork(service.store)).toEqual([])
    await audit(service)
  })

  it.runIf(hasStream)('tells what the worker itself writes, which starts no other one', async () => {
    const after = await readStream(service.client, service.tableName)
    expect(after.length).toBeGreaterThan(records.length)
    expect(after.filter(isLetThrough)).toEqual(records.filter(isLetThrough))
  })
})

/** A client of DynamoDB Streams: for three requests we need no package of the SDK. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
}

type Answer = {
  StreamDescription: { Shards: { ShardId: string }[] }
  ShardIterator: string
  Records: DynamoDBRecord[]
  NextShardIterator?: string
}

async function ask(action: string, body: object): Promise<Answer> {
  const answer = await fetch(dynamoDBEndpoint(), {
    method: 'POST',
    headers: { ...headers, 'x-amz-target': `DynamoDBStreams_20120810.${action}` },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${action}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** Gives a table its stream, as table.yml has it. */
async function turnOnStream(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  const { StreamSpecification } = await tableDefinition()
  await client.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification }))
}

/** All records that the stream of a table holds, from its beginning. */
async function readStream(client: DynamoDBDocumentClient, tableName: string): Promise<DynamoDBRecord[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
  const StreamArn = Table?.LatestStreamArn
  const { StreamDescription } = await ask('DescribeStream', { StreamArn })
  const records: DynamoDBRecord[] = []
  for (const { ShardId } of StreamDescription.Shards) {
    const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }
    let next: string | undefined = (await ask('GetShardIterator', from)).ShardIterator
    for (let isMore = true; next && isMore; ) {
      const page: Answer = await ask('GetRecords', { ShardIterator: next })
      records.push(...page.Records)
      next = page.NextShardIterator
      isMore = page.Records.length > 0
    }
  }
  return records
}

type Pattern = { [name: string]: Pattern } | readonly unknown[]

/** Whether Lambda calls finishWork with a record: the filter of its stream in serverless.yml lets the record through. */
function isLetThrough(record: DynamoDBRecord): boolean {
  const patterns = (serviceFunctions().finishWork?.events ?? []).flatMap(({ stream }) => stream?.filterPatterns ?? [])
  return patterns.some((pattern) => matches(pattern as Pattern, record))
}

const matches = (pattern: Pattern, value: unknown): boolean =>
  Array.isArray(pattern)
    ? pattern.includes(value)
    : Object.entries(pattern as { [name: string]: Pattern }).every(([name, inner]) =>
        matches(inner, (value as Record<string, unknown> | undefined)?.[name]),
      )
