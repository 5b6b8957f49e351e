import { unmarshall } from '@aws-sdk/util-dynamodb'
import { refuse, StaleRead, StoreBusy, StoreUnreachable } from '../base/errors.ts'
import type { Action, Item, Refusal } from './store.ts'

type Reason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] }
type SdkError = {
  name?: string
  code?: string
  CancellationReasons?: Reason[]
  $metadata?: { httpStatusCode?: number }
}

/** Names of errors, and codes among the reasons of a cancelled transaction, which go without the ending. */
const throttles = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])
const conflicts = new Set(['TransactionConflict', 'TransactionInProgressException', 'TransactionConflictException'])
/** Codes of requests that were never sent, and names and codes of those that may have been. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const network = new Set(['TimeoutError', 'NetworkingError', 'RequestTimeout', 'ECONNRESET', 'EPIPE', ...unsent])

const reasonsOf = (error: unknown): Reason[] => (error as SdkError | undefined)?.CancellationReasons ?? []
const nameOf = (error: unknown): string => (error as SdkError | undefined)?.name ?? ''

/** The store has no room for the request and did nothing. */
const isThrottled = (error: unknown): boolean => throttles.has(nameOf(error))

/** The store cannot be reached, or broke down: what it did, nobody can tell. */
export function isUnreachable(error: unknown): boolean {
  const { name = '', code = '', $metadata } = (error ?? {}) as SdkError
  return network.has(name) || network.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500
}

/** Whether a request without an answer may have been carried out. */
export const mayBeDone = (error: unknown): boolean =>
  isUnreachable(error) && !unsent.has((error as SdkError | undefined)?.code ?? '')

/** What the log calls a failure. */
const causeOf = (error: unknown): string =>
  reasonsOf(error).find(({ Code = 'None' }) => Code !== 'None')?.Code ?? (error as SdkError).code ?? nameOf(error)

/** A failed request as the domain knows it. */
export function known(error: unknown): Error {
  if (isThrottled(error)) return new StoreBusy({ cause: causeOf(error) })
  // Nobody waits any more for a request that is called off.
  if (nameOf(error) === 'AbortError') return new StoreUnreachable('AbortError', true)
  return isUnreachable(error) ? new StoreUnreachable(causeOf(error)) : (error as Error)
}

/** Whether a transaction was kept from judging all of its conditions by others, or by want of room. */
const isContended = (error: unknown): boolean =>
  reasonsOf(error).some(({ Code = 'None' }) => conflicts.has(Code) || throttles.has(Code))

/** The first action whose condition failed, if one did. */
function failedIn(error: unknown, actions: readonly Action[]): { action: Action; reason: Reason } | undefined {
  const reasons = reasonsOf(error)
  const failed = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')
  const [action, reason] = [actions[failed], reasons[failed]]
  return action && reason ? { action, reason } : undefined
}

/**
 * Whether repeating a request may help. A condition that failed alone fails again; but it refuses the caller only when
 * all others of the transaction were judged at the same moment.
 */
export function retryable(error: unknown, actions: readonly Action[]): boolean {
  if (nameOf(error) !== 'TransactionCanceledException')
    return conflicts.has(nameOf(error)) || isThrottled(error) || isUnreachable(error)
  const failed = failedIn(error, actions)
  return isContended(error) && (!failed || failed.action.otherwise !== undefined)
}

/**
 * What a failed transaction means to the caller: the refusal of the first action whose condition failed. Where an earlier
 * attempt had no answer (`isUncertain`), only that says that nothing was done: what was done already is not judged anew.
 */
export function verdict(error: unknown, actions: readonly Action[], isUncertain: boolean): Error {
  const failed = failedIn(error, actions)
  const isAgain = retryable(error, actions)
  if (failed && !isAgain) return refusal(failed.action.otherwise, failed.reason)
  if (isUncertain && isAgain) return new StoreUnreachable(causeOf(error), true)
  const codes = [nameOf(error), ...reasonsOf(error).map(({ Code = 'None' }) => Code)]
  if (codes.some((code) => throttles.has(code))) return new StoreBusy({ cause: causeOf(error) })
  if (codes.some((code) => conflicts.has(code))) return refuse('CONCURRENT_MODIFICATION')
  return known(error)
}

function refusal(otherwise: Refusal | undefined, reason: Reason): Error {
  if (otherwise === undefined) return new StaleRead()
  if (typeof otherwise === 'function') return otherwise(reason.Item && (unmarshall(reason.Item) as Item))
  return refuse(otherwise.code, otherwise.property)
}
