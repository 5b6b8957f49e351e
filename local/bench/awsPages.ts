import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../domain/table/store.ts'
import { itemSize } from '../../test/harness/capacity.ts'

const MEGABYTE = 1024 * 1024

// biome-ignore lint/suspicious/noExplicitAny: input and output of a command
type Any = any

/**
 * Ends pages of an index like AWS, after a megabyte of projected attributes. DynamoDB Local counts the whole
 * items, which are many times as large.
 */
export function awsPages(client: DynamoDBDocumentClient, spectator: DynamoDBDocumentClient): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { Select, ...input }: Any = args.input
      if (context.commandName !== 'QueryCommand' || !input.IndexName) return next(args)
      const answer: Any = await next({ ...args, input })
      const page = await wholePage(spectator, input, answer.output)
      return { ...answer, output: { ...answer.output, ...page, ...(Select === 'COUNT' ? { Items: undefined } : {}) } }
    },
    { step: 'initialize', name: 'awsPages' },
  )
}

async function wholePage(client: DynamoDBDocumentClient, input: Any, output: Any): Promise<Any> {
  const items: Item[] = [...output.Items]
  let last = output.LastEvaluatedKey
  let bytes = items.reduce((sum, item) => sum + itemSize(item), 0)
  while (last && bytes < MEGABYTE && items.length < (input.Limit ?? Number.POSITIVE_INFINITY)) {
    const Limit = input.Limit && input.Limit - items.length
    const more: Any = await client.send(
      new QueryCommand({ ...input, ExclusiveStartKey: last, ...(Limit ? { Limit } : {}) }),
    )
    items.push(...more.Items)
    bytes += more.Items.reduce((sum: number, item: Item) => sum + itemSize(item), 0)
    last = more.LastEvaluatedKey
  }
  return cutPage(items, last, input)
}

function cutPage(items: readonly Item[], last: Any, input: Any): Any {
  let bytes = 0
  const end = items.findIndex((item) => {
    bytes += itemSize(item)
    return bytes >= MEGABYTE
  })
  if (end < 0 || end === items.length - 1) return { Items: items, Count: items.length, LastEvaluatedKey: last }
  const kept = items.slice(0, end + 1)
  const { '#hash': hash, '#sort': sort = input.IndexName } = input.ExpressionAttributeNames
  const { pk, sk, [hash]: at, [sort]: place } = kept.at(-1) as Item
  return { Items: kept, Count: kept.length, LastEvaluatedKey: { pk, sk, [hash]: at, [sort]: place } }
}
