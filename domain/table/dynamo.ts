import { setTimeout } from 'node:timers/promises'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { fromEnv } from '@aws-sdk/credential-provider-env'
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { unmarshall } from '@aws-sdk/util-dynamodb'
import DataLoader from 'dataloader'
import { AppError, type FailedRequest, reasonOf, StoreBusy, StoreUnreachable } from '../base/errors.ts'
import { backOff, jitter, retry } from '../base/retry.ts'
import { queryOf, textOfKey } from './items.ts'
import type { Item, Key, Page, Range, Reads } from './store.ts'

// Requests to DynamoDB: reads, and what all requests have in common. transact.ts writes.

export type Table = {
  client: DynamoDBDocumentClient
  name: string
  newToken: () => string
  /** Aborted when the call is over: then no request is sent any more. */
  signal?: (() => AbortSignal | undefined) | undefined
  stats?: RequestStats | undefined
  /** How requests that fail are repeated; by default as in a call. */
  policy?: Policy | undefined
}
/** The reads of one call. Those of one tick become one request. */
export function readsOf(table: Table): Reads {
  const strong = loader(table, true)
  const eventual = loader(table, false)
  return {
    get: (key) => (fitsIntoKey(key) ? strong.load(key) : NOTHING),
    getEventual: (key) => (fitsIntoKey(key) ? eventual.load(key) : NOTHING),
    query: (range) => query(table, range),
  }
}

const NOTHING = Promise.resolve(undefined)
/** Ids in requests may be too long for a key of DynamoDB, or no valid text: then there is no such item. */
const fitsIntoKey = ({ pk, sk }: Key): boolean =>
  Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024 && pk.isWellFormed() && sk.isWellFormed()

function loader(table: Table, consistent: boolean): DataLoader<Key, Item | undefined, string> {
  // No cache: a retry must see what is stored now. Equal keys of one tick are one read.
  return new DataLoader(
    async (keys) => {
      const names = keys.map(textOfKey)
      const wanted = new Map(names.map((name, n) => [name, keys[n] as Key]))
      const found = new Map((await batchGet(table, [...wanted.values()], consistent)).map((it) => [textOfKey(it), it]))
      return names.map((name) => found.get(name))
    },
    { cache: false, maxBatchSize: 100 },
  )
}

function batchGet(table: Table, keys: readonly Key[], ConsistentRead: boolean): Promise<Item[]> {
  // Stryker disable next-line ArrayDeclaration: a string among the items has no key
  const items: Item[] = []
  let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }))
  return sendRequest(table, 'BatchGetItem', async (request) => {
    const RequestItems = { [table.name]: { Keys: left, ConsistentRead } }
    const command = new BatchGetCommand({ RequestItems, ...countedIn(table) })
    const answer = await attempt(table, request, (options) => table.client.send(command, options))
    items.push(...((answer.Responses?.[table.name] ?? []) as Item[]))
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []
    if (left.length > 0) throw new Unprocessed()
    return items
  })
}

/**
 * Sets an attribute of an item to another value than the one that was read; does nothing if it has changed since. It is tried
 * once. This is the one write of functions that only read: it notes that a service token is in use.
 */
export function setIfUnchanged(
  table: Table,
  { pk, sk }: Key,
  attribute: string,
  was: unknown,
  value: unknown,
): Promise<void> {
  const Update = {
    TableName: table.name,
    Key: { pk, sk },
    UpdateExpression: 'SET #attribute = :value',
    ConditionExpression: '#attribute = :was',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':value': value, ':was': was },
  }
  const command = new TransactWriteCommand({ TransactItems: [{ Update }] })
  const send = (request: Request) => attempt(table, request, (options) => table.client.send(command, options))
  return sendRequest(table, 'TransactWriteItems', send, { again: () => false }).then(
    () => {},
    (error: unknown) => {
      if (!reasonsOf(error).some(({ Code }) => Code === CONDITION_FAILED)) throw error
    },
  )
}

/** DynamoDB did only parts of a request, as it is busy. The next attempt sends the rest. */
export class Unprocessed extends Error {
  override name = UNPROCESSED
}

const query = (table: Table, range: Range): Promise<Page> =>
  sendRequest(table, 'Query', async (request) => {
    const command = new QueryCommand({ TableName: table.name, ...queryOf(range), ...countedIn(table) })
    const answer = await attempt(table, request, (options) => table.client.send(command, options))
    const page = { items: (answer.Items ?? []) as Item[], count: answer.Count ?? 0 }
    return answer.LastEvaluatedKey ? { ...page, next: answer.LastEvaluatedKey as Item } : page
  })

