import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import DataLoader from 'dataloader'
import { AppError, reasonOf, StoreBusy, StoreUnreachable } from '../base/errors.ts'
import { backOff, jitter, retry } from '../base/retry.ts'
import {
  CONDITION_FAILED,
  causeOf,
  isAborted,
  isConflict,
  isThrottled,
  isUnreachable,
  mayPass,
  OUT_OF_TIME,
  reasonsOf,
  UNPROCESSED,
} from './failures.ts'
import { queryOf, textOfKey } from './items.ts'
import {
  countUnits,
  describeRequest,
  type LostTime,
  newRequest,
  noLostTime,
  noteFailure,
  type Request,
  type RequestStats,
} from './requestStats.ts'
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
 * once. It notes that a service token is in use: a function that only reads writes nothing else, but the first key of cursors.
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

/** The error of the domain for a failed request. */
export function domainError(error: unknown, request: Request): Error {
  const cause = causeOf(error)
  const failedRequest = describeRequest(request, cause)
  if (isThrottled(error)) return new StoreBusy({ cause, failedRequest })
  // The call of an aborted request is over.
  if (isAborted(error)) return new StoreUnreachable(OUT_OF_TIME, true, failedRequest)
  return isUnreachable(error) ? new StoreUnreachable(cause, false, failedRequest) : (error as Error)
}
