import type { FailedRequest } from '../base/errors.ts'
import { causeOf, hasNoAnswer, isThrottled, mayBeDone, OUT_OF_TIME } from './failures.ts'

// What requests to DynamoDB took, for the log line and the metrics of their call.

/** The time lost to failed tries and waits. Those of parallel requests count once. */
export type LostTime = { ms: number; until: number }
export const noLostTime = (): LostTime => ({ ms: 0, until: 0 })

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
export function countUnits(stats: RequestStats, output: unknown, isWrite: boolean): void {
  // Stryker disable next-line ArrayDeclaration: a string has no units either
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Consumed | Consumed[] }
  for (const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } of [ConsumedCapacity].flat()) {
    stats.readUnits += ReadCapacityUnits ?? (isWrite ? 0 : CapacityUnits)
    stats.writeUnits += WriteCapacityUnits ?? (isWrite ? CapacityUnits : 0)
  }
}

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

export function noteFailure(request: Request, error: unknown): void {
  request.lastCause = causeOf(error)
  request.isUncertain ||= mayBeDone(error)
  if (hasNoAnswer(error)) request.unanswered++
  if (request.stats && isThrottled(error)) request.stats.throttles++
}
