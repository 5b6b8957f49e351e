import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { serviceFunctions } from '../../local/build/serviceFile.ts'
import { tableDefinition } from '../../local/table.ts'
import { dynamoDBEndpoint } from './endpoint.ts'

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
export async function turnOnStream(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  const { StreamSpecification } = await tableDefinition()
  await client.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification }))
}

/** All records that the stream of a table holds, from its beginning. */
export async function readStream(client: DynamoDBDocumentClient, tableName: string): Promise<DynamoDBRecord[]> {
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
export function isLetThrough(record: DynamoDBRecord): boolean {
  const patterns = (serviceFunctions().finishWork?.events ?? []).flatMap(({ stream }) => stream?.filterPatterns ?? [])
  return patterns.some((pattern) => matches(pattern as Pattern, record))
}

const matches = (pattern: Pattern, value: unknown): boolean =>
  Array.isArray(pattern)
    ? pattern.includes(value)
    : Object.entries(pattern as { [name: string]: Pattern }).every(([name, inner]) =>
        matches(inner, (value as Record<string, unknown> | undefined)?.[name]),
      )