// How requests that fail are repeated. The SDK tries once: this is the only place that sends a request again.
// docs/architecture.md lists what is repeated above it.

/** How requests that fail are repeated. `docs/operate.md` says why. */
export type Policy = {
  /** Milliseconds of failed tries and waits together, after which nothing is repeated. */
  ms: number
  /** Whether all requests of a call share these milliseconds. If not, each request has them. */
  isShared: boolean
  /** The most tries at one request. */
  attempts: number
  /** How often a write without an answer is sent again. */
  resent: number
  /** Milliseconds to wait for an answer; by default as long as the client does. */
  timeout?: number
}

/** For calls: their callers wait, and each holds a function. */
export const callPolicy: Policy = { ms: 3000, isShared: true, attempts: 12, resent: 1 }

/** For workers, the purge and imports: no caller waits, and giving up makes them begin again. */
export const workPolicy: Policy = { ms: 15_000, isShared: false, attempts: 30, resent: 3, timeout: 5000 }

/** The most tries at a transaction that is in conflict with others. They take no time of the policy: a conflict ends soon. */
const CONFLICTS = 8
/** The longest wait for a table that is busy, in milliseconds. */
const LONGEST_WAIT_MS = 1000

/** The time lost to failed tries and waits. Those of parallel requests count once. */
type LostTime = { ms: number; until: number }
const noLostTime = (): LostTime => ({ ms: 0, until: 0 })

/** Adds the time since a try or a wait began. */
function addLostTime(lost: LostTime, since: number): void {
  const now = performance.now()
  lost.ms += Math.max(0, now - Math.max(since, lost.until))
  lost.until = now
}

/** What to do after a failed attempt, and after the last one. */
type OnFailure = {
  /** Whether another attempt may succeed after this error. */
  again?: (error: unknown) => boolean
  /** The error of the domain for the last attempt's error. */
  failure?: (error: unknown, request: Request) => Error
}

/** Sends a request, again while its policy allows it. Throws an error of the domain if the last attempt fails. */
export async function sendRequest<T>(
  { stats, policy = callPolicy }: Pick<Table, 'stats' | 'policy'>,
  name: string,
  send: (request: Request) => Promise<T>,
  { again = mayPass, failure = domainError }: OnFailure = {},
): Promise<T> {
  const request = newRequest(name, stats)
  const lost = policy.isShared && stats ? stats.lost : noLostTime()
  let since = 0
  try {
    return await retry(
      () => {
        since = performance.now()
        return send(request)
      },
      {
        attempts: policy.attempts,
        again: (error) => {
          if (!again(error)) return false
          if (isConflict(error)) return request.attempts < CONFLICTS
          addLostTime(lost, since)
          return lost.ms < policy.ms && (!isWrite(request) || request.unanswered <= policy.resent)
        },
        wait: async (attempt, error) => {
          if (isConflict(error)) return backOff(attempt)
          const began = performance.now()
          await setTimeout(Math.min(policy.ms - lost.ms, jitter(attempt, LONGEST_WAIT_MS)))
          addLostTime(lost, began)
        },
      },
    )
  } catch (error) {
    const failed = failure(error, request)
    if (stats && failed instanceof AppError && failed.failedRequest) stats.failure = reasonOf(failed)
    throw failed
  } finally {
    // An aborted request stays, for the log line of the call.
    if (request.lastCause !== OUT_OF_TIME) stats?.underway.delete(request)
  }
}

/**
 * Sends a request once, and counts it. Nothing is sent once the call is over. Otherwise a frozen function that the next call
 * wakes up would go on with writes after its caller got an error.
 */
export async function attempt<A extends object>(
  { signal, policy = callPolicy, stats }: Table,
  request: Request,
  send: (options: { abortSignal?: AbortSignal; requestTimeout?: number }) => Promise<A>,
): Promise<A> {
  const abortSignal = signal?.()
  abortSignal?.throwIfAborted()
  request.attempts++
  try {
    const answer = await send({
      ...(abortSignal ? { abortSignal } : {}),
      ...(policy.timeout ? { requestTimeout: policy.timeout } : {}),
    })
    if (stats) countUnits(stats, answer, isWrite(request))
    return answer
  } catch (error) {
    noteFailure(request, error)
    throw error
  }
}

