// Reads the stream of a table in DynamoDB Local. For four requests we need no package of the SDK.
import type { DynamoDBRecord } from 'aws-lambda'
import { documentClient } from '../domain/table/dynamo.ts'
import { streamOf } from './table.ts'

type Shard = { ShardId: string; SequenceNumberRange: { EndingSequenceNumber?: string } }

/** Records of one look at most: DynamoDB Local takes its time for them. Where there are more, their end is gone on from. */
const MOST_RECORDS = 100

/** What has been written since the last look; `isAll` says whether that is all of it. */
export type Look = { records: DynamoDBRecord[]; isAll: boolean }

/** The stream of a table from now on. */
export const tableStream = async (endpoint: string, tableName: string): Promise<{ look: () => Promise<Look> }> => {
  const StreamArn = await streamOf(documentClient({ DYNAMODB_ENDPOINT: endpoint }), tableName)
  const stream = (target: string, body: object) => ask(endpoint, `DynamoDBStreams_20120810.${target}`, body)
  const shards = async (): Promise<Shard[]> => {
    const found: Shard[] = []
    let after: string | undefined
    do {
      const from = after === undefined ? {} : { ExclusiveStartShardId: after }
      const { StreamDescription } = await stream('DescribeStream', { StreamArn, ...from })
      found.push(...StreamDescription.Shards)
      after = StreamDescription.LastEvaluatedShardId
    } while (after !== undefined)
    return found
  }
  const iterator = async (ShardId: string, ShardIteratorType: 'LATEST' | 'TRIM_HORIZON'): Promise<string> =>
    (await stream('GetShardIterator', { StreamArn, ShardId, ShardIteratorType })).ShardIterator

  const at = new Map<string, string>()
  const known = new Set<string>()
  /** Finds new shards: from time to time a shard ends, and others go on. */
  const discover = async (type: 'LATEST' | 'TRIM_HORIZON') => {
    for (const { ShardId, SequenceNumberRange } of await shards()) {
      if (known.has(ShardId)) continue
      known.add(ShardId)
      if (type === 'LATEST' && SequenceNumberRange.EndingSequenceNumber !== undefined) continue
      at.set(ShardId, await iterator(ShardId, type))
    }
  }
  await discover('LATEST')

  const read = async (shard: string, ShardIterator: string): Promise<Look> => {
    const page = await stream('GetRecords', { ShardIterator, Limit: MOST_RECORDS }).catch(unlessTooOld)
    if (!page) {
      at.set(shard, await iterator(shard, 'TRIM_HORIZON'))
      return { records: [], isAll: false }
    }
    const { Records, NextShardIterator } = page
    const isAll = Records.length < MOST_RECORDS
    // To read all changes of an import would take as long as to make them.
    const next = isAll ? NextShardIterator : await iterator(shard, 'LATEST')
    if (next) at.set(shard, next)
    else at.delete(shard)
    return { records: Records, isAll }
  }
  const look = async (): Promise<Look> => {
    const looks: Look[] = []
    for (const [shard, ShardIterator] of [...at]) looks.push(await read(shard, ShardIterator))
    if (looks.length > at.size || at.size === 0) await discover('TRIM_HORIZON')
    return { records: looks.flatMap(({ records }) => records), isAll: looks.every(({ isAll }) => isAll) }
  }
  return { look }
}

/** DynamoDB Local drops old records, and then refuses a position before them. The stream goes on behind the gap. */
const unlessTooOld = (error: Error): undefined => {
  if (!/TrimmedDataAccess|ExpiredIterator/.test(error.message)) throw error
}

// DynamoDB Local wants a signature, but does not look at it.
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
const ask = async (endpoint: string, target: string, body: object): Promise<any> => {
  const sent = { ...headers, 'x-amz-target': target }
  const answer = await fetch(endpoint, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${target}: ${text}`)
  return JSON.parse(text)
}
