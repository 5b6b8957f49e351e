import { AppError, type Done, problemOf } from '../../domain/base/errors.ts'
import type { Contract } from '../../schemas/contract.ts'
import type { CallContext, Middleware, Response } from './call.ts'

/** Headers of every answer. */
export const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

const RETRY_AFTER_SECONDS = '2'

const codeHeaders: Partial<Record<string, Record<string, string>>> = {
  SERVICE_UNAVAILABLE: { 'retry-after': RETRY_AFTER_SECONDS },
  TOO_MANY_REQUESTS: { 'retry-after': RETRY_AFTER_SECONDS },
  ACTOR_NOT_ACTIVE: { 'www-authenticate': 'Bearer error="invalid_token", error_description="The user is not active"' },
}

/** The problem+json answer of whatever was thrown. */
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

/** Answers every throw from the error table. */
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
      // What became of some items of a batch says nothing of the others.
      done: item && done ? 'unknown' : done,
      headers: { ...challenge, ...ignored },
    })
  },
})

/** No usable token. The challenge follows RFC 6750: without a token it names no error. */
export class Unauthenticated extends AppError {
  readonly challenge: string
  constructor(reason?: string) {
    super('UNAUTHENTICATED', { detail: reason })
    this.challenge = reason ? `Bearer error="invalid_token", error_description="${reason}"` : 'Bearer realm="rollcall"'
  }
}