/** Asks for the units that a request takes, where they are counted. */
export const countedIn = ({ stats }: Table): { ReturnConsumedCapacity?: 'TOTAL' } =>
  stats ? { ReturnConsumedCapacity: 'TOTAL' } : {}

const isWrite = ({ name }: Request): boolean => name.includes('Write')

// A request with all of its attempts: what it took, for the log line and the metrics of its call.

/** One request to DynamoDB with all of its attempts. */
export type Request = {
  name: string
  /** When it began, by `performance.now()`. */
  since: number
  attempts: number
  /** Why the last attempt failed. */
  lastCause?: string
  /** An attempt failed that may have been carried out. */
  isUncertain: boolean
  /** Attempts without an answer. */
  unanswered: number
  stats: RequestStats | undefined
}

/** The requests of one call to DynamoDB, for its log line and its metrics. */
export type RequestStats = {
  /** Requests without an answer yet, and aborted ones. */
  underway: Set<Request>
  /** Why the last request failed for good. */
  failure?: object
  /** The time that the call has lost to requests that failed. */
  lost: LostTime
  requests: number
  /** Requests that run in parallel are one wave. */
  waves: number
  /** Attempts that DynamoDB throttled. */
  throttles: number
  readUnits: number
  writeUnits: number
  /** Entries of work that were written. */
  notedWork: number
}

export const newRequestStats = (): RequestStats => ({
  underway: new Set(),
  lost: noLostTime(),
  requests: 0,
  waves: 0,
  throttles: 0,
  readUnits: 0,
  writeUnits: 0,
  notedWork: 0,
})

/** Begins a request. */
export function newRequest(name: string, stats?: RequestStats): Request {
  const request = { name, since: performance.now(), attempts: 0, isUncertain: false, unanswered: 0, stats }
  if (stats) {
    if (stats.underway.size === 0) stats.waves++
    stats.requests++
    stats.underway.add(request)
  }
  return request
}

/** The consumed capacity of one table, as DynamoDB answers it. */
type Consumed = { CapacityUnits?: number; ReadCapacityUnits?: number; WriteCapacityUnits?: number }

/** Counts the units of an answer. A transaction has read and write units; others have units of the request's kind. */
function countUnits(stats: RequestStats, output: unknown, isWrite: boolean): void {
  // Stryker disable next-line ArrayDeclaration: a string has no units either
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Consumed | Consumed[] }
  for (const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } of [ConsumedCapacity].flat()) {
    stats.readUnits += ReadCapacityUnits ?? (isWrite ? 0 : CapacityUnits)
    stats.writeUnits += WriteCapacityUnits ?? (isWrite ? CapacityUnits : 0)
  }
}

/** The cause in the log of a call that has run out of time. */
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
export function waitedFor({ underway }: RequestStats): object {
  const [oldest] = underway
  return oldest ? describeRequest(oldest, OUT_OF_TIME) : {}
}

function noteFailure(request: Request, error: unknown): void {
  request.lastCause = causeOf(error)
  request.isUncertain ||= mayBeDone(error)
  if (hasNoAnswer(error)) request.unanswered++
  if (request.stats && isThrottled(error)) request.stats.throttles++
}

// What a failure means.

/** Why an action of a transaction was cancelled. */
export type Reason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] }
type SdkError = {
  name?: string
  code?: string
  CancellationReasons?: Reason[]
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean }
}

/** The name of the error when DynamoDB did only parts of a request. */
const UNPROCESSED = 'Unprocessed'
/** Names of errors, and codes among the reasons of a cancelled transaction, which lack the ending "Exception". */
const throttles: ReadonlySet<unknown> = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  UNPROCESSED,
])
/** The same of conflicts with other transactions. */
export const conflicts: ReadonlySet<unknown> = new Set([
  'TransactionConflict',
  'TransactionInProgressException',
  'TransactionConflictException',
])
/** The code of a reason: the condition of the action failed. */
export const CONDITION_FAILED = 'ConditionalCheckFailed'
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

/** Codes of TLS failures: of its handshake and its records, and of certificates, before anything is sent. */
const tls = /^(EPROTO$|ERR_SSL_|ERR_TLS_)/
const certificates = /CERT|CRL_|^UNABLE_TO_/

const sdkError = (error: unknown): SdkError => (error ?? {}) as SdkError
/** The reasons of a cancelled transaction, one for each action. */
// Stryker disable next-line ArrayDeclaration: a string among the reasons has no code either
export const reasonsOf = (error: unknown): Reason[] => sdkError(error).CancellationReasons ?? []
const errorName = (error: unknown): string => String(sdkError(error).name)

