import type { components, ErrorCode } from './api.ts'

type Problem = components['schemas']['Problem']

/** What became of a call: `false` nothing was done, `true` it was done but could not be shown, `"unknown"` either. */
export type Done = boolean | 'unknown'

/** A call that failed. Decide by `error_code`; `message` is English, for engineers. */
export class RollcallError extends Error {
  override readonly name = 'RollcallError'
  /** The HTTP status. Undefined if no answer came. */
  declare readonly status: number | undefined
  /** Undefined if no answer came, or if it was not the service that answered. */
  declare readonly error_code: ErrorCode | undefined
  /** What went wrong, in a sentence for engineers. */
  declare readonly detail: string | undefined
  /** The field at fault, where there is one. */
  declare readonly property: string | undefined
  /** Every fault of the request, with status 400. */
  declare readonly errors: Problem['errors'] | undefined
  /** Name it when you ask for help. */
  declare readonly request_id: string | undefined
  /** Seconds to wait before the call is sent again, if the answer says so. */
  declare readonly retry_after: number | undefined
  /** What became of the call, all attempts included. */
  declare done: Done

  constructor(
    message: string,
    { cause, ...fields }: Pick<RollcallError, 'done'> & Partial<Omit<RollcallError, 'name'>>,
  ) {
    super(message, { cause })
    Object.assign(this, fields)
  }
}

/** The error of an answer: its problem, or whatever something between client and service has sent. */
export function errorOf({ status, statusText, headers }: Response, body: unknown): RollcallError {
  const { error_code, detail, property, errors, request_id, done } = Object(body)
  const retry_after = Number.parseInt(headers.get('retry-after') ?? '0', 10) || undefined
  return new RollcallError(`${status} ${error_code ?? statusText}: ${detail ?? 'no details'}`, {
    ...{ status, error_code, detail, property, errors, request_id, retry_after },
    // A refusal has done nothing. Faults of the service and of gateways may come at any moment.
    done: done ?? (status >= 500 ? 'unknown' : false),
  })
}

/** The error of a failed call. Throws what is no answer of the service: the caller's abort, or an error of their token source. */
export function rollcallError(error: unknown): RollcallError {
  if (error instanceof RollcallError) return error
  throw error
}
