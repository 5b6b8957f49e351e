import type { unmarshall } from '@aws-sdk/util-dynamodb'

// What a failed request to DynamoDB means. Pure.

/** Why an action of a transaction was cancelled. */
export type Reason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] }
type SdkError = {
  name?: string
  code?: string
  CancellationReasons?: Reason[]
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean }
}

/** The name of the error when DynamoDB did only parts of a request. */
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
export const isThrottled = (error: unknown): boolean => isAmong(throttles, error)
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
export const hasNoAnswer = (error: unknown): boolean => mayBeDone(error) && !isServerError(error)

/** DynamoDB refused the signature for its time. The SDK has set its clock by the answer, so another attempt succeeds. */
const hadWrongClock = (error: unknown): boolean => sdkError(error).$metadata?.clockSkewCorrected === true

/** Whether another attempt at a request may succeed. */
export const mayPass = (error: unknown): boolean =>
  hadConflict(error) || isThrottled(error) || isUnreachable(error) || hadWrongClock(error)

export const isAborted = (error: unknown): boolean => errorName(error) === 'AbortError'

/** The cause in the log of a call that has run out of time. */
export const OUT_OF_TIME = 'OutOfTime'

/** The cause of an error in the log. */
export function causeOf(error: unknown): string {
  if (isAborted(error)) return OUT_OF_TIME
  const { code } = sdkError(error)
  return reasonsOf(error).find(({ Code = 'None' }) => Code !== 'None')?.Code ?? code ?? errorName(error)
}
