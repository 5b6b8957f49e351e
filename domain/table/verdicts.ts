import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { ErrorCode } from '../../schemas/errors.ts'
import { AppError, reasonOf, refuse, StaleRead, StoreBusy, StoreUnreachable } from '../base/errors.ts'
import { askedOf, countUnits, newRequest, OUT_OF_TIME, type Request, type Traffic } from './requests.ts'
import type { Action, Item, Refusal } from './store.ts'

type Reason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] }
type SdkError = {
  name?: string
  code?: string
  CancellationReasons?: Reason[]
  $metadata?: { httpStatusCode?: number }
}

/** The name of a request that DynamoDB did only in part. */
export const UNPROCESSED = 'Unprocessed'
/** Names of errors, and codes among the reasons of a cancelled transaction, which go without the ending. */
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
/** Codes of requests that were never sent, and names and codes of those that may have been. */
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
// Stryker disable next-line ArrayDeclaration: a text among the reasons has no code either
const reasonsOf = (error: unknown): Reason[] => sdkError(error).CancellationReasons ?? []
const nameOf = (error: unknown): string => String(sdkError(error).name)

/** Whether one of these is the error, or a reason why a transaction was cancelled. */
const isAmong = (codes: ReadonlySet<unknown>, error: unknown): boolean =>
  codes.has(nameOf(error)) || reasonsOf(error).some(({ Code }) => codes.has(Code))

/** DynamoDB throttled the request and did nothing. */
const isThrottled = (error: unknown): boolean => isAmong(throttles, error)
/** Others were at the same items, and DynamoDB did nothing. */
const hadConflict = (error: unknown): boolean => isAmong(conflicts, error)

/** The store cannot be reached, or broke down: what it did, nobody can tell. */
export function isUnreachable(error: unknown): boolean {
  const { name, code, $metadata } = sdkError(error)
  return network.has(name) || network.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500
}

/** Whether a request without an answer may have been carried out. */
export const mayBeDone = (error: unknown): boolean => isUnreachable(error) && !unsent.has(sdkError(error).code)

const isCalledOff = (error: unknown): boolean => nameOf(error) === 'AbortError'

/** What the log calls a failure. */
function causeOf(error: unknown): string {
  if (isCalledOff(error)) return OUT_OF_TIME
  const { code } = sdkError(error)
  return reasonsOf(error).find(({ Code = 'None' }) => Code !== 'None')?.Code ?? code ?? nameOf(error)
}

/** A failed request as the domain knows it. */
export function known(error: unknown, request: Request): Error {
  const cause = causeOf(error)
  const asked = askedOf(request, cause)
  if (isThrottled(error)) return new StoreBusy({ cause, asked })
  // Nobody waits any more for a request that is called off.
  if (isCalledOff(error)) return new StoreUnreachable(OUT_OF_TIME, true, asked)
  return isUnreachable(error) ? new StoreUnreachable(cause, false, asked) : (error as Error)
}

/** The first action whose condition failed, if one did. */
function failedIn(error: unknown, actions: readonly Action[]): { action: Action; reason: Reason } | undefined {
  const reasons = reasonsOf(error)
  const failed = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')
  const [action, reason] = [actions[failed], reasons[failed]]
  return action && reason ? { action, reason } : undefined
}

/** What it means that others kept an item busy, if that says something of its own. */
const busyIn = (error: unknown, actions: readonly Action[]): ErrorCode | undefined =>
  actions.find(({ busy }, n) => busy && conflicts.has(reasonsOf(error)[n]?.Code))?.busy

/**
 * Whether repeating a request may help. A condition that failed alone fails again; but it refuses the caller only when
 * all others of the transaction were judged at the same moment.
 */
export function retryable(error: unknown, actions: readonly Action[]): boolean {
  const failed = failedIn(error, actions)
  const isRefused = failed && (failed.action.otherwise === undefined || failed.action.busy !== undefined)
  return !isRefused && (hadConflict(error) || isThrottled(error) || isUnreachable(error))
}

/**
 * What a failed transaction means to the caller: the refusal of the first action whose condition failed. After an attempt
 * without an answer only a refusal proves that nothing was done: DynamoDB judges no transaction again that it has done.
 */
export function verdict(error: unknown, actions: readonly Action[], request: Request): Error {
  const failed = failedIn(error, actions)
  const isAgain = retryable(error, actions)
  if (failed && !isAgain) return refusal(failed.action.otherwise, failed.reason)
  const cause = causeOf(error)
  if (request.isUncertain && isAgain) return new StoreUnreachable(cause, true, askedOf(request, cause))
  if (hadConflict(error) && !isThrottled(error)) return refuse(busyIn(error, actions) ?? 'CONCURRENT_MODIFICATION')
  return known(error, request)
}

function refusal(otherwise: Refusal | undefined, reason: Reason): Error {
  if (otherwise === undefined) return new StaleRead()
  if (typeof otherwise === 'function') return otherwise(reason.Item && (unmarshall(reason.Item) as Item))
  return refuse(otherwise.code, otherwise.property)
}

/** One request with all of its attempts. What still fails then is told as the domain knows it. */
export async function ask<T>(
  { traffic }: { traffic?: Traffic | undefined },
  name: string,
  send: (request: Request) => Promise<T>,
  failure = known,
): Promise<T> {
  const request = newRequest(name, traffic)
  try {
    return await send(request)
  } catch (error) {
    const failed = failure(error, request)
    if (traffic && failed instanceof AppError && failed.asked) traffic.failure = reasonOf(failed)
    throw failed
  } finally {
    // What was called off stays, for the log line of the call.
    if (request.lastCause !== OUT_OF_TIME) traffic?.underway.delete(request)
  }
}

/** Counts the attempts of a command: the SDK repeats it by itself, and only from within can it be seen why. */
export function noted<C extends { middlewareStack: object; input: object }>(request: Request, command: C): C {
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
