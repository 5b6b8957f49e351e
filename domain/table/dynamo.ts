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
import { unmarshall } from '@aws-sdk/util-dynamodb'
import DataLoader from 'dataloader'
import type { ErrorCode } from '../../schemas/errors.ts'
import {
  AppError,
  type FailedRequest,
  reasonOf,
  refuse,
  StaleRead,
  StoreBusy,
  StoreUnreachable,
} from '../base/errors.ts'
import { inParallel, retry, slices } from '../base/flow.ts'
import { withEvents } from './events.ts'
import { expressionsOf, queryOf } from './expressions.ts'
import {
  type Action,
  type Cause,
  type Item,
  type Key,
  nameOf,
  type OpenStore,
  type Page,
  type Range,
  type Refusal,
} from './store.ts'
import { notesWork } from './work.ts'

// The store: reads and writes as DynamoDB takes them.

type Table = {
  client: DynamoDBDocumentClient
  name: string
  newToken: () => string
  /** The time of events, and for how many days they are kept. */
  now?: () => Date
  keptDays?: number
  /** Aborted when the call is over: then no request is sent any more. */
  signal?: (() => AbortSignal | undefined) | undefined
  traffic?: Traffic | undefined
}
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** Attempts at a request that is in conflict with others, or throttled. */
const ATTEMPTS = 8

/** The store of one call. Reads of one tick become one request. */
export function dynamoStore(table: Table): OpenStore {
  const strong = loader(table, true)
  const soon = loader(table, false)
  const store = {
    get: (key: Key) => (fitsIntoKey(key) ? strong.load(key) : NOTHING),
    getSoon: (key: Key) => (fitsIntoKey(key) ? soon.load(key) : NOTHING),
    query: (range: Range) => query(table, range),
    bulk: (changes: Parameters<OpenStore['bulk']>[0]) => bulk(table, changes),
  }
  const { newToken: newId, now = () => new Date(), keptDays = DEFAULT_DAYS } = table
  const by = (cause: Cause) => ({
    ...store,
    write: (actions: readonly Action[]) => write(table, withEvents(actions, { cause, now: now(), newId, keptDays })),
  })
  return { ...store, by, write: async (actions) => write(table, withoutEvents(actions)) }
}

/** How many days events are kept by default. */
const DEFAULT_DAYS = 400

/** Throws if an action has an event: without a cause it cannot be written. */
function withoutEvents(actions: readonly Action[]): readonly Action[] {
  if (actions.some(({ event }) => event)) throw new Error('A change of a record needs a cause')
  return actions
}

const NOTHING = Promise.resolve(undefined)
/** Ids in requests may be too long for a key of DynamoDB, or no valid text: then there is no such item. */
const fitsIntoKey = ({ pk, sk }: Key): boolean =>
  Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024 && pk.isWellFormed() && sk.isWellFormed()

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
  sendRequest(table, 'BatchGetItem', async (request) => {
    // Stryker disable next-line ArrayDeclaration: a string among the items has no key
    const items: Item[] = []
    let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }))
    await untilProcessed(async () => {
      const command = new BatchGetCommand({ RequestItems: { [table.name]: { Keys: left, ConsistentRead } } })
      const answer = await table.client.send(countAttempts(request, command), whileAwaited(table))
      items.push(...((answer.Responses?.[table.name] ?? []) as Item[]))
      left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []
      return left.length
    })
    return items
  })

class Unprocessed extends Error {
  override name = UNPROCESSED
}

/** Repeats a request of which DynamoDB leaves parts undone when it is busy. `send` answers how many parts are left. */
const untilProcessed = (send: () => Promise<number>): Promise<void> =>
  retry(
    async () => {
      if ((await send()) > 0) throw new Unprocessed()
    },
    { attempts: ATTEMPTS, again: (error) => error instanceof Unprocessed },
  )

