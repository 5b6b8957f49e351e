import { AppError, type Done, problemOf } from '../../domain/base/errors.ts'
import type { Contract } from '../../schemas/contract.ts'
import type { CallContext, Middleware, Response } from './call.ts'
import { commonHeaders } from './respond.ts'

const RETRY_AFTER_SECONDS = '2'

const codeHeaders: Partial<Record<string, Record<string, string>>> = {
  SERVICE_UNAVAILABLE: { 'retry-after': RETRY_AFTER_SECONDS },
  TOO_MANY_REQUESTS: { 'retry-after': RETRY_AFTER_SECONDS },
  ACTOR_NOT_ACTIVE: { 'www-authenticate': 'Bearer error="invalid_token", error_description="The user is not active"' },
}

/** The problem+json answer to any error. */
export function errorResponse(
  error: unknown,
  { requestId, done = false, headers = {} }: { requestId: string; done?: Done; headers?: Record<string, string> },
): Response {
  const problem = problemOf(error, requestId, done)
  return {
    statusCode: problem.status,
    headers: {
      ...commonHeaders(requestId),
      'content-type': 'application/problem+json',
      ...codeHeaders[problem.error_code],
      ...headers,
    },
    body: JSON.stringify(problem),
  }
}

/** Answers everything that is thrown from the table in schemas/errors.ts. */
export const answerErrors = ({ item }: Contract): Middleware => ({
  onError: (request) => {
    const { call } = request.context as CallContext
    const { error } = request
    call.errorCode = error instanceof AppError ? error.code : 'INTERNAL_ERROR'
    const challenge = error instanceof Unauthenticated ? { 'www-authenticate': error.challenge } : {}
    const ignored = call.ignored.length > 0 ? { 'x-ignored-parameters': call.ignored.join(', ') } : {}
    const done = call.effect.done()
    request.response = errorResponse(error, {
      requestId: call.requestId,
      // Some items of a batch may be done while others are not.
      done: item && done ? 'unknown' : done,
      headers: { ...challenge, ...ignored },
    })
  },
})

/** No usable token. The challenge follows RFC 6750: it names no error if there was no token. */
export class Unauthenticated extends AppError {
  readonly challenge: string
  constructor(reason?: string) {
    super('UNAUTHENTICATED', { detail: reason })
    this.challenge = reason ? `Bearer error="invalid_token", error_description="${reason}"` : 'Bearer realm="rollcall"'
  }
}
