import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import DataLoader from 'dataloader'
import { StoreBusy } from '../base/errors.ts'
import { backOff } from './backOff.ts'
import { expressionsOf } from './expressions.ts'
import { queryOf } from './queryOf.ts'
import type { Action, Item, Key, Page, Range, Store } from './store.ts'
import { known, mayBeDone, retryable, verdict } from './verdicts.ts'

type Table = {
  client: DynamoDBDocumentClient
  name: string
  newToken: () => string
  /** Aborted once nobody waits any more for what is asked for here. */
  signal?: () => AbortSignal | undefined
}
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** How often a request is repeated that lost against others or that the store had no room for. */
const ATTEMPTS = 8

/** A view of the table for one request: reads issued in one tick travel together. */
export function dynamoStore(table: Table): Store {
  const strong = loader(table, true)
  const soon = loader(table, false)
  return {
    get: async (key) => (isPossible(key) ? strong.load(key) : undefined),
    getSoon: async (key) => (isPossible(key) ? soon.load(key) : undefined),
    query: (range) => query(table, range),
    write: (actions) => write(table, actions),
    bulk: (changes) => bulk(table, changes),
  }
}

/** References in requests are longer than DynamoDB lets a key be: what they name cannot be there. */
const isPossible = ({ pk, sk }: Key): boolean => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024

const nameOf = (key: Key): string => `${key.pk}\n${key.sk}`

function loader(table: Table, consistent: boolean): DataLoader<Key, Item | undefined, string> {
  // No cache: a retry must see what is stored now. Equal keys of one tick are one read.
  return new DataLoader(
    async (keys) => {
      const wanted = new Map(keys.map((key) => [nameOf(key), key]))
      const found = new Map((await batchGet(table, [...wanted.values()], consistent)).map((it) => [nameOf(it), it]))
      return keys.map((key) => found.get(nameOf(key)))
    },
    { cache: false, maxBatchSize: 100 },
  )
}

async function batchGet(table: Table, keys: readonly Key[], ConsistentRead: boolean): Promise<Item[]> {
  const items: Item[] = []
  let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }))
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === ATTEMPTS) throw new StoreBusy({ cause: 'Unprocessed' })
    if (attempt > 0) await backOff(attempt)
    const RequestItems = { [table.name]: { Keys: left, ConsistentRead } }
    const answer = await unlessBusy(table.client.send(new BatchGetCommand({ RequestItems }), whileAwaited(table)))
    items.push(...((answer.Responses?.[table.name] ?? []) as Item[]))
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []
  }
  return items
}

async function query(table: Table, range: Range): Promise<Page> {
  const command = new QueryCommand({ TableName: table.name, ...queryOf(range) })
  const answer = await unlessBusy(table.client.send(command, whileAwaited(table)))
  const page = { items: (answer.Items ?? []) as Item[], count: answer.Count ?? 0 }
  return answer.LastEvaluatedKey ? { ...page, next: answer.LastEvaluatedKey } : page
}

async function write(table: Table, actions: readonly Action[]): Promise<void> {
  const request = {
    TransactItems: actions.map((action) => transactItem(table.name, action)),
    // One token for all attempts: after a time-out our own success must not look like somebody else's conflict.
    ClientRequestToken: table.newToken(),
  }
  let isUncertain = false
  for (let attempt = 1; ; attempt++) {
    const command = new TransactWriteCommand(request)
    // The SDK repeats by itself what had no answer: only from within can it be seen that there was none.
    command.middlewareStack.add(
      (next) => (args) =>
        next(args).catch((error: unknown) => {
          isUncertain ||= mayBeDone(error)
          throw error
        }),
      { step: 'finalizeRequest', name: 'noteLostAnswers', override: true },
    )
    try {
      await table.client.send(command, whileAwaited(table))
      return
    } catch (error) {
      if (!retryable(error, actions) || attempt === ATTEMPTS) throw verdict(error, actions, isUncertain)
      await backOff(attempt)
    }
  }
}

function transactItem(TableName: string, action: Action): TransactItem {
  const { UpdateExpression = '', ...expected } = expressionsOf(action.if, 'update' in action ? action : undefined)
  const common = { TableName, ...expected }
  if ('put' in action) return { Put: { ...common, Item: action.put } }
  if ('update' in action) return { Update: { ...common, Key: action.update, UpdateExpression } }
  if ('delete' in action) return { Delete: { ...common, Key: action.delete } }
  return { ConditionCheck: { ConditionExpression: '', ...common, Key: action.check } }
}

/** Requests of 25 changes, the most that BatchWriteItem takes, a few at a time. */
async function bulk(table: Table, changes: readonly ({ put: Item } | { delete: Key })[]): Promise<void> {
  const requests = changes.map((change) =>
    'put' in change ? { PutRequest: { Item: change.put } } : { DeleteRequest: { Key: change.delete } },
  )
  for (let start = 0; start < requests.length; start += 200) {
    const parts = [0, 25, 50, 75, 100, 125, 150, 175].map((offset) =>
      requests.slice(start + offset, Math.min(start + offset + 25, start + 200)),
    )
    await Promise.all(parts.filter((part) => part.length > 0).map((part) => bulkPart(table, part)))
  }
}

async function bulkPart(table: Table, requests: object[]): Promise<void> {
  let left = requests
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === ATTEMPTS) throw new StoreBusy({ cause: 'Unprocessed' })
    if (attempt > 0) await backOff(attempt)
    const command = new BatchWriteCommand({ RequestItems: { [table.name]: left } })
    const answer = await unlessBusy(table.client.send(command, whileAwaited(table)))
    left = answer.UnprocessedItems?.[table.name] ?? []
  }
}

/**
 * Nothing is sent for a call that is over, nor repeated by the SDK: a frozen function that is woken up by the next call
 * would otherwise go on writing what its own caller has been told he cannot count on.
 */
function whileAwaited({ signal }: Table): { abortSignal?: AbortSignal } {
  const abortSignal = signal?.()
  abortSignal?.throwIfAborted()
  return abortSignal ? { abortSignal } : {}
}

/** The SDK has repeated a throttled request by then: what still fails is answered as "busy", not as a fault of ours. */
async function unlessBusy<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw known(error)
  }
}