const query = (table: Table, range: Range): Promise<Page> =>
  sendRequest(table, 'Query', async (request) => {
    const command = new QueryCommand({ TableName: table.name, ...queryOf(range) })
    const answer = await table.client.send(countAttempts(request, command), whileAwaited(table))
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
    const send = () => table.client.send(countAttempts(request, new TransactWriteCommand(input)), whileAwaited(table))
    await retry(send, { attempts: ATTEMPTS, again: (error) => retryable(error, actions) })
    if (table.traffic) table.traffic.notedWork += actions.filter(notesWork).length
  }
  return sendRequest(table, 'TransactWriteItems', transact, (error, request) => writeError(error, actions, request))
}

function transactItem(TableName: string, action: Action): TransactItem {
  const { UpdateExpression = '', ...expected } = expressionsOf(action.if, 'update' in action ? action : undefined)
  const common = { TableName, ...expected }
  if ('put' in action) return { Put: { ...common, Item: action.put } }
  if ('update' in action) return { Update: { ...common, Key: action.update, UpdateExpression } }
  if ('delete' in action) return { Delete: { ...common, Key: action.delete } }
  return { ConditionCheck: { ConditionExpression: '', ...common, Key: action.check } }
}

/** The most changes that BatchWriteItem takes, and how many such requests to send in parallel. */
const CHANGES = 25
const REQUESTS = 8

function bulk(table: Table, changes: readonly ({ put: Item } | { delete: Key })[]): Promise<void> {
  const requests = changes.map((change) =>
    'put' in change ? { PutRequest: { Item: change.put } } : { DeleteRequest: { Key: change.delete } },
  )
  return inParallel(REQUESTS, slices(requests, CHANGES), (part) =>
    sendRequest(table, 'BatchWriteItem', (request) => {
      let left: object[] = part
      return untilProcessed(async () => {
        const command = new BatchWriteCommand({ RequestItems: { [table.name]: left } })
        const answer = await table.client.send(countAttempts(request, command), whileAwaited(table))
        left = answer.UnprocessedItems?.[table.name] ?? []
        return left.length
      })
    }),
  )
}

/**
 * Stops requests, and the SDK's own repetitions, once the call is over. Otherwise a frozen function that the next call wakes
 * up would go on with writes after its caller got an error.
 */
function whileAwaited({ signal }: Table): { abortSignal?: AbortSignal } {
  const abortSignal = signal?.()
  abortSignal?.throwIfAborted()
  return abortSignal ? { abortSignal } : {}
}

// A request with all of its attempts: what it took, for the log line and the metrics of its call.

/** One request to DynamoDB with all of its attempts. */
export type Request = {
  name: string
  /** When it began, by `performance.now()`. */
  since: number
  attempts: number
  /** Why the last attempt failed. */
  lastCause?: string
  /** An attempt got no answer: it may have been carried out. */
  isUncertain: boolean
  traffic: Traffic | undefined
}

/** The requests of one call to DynamoDB, for its log line and its metrics. */
export type Traffic = {
  /** Requests without an answer yet, and aborted ones. */
  underway: Set<Request>
  /** Why the last request failed for good. */
  failure?: object
  requests: number
  /** Requests that run in parallel are one round. */
  rounds: number
  /** Attempts that DynamoDB throttled. */
  throttles: number
  readUnits: number
  writeUnits: number
  /** Entries of work that were written. */
  notedWork: number
}

export const newTraffic = (): Traffic => ({
  underway: new Set(),
  requests: 0,
  rounds: 0,
  throttles: 0,
  readUnits: 0,
  writeUnits: 0,
  notedWork: 0,
})

/** Begins a request. */
export function newRequest(name: string, traffic?: Traffic): Request {
  const request = { name, since: performance.now(), attempts: 0, isUncertain: false, traffic }
  if (traffic) {
    if (traffic.underway.size === 0) traffic.rounds++
    traffic.requests++
    traffic.underway.add(request)
  }
  return request
}

/** The consumed capacity of one table, as DynamoDB answers it. */
type Consumed = { CapacityUnits?: number; ReadCapacityUnits?: number; WriteCapacityUnits?: number }