/** Whether one of these is the error, or a reason why a transaction was cancelled. */
const isAmong = (codes: ReadonlySet<unknown>, error: unknown): boolean =>
  codes.has(errorName(error)) || reasonsOf(error).some(({ Code }) => codes.has(Code))

/** DynamoDB throttled the request and did nothing. */
const isThrottled = (error: unknown): boolean => isAmong(throttles, error)
/** Another transaction used the same items, and DynamoDB did nothing. */
const hadConflict = (error: unknown): boolean => isAmong(conflicts, error)

/** Another transaction used the same items, and that is all that went wrong. */
export const isConflict = (error: unknown): boolean => hadConflict(error) && !isThrottled(error)

/** DynamoDB itself failed. */
const isServerError = (error: unknown): boolean => (sdkError(error).$metadata?.httpStatusCode ?? 0) >= 500
const isUnsent = ({ code = '' }: SdkError): boolean => unsent.has(code) || isOfCertificate(code)
const isOfCertificate = (code: string): boolean => !tls.test(code) && certificates.test(code)

/** The connection failed. */
function isConnectionError(error: unknown): boolean {
  const { name, code = '' } = sdkError(error)
  return network.has(name) || network.has(code) || tls.test(code) || isOfCertificate(code)
}

/** The store cannot be reached, or failed: the request may have been carried out. */
export const isUnreachable = (error: unknown): boolean => isConnectionError(error) || isServerError(error)

/** Whether a request that failed may have been carried out. */
export const mayBeDone = (error: unknown): boolean => isUnreachable(error) && !isUnsent(sdkError(error))

/** The request was sent, and there is no answer. */
const hasNoAnswer = (error: unknown): boolean => mayBeDone(error) && !isServerError(error)

/** DynamoDB refused the signature for its time. The SDK has set its clock by the answer, so another attempt succeeds. */
const hadWrongClock = (error: unknown): boolean => sdkError(error).$metadata?.clockSkewCorrected === true

/** Whether another attempt at a request may succeed. */
export const mayPass = (error: unknown): boolean =>
  hadConflict(error) || isThrottled(error) || isUnreachable(error) || hadWrongClock(error)

const isAborted = (error: unknown): boolean => errorName(error) === 'AbortError'

/** The cause of an error in the log. */
export function causeOf(error: unknown): string {
  if (isAborted(error)) return OUT_OF_TIME
  const { code } = sdkError(error)
  return reasonsOf(error).find(({ Code = 'None' }) => Code !== 'None')?.Code ?? code ?? errorName(error)
}

/** The error of the domain for a failed request. */
export function domainError(error: unknown, request: Request): Error {
  const cause = causeOf(error)
  const failedRequest = describeRequest(request, cause)
  if (isThrottled(error)) return new StoreBusy({ cause, failedRequest })
  // The call of an aborted request is over.
  if (isAborted(error)) return new StoreUnreachable(OUT_OF_TIME, true, failedRequest)
  return isUnreachable(error) ? new StoreUnreachable(cause, false, failedRequest) : (error as Error)
}

// The client.

/** How long a call waits for a connection, and for an answer, in milliseconds. `callPolicy` says what happens then. */
export const patience = { connectionTimeout: 1000, requestTimeout: 1000, throwOnRequestTimeout: true }
/** A database on this machine shares its processors with its callers: a page of large users may take it seconds. */
const localPatience = { ...patience, requestTimeout: 10_000 }

const nothing = (): void => {}
/**
 * Logs nothing. It has no `info`, as the SDK would copy every answer for it, item by item: a seventh of the processor time of a
 * search.
 */
const logger = { debug: nothing, warn: nothing, error: nothing } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>

/** A client for DynamoDB: on AWS by default, elsewhere with DYNAMODB_ENDPOINT. A store needs one that tries once. */
export function documentClient(
  { DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region = 'eu-central-1' }: NodeJS.ProcessEnv = process.env,
  requestHandler: object = endpoint ? localPatience : patience,
  maxAttempts = 1,
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    region,
    // Lambda puts its credentials into the environment; DynamoDB Local takes any.
    credentials: endpoint ? { accessKeyId: 'local', secretAccessKey: 'local' } : fromEnv(),
    ...(endpoint ? { endpoint } : {}),
    requestHandler,
    maxAttempts,
    logger,
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
