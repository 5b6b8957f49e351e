import type { Asked } from '../base/errors.ts'

/** One request to DynamoDB with all of its attempts. */
export type Request = {
  name: string
  /** When it began, by `performance.now()`. */
  since: number
  attempts: number
  /** Why the last attempt failed. */
  lastCause?: string
  /** An attempt had no answer: what it did, nobody can tell. */
  isUncertain: boolean
  traffic: Traffic | undefined
}

/** What a call asks of DynamoDB, for its log line and its metrics. */
export type Traffic = {
  /** Requests without an answer yet, and those that were called off. */
  underway: Set<Request>
  /** Why the last request failed for good. */
  failure?: object
  requests: number
  /** Requests that run beside each other are one round. */
  rounds: number
  /** Attempts that DynamoDB throttled. */
  throttles: number
  readUnits: number
  writeUnits: number
  /** Entries of work that were written. */
  noted: number
}

export const newTraffic = (): Traffic => ({
  underway: new Set(),
  requests: 0,
  rounds: 0,
  throttles: 0,
  readUnits: 0,
  writeUnits: 0,
  noted: 0,
})

/** A request that begins. */
export function newRequest(name: string, traffic?: Traffic): Request {
  const request = { name, since: performance.now(), attempts: 0, isUncertain: false, traffic }
  if (traffic) {
    if (traffic.underway.size === 0) traffic.rounds++
    traffic.requests++
    traffic.underway.add(request)
  }
  return request
}

/** DynamoDB's word for what a request took: of one table, or of each. */
type Consumed = { CapacityUnits?: number; ReadCapacityUnits?: number; WriteCapacityUnits?: number }

/** Counts the units of an answer. Of a transaction they come apart, else they are of the request's kind. */
export function countUnits(traffic: Traffic, output: unknown, isWrite: boolean): void {
  // Stryker disable next-line ArrayDeclaration: a text has no units either
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Consumed | Consumed[] }
  for (const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } of [ConsumedCapacity].flat()) {
    traffic.readUnits += ReadCapacityUnits ?? (isWrite ? 0 : CapacityUnits)
    traffic.writeUnits += WriteCapacityUnits ?? (isWrite ? CapacityUnits : 0)
  }
}

/** What the log calls the end of a call's time. */
export const OUT_OF_TIME = 'OutOfTime'

/** What the log says of a request that failed with `cause`. */
export const askedOf = ({ name, attempts, since, lastCause }: Request, cause: string): Asked => ({
  dependency: 'DynamoDB',
  request: name,
  attempts,
  waited_ms: Math.round(performance.now() - since),
  ...(lastCause === undefined || lastCause === cause ? {} : { last_cause: lastCause }),
})

/** What the log says where a call had no time left: what it was waiting for longest. */
export function waitedFor({ underway }: Traffic): object {
  const [oldest] = underway
  return oldest ? askedOf(oldest, OUT_OF_TIME) : {}
}
