import { type ErrorCode, errors, strongest } from '../../schemas/errors.ts'

/** A fault of the input: the property, and what it must be. */
export type Fault = { property: string; message: string }

type Details = {
  detail?: string | undefined
  property?: string | undefined
  errors?: readonly Fault[] | undefined
  /** The name of the underlying error, for the log; never its message. */
  cause?: string | undefined
  failedRequest?: FailedRequest | undefined
}

/** A failed request to another service, for the log. `waited_ms`: milliseconds. */
export type FailedRequest = {
  dependency: 'DynamoDB' | 'S3' | 'token issuer'
  request?: string
  attempts?: number
  waited_ms?: number
  /** Why the last attempt failed, if the call ended for another reason. */
  last_cause?: string
  /** If the layout is the reason: the table's layout, and the oldest and newest one that this version accepts. */
  layout?: number
  accepts?: readonly [number, number]
}

/** A refusal by the service. It can be thrown anywhere; the table in schemas/errors.ts says how it is answered. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly property: string | undefined
  readonly errors: readonly Fault[] | undefined
  readonly failedRequest: FailedRequest | undefined
  constructor(code: ErrorCode, details: Details = {}) {
    super(details.detail ?? errors[code][1], details.cause === undefined ? {} : { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.detail = details.detail
    this.property = details.property
    this.errors = details.errors
    this.failedRequest = details.failedRequest
  }
}

/** The table is throttled: nothing was done, and the same request may be sent again. */
export class StoreBusy extends AppError {
  override name = 'StoreBusy'
  constructor(details: Pick<Details, 'detail' | 'cause' | 'failedRequest'> = {}) {
    super('SERVICE_UNAVAILABLE', details)
  }
}

/** The table cannot be reached, or failed. `mayBeDone`: a write may have happened all the same. */
export class StoreUnreachable extends AppError {
  override name = 'StoreUnreachable'
  readonly mayBeDone: boolean
  constructor(cause: string, mayBeDone = false, failedRequest?: FailedRequest) {
    super('SERVICE_UNAVAILABLE', { cause, failedRequest })
    this.mayBeDone = mayBeDone
  }
}

/** Other calls used the same items until all attempts were used up. Nothing was done. What was read may still be right. */
export class StoreContended extends AppError {
  override name = 'StoreContended'
  constructor() {
    super('CONCURRENT_MODIFICATION')
  }
}

/** Whether the table itself failed, so that other requests would fail now, too. */
export const isStoreDown = (error: unknown): boolean => error instanceof StoreUnreachable || error instanceof StoreBusy

/** What was read is no longer what is stored: read again and decide again. */
export class StaleRead extends Error {
  override name = 'StaleRead'
}

/** An error with a code; `property` names the field at fault, if there is one. */
export const refuse = (code: ErrorCode, property?: string, detail?: string): AppError =>
  new AppError(code, { property, detail })

/**
 * What a log may show of an error: its name and, unless it is a refusal, its stack. No message, as it may quote data.
 */
export function traceOf(error: unknown): object {
  if (error instanceof AppError) return { fault: error.name, error_code: error.code, ...reasonOf(error) }
  const { name = 'Error', stack } = (error ?? {}) as Partial<Error>
  const lines = stack?.split('\n').map((line) => line.trim())
  return { fault: name, stack: lines?.filter((line) => line.startsWith('at ')).slice(0, 8) ?? [] }
}

/** What a log may show of the reason of a refusal. */
export const reasonOf = ({ cause, failedRequest }: AppError): object => ({ cause, ...failedRequest })

/** One fault with its code. */
export type CodedFault = { fault: Fault; code: ErrorCode }

/** A fault of one property. A fault is read as `<property> <message>`. */
export const faultAt = (code: ErrorCode, property: string, message: string): CodedFault => ({
  code,
  fault: { property, message },
})

/** An error for one fault of one property; the detail names it. */
export const refuseFault = (code: ErrorCode, property: string, message: string): AppError =>
  errorOf([faultAt(code, property, message)]) as AppError

/** The most faults in one answer: a megabyte of them would not pass the gateway. */
const MOST_FAULTS = 300

/** One error for several faults, with the strongest code and its property. */
export function errorOf(found: readonly CodedFault[]): AppError | undefined {
  if (found.length === 0) return undefined
  const code = strongest(found.map((one) => one.code))
  const { fault } = found.find((one) => one.code === code) as CodedFault
  const faults = distinct(found.map((one) => one.fault)).slice(0, MOST_FAULTS)
  return new AppError(code, {
    property: fault.property,
    detail: textOfFault(fault),
    errors: faults.some(isSame(fault)) ? faults : [fault, ...faults.slice(1)],
  })
}

/** Throws one error with all of these faults. Without faults it does nothing. */
export function requireNone(found: readonly CodedFault[]): void {
  const fault = errorOf(found)
  if (fault) throw fault
}

const textOfFault = ({ property, message }: Fault): string => `${property} ${message}`
const isSame = (fault: Fault) => (other: Fault) => textOfFault(other) === textOfFault(fault)
const distinct = (faults: readonly Fault[]): Fault[] => [
  ...new Map(faults.map((one) => [textOfFault(one), one])).values(),
]

/** One error for several refusals of a request: with the strongest code and all faults. */
export function combineRefusals(refusals: readonly (AppError | undefined)[]): AppError | undefined {
  const all = refusals.filter((one) => one !== undefined)
  const code = strongest(all.map((one) => one.code))
  const first = all.find((one) => one.code === code)
  if (!first || all.length === 1) return first
  return new AppError(code, {
    detail: first.message,
    property: first.property,
    errors: distinct(all.flatMap(faultsOf)),
  })
}

/** Whether a call was carried out: true if all of it, false if nothing. */
export type Done = boolean | 'unknown'

/** Answers with these statuses ask the caller to try again, and say whether the call was carried out. */
const statusesWithDone: ReadonlySet<number> = new Set([429, 503])

function detailOf({ detail, message }: AppError, done: Done): string {
  if (detail !== undefined || done === false) return message
  return done === true ? 'It is done, but cannot be shown just now' : 'It is not known whether it was done'
}

/**
 * The problem+json object (RFC 9457) of an error. Errors other than AppError are bugs, and their cause is not shown. `done`
 * says whether the call was carried out.
 */
export function problemOf(error: unknown, requestId: string, done: Done = false) {
  const refusal = error instanceof AppError ? error : new AppError('INTERNAL_ERROR')
  const [status, title] = errors[refusal.code]
  const hasDone = statusesWithDone.has(status)
  return {
    type: 'about:blank',
    status,
    title,
    detail: hasDone ? detailOf(refusal, done) : refusal.message,
    error_code: refusal.code,
    ...(refusal.property === undefined ? {} : { property: refusal.property }),
    request_id: requestId,
    ...(hasDone ? { done } : {}),
    ...(status === 400 ? { errors: faultsOf(refusal) } : {}),
  }
}

/** A 400 always lists its faults. */
const faultsOf = ({ errors, property, message }: AppError): readonly Fault[] =>
  errors ?? (property === undefined ? [] : [{ property, message }])
