import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
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
import { retry, sideBySide, slices } from '../base/flow.ts'
import { recorded } from './events.ts'
import { expressionsOf, queryOf } from './expressions.ts'
import { notesWork } from './keys.ts'
import type { Request, Traffic } from './requests.ts'
import { type Action, type Cause, type Item, type Key, nameOf, type OpenStore, type Page, type Range } from './store.ts'
import { ask, noted, retryable, UNPROCESSED, verdict } from './verdicts.ts'

type Table = {
  client: DynamoDBDocumentClient
  name: string
  newToken: () => string
  /** The time of events, and for how many days they are kept. */
  now?: () => Date
  keptDays?: number
  /** Aborted once nobody waits any more for what is asked for here. */
  signal?: (() => AbortSignal | undefined) | undefined
  traffic?: Traffic | undefined
}
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** Attempts at a request that is in conflict with others, or throttled. */
const ATTEMPTS = 8

/** A view of the table for one request: reads issued in one tick travel together. */
export function dynamoStore(table: Table): OpenStore {
  const strong = loader(table, true)
  const soon = loader(table, false)
  const store = {
    get: (key: Key) => (isPossible(key) ? strong.load(key) : NOTHING),
    getSoon: (key: Key) => (isPossible(key) ? soon.load(key) : NOTHING),
    query: (range: Range) => query(table, range),
    bulk: (changes: Parameters<OpenStore['bulk']>[0]) => bulk(table, changes),
  }
  const { newToken: newId, now = () => new Date(), keptDays = DEFAULT_DAYS } = table
  const by = (cause: Cause) => ({
    ...store,
    write: (actions: readonly Action[]) => write(table, recorded(actions, { cause, now: now(), newId, keptDays })),
  })
  return { ...store, by, write: async (actions) => write(table, withoutEvents(actions)) }
}

/** How many days events are kept, if nothing is said. */
const DEFAULT_DAYS = 400

/** Refuses actions that need a cause: no record changes without an event. */
function withoutEvents(actions: readonly Action[]): readonly Action[] {
  if (actions.some(({ event }) => event)) throw new Error('A record is changed, and nothing says who does so')
  return actions
}

const NOTHING = Promise.resolve(undefined)
/** References in requests are longer than DynamoDB lets a key be: what they name cannot be there. */
const isPossible = ({ pk, sk }: Key): boolean => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024

function loader(table: Table, consistent: boolean): DataLoader<Key, Item | undefined, string> {
  // No cache: a retry must see what is stored now. Equal keys of one tick are one read.
  return new DataLoader(
    async (keys) => {
      const names = keys.map(nameOf)
      const wanted = new Map(names.map((name, n) => [name, keys[n] as Key]))
      const found = new Map((await batchGet(table, [...wanted.values()], consistent)).map((it) => [nameOf(it), it]))
      return names.map((name) => found.get(name))
    },
    { cache: false, maxBatchSize: 100 },
  )
}

const batchGet = (table: Table, keys: readonly Key[], ConsistentRead: boolean): Promise<Item[]> =>
  ask(table, 'BatchGetItem', async (request) => {
    // Stryker disable next-line ArrayDeclaration: nobody asks for the key of a text
    const items: Item[] = []
    let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }))
    await untilProcessed(async () => {
      const command = new BatchGetCommand({ RequestItems: { [table.name]: { Keys: left, ConsistentRead } } })
      const answer = await table.client.send(noted(request, command), whileAwaited(table))
      items.push(...((answer.Responses?.[table.name] ?? []) as Item[]))
      left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []
      return left.length
    })
    return items
  })

class Unprocessed extends Error {
  override name = UNPROCESSED
}

/** Repeats a request of which DynamoDB leaves parts undone when it is busy; `send` answers how many are left. */
const untilProcessed = (send: () => Promise<number>): Promise<void> =>
  retry(
    async () => {
      if ((await send()) > 0) throw new Unprocessed()
    },
    { attempts: ATTEMPTS, again: (error) => error instanceof Unprocessed },
  )

const query = (table: Table, range: Range): Promise<Page> =>
  ask(table, 'Query', async (request) => {
    const command = new QueryCommand({ TableName: table.name, ...queryOf(range) })
    const answer = await table.client.send(noted(request, command), whileAwaited(table))
    const page = { items: (answer.Items ?? []) as Item[], count: answer.Count ?? 0 }
    return answer.LastEvaluatedKey ? { ...page, next: answer.LastEvaluatedKey as Item } : page
  })

function write(table: Table, actions: readonly Action[]): Promise<void> {
  const input = {
    TransactItems: actions.map((action) => transactItem(table.name, action)),
    // One token for all attempts: after a time-out our own success must not look like a conflict with another call.
    ClientRequestToken: table.newToken(),
  }
  const transact = async (request: Request) => {
    const send = () => table.client.send(noted(request, new TransactWriteCommand(input)), whileAwaited(table))
    await retry(send, { attempts: ATTEMPTS, again: (error) => retryable(error, actions) })
    if (table.traffic) table.traffic.noted += actions.filter(notesWork).length
  }
  return ask(table, 'TransactWriteItems', transact, (error, request) => verdict(error, actions, request))
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
  return sideBySide(REQUESTS, slices(requests, CHANGES), (part) =>
    ask(table, 'BatchWriteItem', (request) => {
      let left: object[] = part
      return untilProcessed(async () => {
        const command = new BatchWriteCommand({ RequestItems: { [table.name]: left } })
        const answer = await table.client.send(noted(request, command), whileAwaited(table))
        left = answer.UnprocessedItems?.[table.name] ?? []
        return left.length
      })
    }),
  )
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

/**
 * How long a function on AWS waits for DynamoDB: a request without an answer is repeated after a second, and given up
 * after three, so that a user pool, which waits five in all, still gets an answer.
 */
export const patience = { connectionTimeout: 1000, requestTimeout: 1000, throwOnRequestTimeout: true }

const nothing = (): void => {}
/**
 * Logs nothing. The SDK copies every answer, item by item, for a logger that has `info`: a seventh of the processor time of
 * a search.
 */
const logger = { debug: nothing, warn: nothing, error: nothing } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>

/** A client for DynamoDB: on AWS by default, elsewhere with DYNAMODB_ENDPOINT, where it waits as long as it takes. */
export function documentClient(
  { DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region = 'eu-central-1' }: NodeJS.ProcessEnv = process.env,
  requestHandler: object = endpoint ? {} : patience,
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    region,
    // Lambda puts its credentials into the environment; DynamoDB Local takes any.
    credentials: endpoint ? { accessKeyId: 'local', secretAccessKey: 'local' } : fromEnv(),
    ...(endpoint ? { endpoint } : {}),
    requestHandler,
    maxAttempts: 3,
    logger,
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
