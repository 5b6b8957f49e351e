import { type ErrorCode, errors, strongest } from '../../schemas/errors.ts'

/** One thing wrong with the input: which property, and what would be right. */
export type Fault = { property: string; message: string }

type Details = {
  detail?: string | undefined
  property?: string | undefined
  errors?: readonly Fault[] | undefined
  /** What the log calls the fault behind it: a name, never a message. */
  cause?: string | undefined
}

/** Whatever the service refuses: thrown anywhere, answered through the error table. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly property: string | undefined
  readonly errors: readonly Fault[] | undefined
  constructor(code: ErrorCode, details: Details = {}) {
    super(details.detail ?? errors[code][1], details.cause === undefined ? {} : { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.detail = details.detail
    this.property = details.property
    this.errors = details.errors
  }
}

/** The store had no room: nothing was done, and the same request may be sent again. */
export class StoreBusy extends AppError {
  override name = 'StoreBusy'
  constructor(details: Pick<Details, 'detail' | 'cause'> = {}) {
    super('SERVICE_UNAVAILABLE', details)
  }
}

/** The store cannot be reached, or broke down; `mayBeDone` says that a write may have happened all the same. */
export class StoreUnreachable extends AppError {
  override name = 'StoreUnreachable'
  readonly mayBeDone: boolean
  constructor(cause: string, mayBeDone = false) {
    super('SERVICE_UNAVAILABLE', { cause })
    this.mayBeDone = mayBeDone
  }
}

/** Whether a failure is the store's, so that whatever else is asked of it now will fail as well. */
export const isStoreDown = (error: unknown): boolean => error instanceof StoreUnreachable || error instanceof StoreBusy

/** Refuses with a code; `property` names the field at fault, where there is one. */
export const refuse = (code: ErrorCode, property?: string, detail?: string): AppError =>
  new AppError(code, { property, detail })

/**
 * What a log may tell of a failure: what it is called and, where it is no refusal, where it happened. Not its
 * message, as that may quote data.
 */
export function traceOf(error: unknown): object {
  if (error instanceof AppError)
    return { fault: error.name, error_code: error.code, ...(error.cause === undefined ? {} : { cause: error.cause }) }
  const { name = 'Error', stack = '' } = (error ?? {}) as Partial<Error>
  const at = stack.split('\n').filter((line) => line.trimStart().startsWith('at '))
  return { fault: name, stack: at.slice(0, 8).map((line) => line.trim()) }
}

/** One fault and the code that it stands for. */
export type Found = { fault: Fault; code: ErrorCode }

/** A fault of one property; the message follows its name, and so never begins with it. */
export const faultAt = (code: ErrorCode, property: string, message: string): Found => ({
  code,
  fault: { property, message },
})

/** Refuses for one fault of one property, which the detail names. */
export const faulty = (code: ErrorCode, property: string, message: string): AppError =>
  errorOf([faultAt(code, property, message)]) as AppError

/** What one answer tells: more faults nobody reads, and a megabyte of them would not pass the gateway. */
const MOST_FAULTS = 300

/** One error for several faults: its code is the strongest of theirs, its property the one at fault there. */
export function errorOf(found: readonly Found[]): AppError | undefined {
  if (found.length === 0) return undefined
  const code = strongest(found.map((one) => one.code))
  const { fault } = found.find((one) => one.code === code) as Found
  const told = distinct(found.map((one) => one.fault)).slice(0, MOST_FAULTS)
  return new AppError(code, {
    property: fault.property,
    detail: nameOf(fault),
    errors: told.some(isSame(fault)) ? told : [fault, ...told.slice(1)],
  })
}

const nameOf = ({ property, message }: Fault): string => `${property} ${message}`
const isSame = (fault: Fault) => (other: Fault) => nameOf(other) === nameOf(fault)
const distinct = (faults: readonly Fault[]): Fault[] => [...new Map(faults.map((one) => [nameOf(one), one])).values()]

/** Several refusals of one request as one: the strongest gives it its code, every fault is listed. */
export function together(refusals: readonly (AppError | undefined)[]): AppError | undefined {
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

/** What became of a call: true if it is done, false if nothing was. */
export type Done = boolean | 'unknown'

/** A caller who has to try again is told what became of the first call. */
const tellsDone: ReadonlySet<number> = new Set([429, 503])

function detailOf({ detail, message }: AppError, done: Done): string {
  if (detail !== undefined || done === false) return message
  return done === true ? 'It is done, but cannot be shown just now' : 'Whether it was done is not known'
}

/**
 * The problem+json object (RFC 9457) of an error; what is no AppError is our own fault and shows no cause. `done` is
 * what became of the call, as its writes tell.
 */
export function problemOf(error: unknown, requestId: string, done: Done = false) {
  const known = error instanceof AppError ? error : new AppError('INTERNAL_ERROR')
  const [status, title] = errors[known.code]
  return {
    type: 'about:blank',
    status,
    title,
    detail: tellsDone.has(status) ? detailOf(known, done) : known.message,
    error_code: known.code,
    ...(known.property === undefined ? {} : { property: known.property }),
    request_id: requestId,
    ...(tellsDone.has(status) ? { done } : {}),
    ...(status === 400 ? { errors: faultsOf(known) } : {}),
  }
}

/** Every 400 lists what is wrong, be it one thing only. */
const faultsOf = ({ errors, property, message }: AppError): readonly Fault[] =>
  errors ?? (property === undefined ? [] : [{ property, message }])