/** Counts the units of an answer. A transaction has read and write units; others have units of the request's kind. */
export function countUnits(traffic: Traffic, output: unknown, isWrite: boolean): void {
  // Stryker disable next-line ArrayDeclaration: a string has no units either
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Consumed | Consumed[] }
  for (const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } of [ConsumedCapacity].flat()) {
    traffic.readUnits += ReadCapacityUnits ?? (isWrite ? 0 : CapacityUnits)
    traffic.writeUnits += WriteCapacityUnits ?? (isWrite ? CapacityUnits : 0)
  }
}

/** The cause in the log if a call has run out of time. */
export const OUT_OF_TIME = 'OutOfTime'

/** A request that failed with `cause`, for the log. */
export const describeRequest = ({ name, attempts, since, lastCause }: Request, cause: string): FailedRequest => ({
  dependency: 'DynamoDB',
  request: name,
  attempts,
  waited_ms: Math.round(performance.now() - since),
  ...(lastCause === undefined || lastCause === cause ? {} : { last_cause: lastCause }),
})

/** For the log of a call that ran out of time: the request that it waited for longest. */
export function waitedFor({ underway }: Traffic): object {
  const [oldest] = underway
  return oldest ? describeRequest(oldest, OUT_OF_TIME) : {}
}

/** Sends one request with all of its attempts. Throws an error of the domain if the last one fails. */
export async function sendRequest<T>(
  { traffic }: { traffic?: Traffic | undefined },
  name: string,
  send: (request: Request) => Promise<T>,
  failure = domainError,
): Promise<T> {
  const request = newRequest(name, traffic)
  try {
    return await send(request)
  } catch (error) {
    const failed = failure(error, request)
    if (traffic && failed instanceof AppError && failed.failedRequest) traffic.failure = reasonOf(failed)
    throw failed
  } finally {
    // An aborted request stays, for the log line of the call.
    if (request.lastCause !== OUT_OF_TIME) traffic?.underway.delete(request)
  }
}

/** Counts the attempts of a command. The SDK repeats it by itself: only its middleware sees how often, and why. */
export function countAttempts<C extends { middlewareStack: object; input: object }>(request: Request, command: C): C {
  const { traffic } = request
  const { middlewareStack } = command as unknown as TransactWriteCommand
  if (traffic) Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' })
  middlewareStack.add(
    (next) => async (args) => {
      request.attempts++
      try {
        const answer = await next(args)
        if (traffic) countUnits(traffic, answer.output, request.name.includes('Write'))
        return answer
      } catch (error) {
        noteFailure(request, error)
        throw error
      }
    },
    { step: 'finalizeRequest', name: 'noteAttempts', override: true },
  )
  return command
}

function noteFailure(request: Request, error: unknown): void {
  request.lastCause = causeOf(error)
  request.isUncertain ||= mayBeDone(error)
  if (request.traffic && isThrottled(error)) request.traffic.throttles++
}

// What a failure means.

type Reason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] }
type SdkError = {
  name?: string
  code?: string
  CancellationReasons?: Reason[]
  $metadata?: { httpStatusCode?: number }
}

/** The error's name if DynamoDB did only parts of a request. */
export const UNPROCESSED = 'Unprocessed'
/** Names of errors, and codes among the reasons of a cancelled transaction, which lack the ending "Exception". */
const throttles: ReadonlySet<unknown> = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  UNPROCESSED,
])
const conflicts: ReadonlySet<unknown> = new Set([
  'TransactionConflict',
  'TransactionInProgressException',
  'TransactionConflictException',
])
/** Codes of requests that were never sent; names and codes of those that may have been. */
const unsent: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const network: ReadonlySet<unknown> = new Set([
  'TimeoutError',
  'NetworkingError',
  'RequestTimeout',
  'ECONNRESET',
  'EPIPE',
  ...unsent,
])

const sdkError = (error: unknown): SdkError => (error ?? {}) as SdkError
// Stryker disable next-line ArrayDeclaration: a string among the reasons has no code either
const reasonsOf = (error: unknown): Reason[] => sdkError(error).CancellationReasons ?? []
const errorName = (error: unknown): string => String(sdkError(error).name)

/** Whether one of these is the error, or a reason why a transaction was cancelled. */
const isAmong = (codes: ReadonlySet<unknown>, error: unknown): boolean =>
  codes.has(errorName(error)) || reasonsOf(error).some(({ Code }) => codes.has(Code))

