import { AppError, traceOf } from '../../domain/base/errors.ts'
import type { CallContext, Middleware, Response } from './call.ts'
import { environment } from './environment.ts'
import { NotConfigured } from './notConfigured.ts'

/**
 * One line per request: who asked for what stays out of it, as ids may be names. A fault of ours is logged with its
 * stack, never with the data it was about.
 */
export function logRequest(endpoint: string): Middleware {
  const write = (context: CallContext, response: Response | null | undefined, error?: Error | null) => {
    const { call } = context
    environment.log({
      level: (response?.statusCode ?? 500) >= 500 ? 'error' : 'info',
      request_id: call.requestId,
      endpoint,
      status: response?.statusCode ?? 500,
      ...(call.errorCode ? { error_code: call.errorCode } : {}),
      ms: Math.round((performance.now() - call.startedAt) * 10) / 10,
      ...faultOf(error),
    })
  }
  return {
    after: (request) => write(request.context as CallContext, request.response),
    onError: (request) => write(request.context as CallContext, request.response, request.error),
  }
}

/** What is to be known of a fault of ours. */
function faultOf(error: Error | null | undefined): object {
  if (!error) return {}
  if (error instanceof AppError) return error.cause === undefined ? {} : { cause: error.cause }
  const missing = error instanceof NotConfigured ? { missing: error.missing } : {}
  return { ...missing, ...traceOf(error) }
}
