import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { fromEnv } from '@aws-sdk/credential-provider-env'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import DataLoader from 'dataloader'
import { StoreBusy } from '../base/errors.ts'
import { retry, sideBySide, slices } from '../base/flow.ts'
import { expressionsOf, queryOf } from './expressions.ts'
import { type Action, type Item, type Key, nameOf, type Page, type Range, type Store } from './store.ts'
import { known, mayBeDone, retryable, verdict } from './verdicts.ts'

type Table = {
  client: DynamoDBDocumentClient
  name: string
  newToken: () => string
  /** Aborted once nobody waits any more for what is asked for here. */
  signal?: () => AbortSignal | undefined
}
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** Attempts at a request that lost against others, or that DynamoDB had no room for. */
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
  await untilProcessed(async () => {
    const RequestItems = { [table.name]: { Keys: left, ConsistentRead } }
    const answer = await unlessBusy(table.client.send(new BatchGetCommand({ RequestItems }), whileAwaited(table)))
    items.push(...((answer.Responses?.[table.name] ?? []) as Item[]))
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []
    return left.length
  })
  return items
}

class Unprocessed extends StoreBusy {
  constructor() {
    super({ cause: 'Unprocessed' })
  }
}

/** Repeats a request of which DynamoDB leaves parts undone when it is busy; `send` answers how many are left. */
const untilProcessed = (send: () => Promise<number>): Promise<void> =>
  retry(
    async () => {
      if ((await send()) > 0) throw new Unprocessed()
    },
    { attempts: ATTEMPTS, again: (error) => error instanceof Unprocessed },
  )

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
  const send = () => {
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
    return table.client.send(command, whileAwaited(table))
  }
  await retry(send, { attempts: ATTEMPTS, again: (error) => retryable(error, actions) }).catch((error: unknown) => {
    throw verdict(error, actions, isUncertain)
  })
}

function transactItem(TableName: string, action: Action): TransactItem {
  const { UpdateExpression = '', ...expected } = expressionsOf(action.if, 'update' in action ? action : undefined)
  const common = { TableName, ...expected }
  if ('put' in action) return { Put: { ...common, Item: action.put } }
  if ('update' in action) return { Update: { ...common, Key: action.update, UpdateExpression } }
  if ('delete' in action) return { Delete: { ...common, Key: action.delete } }
  return { ConditionCheck: { ConditionExpression: '', ...common, Key: action.check } }
}

/** The most changes that BatchWriteItem takes, and such requests at once. */
const CHANGES = 25
const REQUESTS = 8

function bulk(table: Table, changes: readonly ({ put: Item } | { delete: Key })[]): Promise<void> {
  const requests = changes.map((change) =>
    'put' in change ? { PutRequest: { Item: change.put } } : { DeleteRequest: { Key: change.delete } },
  )
  return sideBySide(REQUESTS, slices(requests, CHANGES), async (part) => {
    let left: object[] = part
    await untilProcessed(async () => {
      const command = new BatchWriteCommand({ RequestItems: { [table.name]: left } })
      const answer = await unlessBusy(table.client.send(command, whileAwaited(table)))
      left = answer.UnprocessedItems?.[table.name] ?? []
      return left.length
    })
  })
}

/**
 * Nothing is sent, nor repeated by the SDK, for a call that is over. Else a frozen function that is woken up by the next
 * call would go on with writes that its caller has been told not to count on.
 */
function whileAwaited({ signal }: Table): { abortSignal?: AbortSignal } {
  const abortSignal = signal?.()
  abortSignal?.throwIfAborted()
  return abortSignal ? { abortSignal } : {}
}

/** The SDK has repeated a throttled request by then: what still fails is answered as busy, not as our fault. */
async function unlessBusy<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw known(error)
  }
}

/** A client for DynamoDB: on AWS by default, elsewhere with DYNAMODB_ENDPOINT. */
export function documentClient(env: NodeJS.ProcessEnv = process.env): DynamoDBDocumentClient {
  const endpoint = env.DYNAMODB_ENDPOINT
  const client = new DynamoDBClient({
    region: env.AWS_REGION ?? 'eu-central-1',
    // Lambda puts its credentials into the environment; DynamoDB Local takes any.
    credentials: endpoint ? { accessKeyId: 'local', secretAccessKey: 'local' } : fromEnv(),
    // A request that hangs is repeated instead of holding the function until it ends.
    ...(endpoint
      ? { endpoint }
      : { requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true } }),
    maxAttempts: 3,
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