/** DynamoDB throttled the request and did nothing. */
const isThrottled = (error: unknown): boolean => isAmong(throttles, error)
/** Another transaction used the same items, and DynamoDB did nothing. */
const hadConflict = (error: unknown): boolean => isAmong(conflicts, error)

/** The store cannot be reached, or failed: the request may have been carried out. */
export function isUnreachable(error: unknown): boolean {
  const { name, code, $metadata } = sdkError(error)
  return network.has(name) || network.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500
}

/** Whether a request without an answer may have been carried out. */
export const mayBeDone = (error: unknown): boolean => isUnreachable(error) && !unsent.has(sdkError(error).code)

const isCalledOff = (error: unknown): boolean => errorName(error) === 'AbortError'

/** The cause of an error in the log. */
function causeOf(error: unknown): string {
  if (isCalledOff(error)) return OUT_OF_TIME
  const { code } = sdkError(error)
  return reasonsOf(error).find(({ Code = 'None' }) => Code !== 'None')?.Code ?? code ?? errorName(error)
}

/** The error of the domain for a failed request. */
export function domainError(error: unknown, request: Request): Error {
  const cause = causeOf(error)
  const failedRequest = describeRequest(request, cause)
  if (isThrottled(error)) return new StoreBusy({ cause, failedRequest })
  // The call of an aborted request is over.
  if (isCalledOff(error)) return new StoreUnreachable(OUT_OF_TIME, true, failedRequest)
  return isUnreachable(error) ? new StoreUnreachable(cause, false, failedRequest) : (error as Error)
}

/** The first action whose condition failed, if one did. */
function failedIn(error: unknown, actions: readonly Action[]): { action: Action; reason: Reason } | undefined {
  const reasons = reasonsOf(error)
  const failed = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')
  const [action, reason] = [actions[failed], reasons[failed]]
  return action && reason ? { action, reason } : undefined
}

/** The error code for a lost race on this item, if one is set. */
const busyIn = (error: unknown, actions: readonly Action[]): ErrorCode | undefined =>
  actions.find(({ busy }, n) => busy && conflicts.has(reasonsOf(error)[n]?.Code))?.busy

/**
 * Whether another attempt may succeed. A failed condition fails again. But it refuses the caller only if DynamoDB checked
 * all conditions of the transaction at the same moment, so not if there was also a conflict.
 */
export function retryable(error: unknown, actions: readonly Action[]): boolean {
  const failed = failedIn(error, actions)
  const isRefused = failed && (failed.action.otherwise === undefined || failed.action.busy !== undefined)
  return !isRefused && (hadConflict(error) || isThrottled(error) || isUnreachable(error))
}

/**
 * The error of a failed transaction: the refusal of the first action whose condition failed. After an attempt without an
 * answer only a refusal proves that nothing was done: DynamoDB does not check a transaction again that it has carried out.
 */
export function writeError(error: unknown, actions: readonly Action[], request: Request): Error {
  const failed = failedIn(error, actions)
  const isAgain = retryable(error, actions)
  if (failed && !isAgain) return refusal(failed.action.otherwise, failed.reason)
  const cause = causeOf(error)
  if (request.isUncertain && isAgain) return new StoreUnreachable(cause, true, describeRequest(request, cause))
  if (hadConflict(error) && !isThrottled(error)) return refuse(busyIn(error, actions) ?? 'CONCURRENT_MODIFICATION')
  return domainError(error, request)
}

function refusal(otherwise: Refusal | undefined, reason: Reason): Error {
  if (otherwise === undefined) return new StaleRead()
  if (typeof otherwise === 'function') return otherwise(reason.Item && (unmarshall(reason.Item) as Item))
  return refuse(otherwise.code, otherwise.property)
}

// The client.

/**
 * How long a function on AWS waits for DynamoDB, in milliseconds. A request without an answer is repeated after a second and
 * given up after three: so a user pool, which waits five seconds in all, still gets an answer.
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

/** A client for DynamoDB: on AWS by default, elsewhere with DYNAMODB_ENDPOINT, where it waits without a limit. */
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
