import middy from '@middy/core'
import { AppError, reasonOf, traceOf } from '../../domain/base/errors.ts'
import { OUT_OF_TIME } from '../../domain/table/failures.ts'
import { newRequestStats, type RequestStats, waitedFor } from '../../domain/table/requestStats.ts'
import type { Event, Identified, Middleware, Received, Response } from './call.ts'
import { environment, NotConfigured } from './environment.ts'
import { KeysUnavailable } from './issuerKeys.ts'
import { identity } from './issuerTokens.ts'
import { actorInLog, type Measures, measuresOf, outcomeOf } from './log.ts'
import { requestIdOf, Unauthenticated } from './respond.ts'

// The first and last steps of all endpoints, those with a contract and those of SCIM.

/** A call that takes too long is answered this long before Lambda ends the function. */
const ANSWER_RESERVE_MS = 250
const outOfTime = (): never => {
  throw new AppError('SERVICE_UNAVAILABLE', { detail: 'It took too long', cause: OUT_OF_TIME })
}

/** The handler of an endpoint: its first stage, and a log line for each call. `endpoint` and `scimEndpoint` add the rest. */
export function newHandler(name: string) {
  prepareFirstCall()
  return (
    middy<Event, Response>({ timeoutEarlyInMillis: ANSWER_RESERVE_MS, timeoutEarlyResponse: outOfTime })
      .use(beginCall())
      // middy runs onError in the reverse order of use: errors are answered first, then the answer is logged.
      .use(logRequest(name))
  )
}

/**
 * Prepares the first call while the function loads: makes the database's client, and begins to fetch the issuer's keys, without
 * waiting for them. Without an issuer, as in tests, it does nothing.
 */
function prepareFirstCall(): void {
  if (!process.env.TOKEN_ISSUER || !process.env.TOKEN_AUDIENCE) return
  environment.client()
  identity.verifier()
}

/** The first stage of a call. */
const beginCall = (): Middleware => ({
  before: ({ event, context }) => {
    context.call = {
      requestId: requestIdOf(event, context.awsRequestId),
      startedAt: performance.now(),
      ignored: [],
      languages: new Set(),
      stats: newRequestStats(),
    }
  },
})

/**
 * Writes one log line per request, without ids, as ids may be names; a user who calls is shown as a keyed hash. The gateway's
 * line has the same `invocation_id`. A fault of the service is logged with its stack, never with data.
 */
function logRequest(name: string): Middleware<Received & Partial<Identified>> {
  const write = (
    { call, awsRequestId, actorId }: Received & Partial<Identified>,
    response: Response | null | undefined,
    error?: Error | null,
  ) => {
    const status = response?.statusCode ?? 500
    const actor = actorInLog(actorId)
    const ms = Math.round((performance.now() - call.startedAt) * 10) / 10
    const line = {
      level: status >= 500 ? 'error' : 'info',
      request_id: call.requestId,
      invocation_id: awsRequestId,
      endpoint: name,
      ...actor,
      status,
      ...(error ? { error_code: error instanceof AppError ? error.code : 'INTERNAL_ERROR' } : {}),
      ms,
      ...faultOf(error, call.stats),
    }
    environment.log(line, {
      ...outcomeOf(status, ms),
      ...ofUnauthenticated(error, ms),
      ...tokenCall(actor),
      ...measuresOf(call.stats),
    })
  }
  return {
    after: ({ context, response }) => write(context, response),
    onError: ({ context, response, error }) => write(context, response, error),
  }
}

/** A call that takes longer than this misses the objective: see local/build/alarms.ts. */
const SLOW_MS = 1000

/** Counts what a caller without a valid token can bring about: no alarm that rolls an update back counts that. */
function ofUnauthenticated(error: Error | null | undefined, ms: number): Measures {
  const isWithoutKeys = error instanceof KeysUnavailable
  if (!isWithoutKeys && !(error instanceof Unauthenticated)) return {}
  return { ...(isWithoutKeys ? { KeysUnavailable: 1 } : {}), ...(ms > SLOW_MS ? { SlowStrangers: 1 } : {}) }
}

/** Counts a call of a service token. */
const tokenCall = ({ service_token }: ReturnType<typeof actorInLog>): Measures =>
  service_token === undefined ? {} : { TokenRequests: 1 }

/** What the log says about a fault of the service, or of one that it depends on. */
function faultOf(error: Error | null | undefined, stats: RequestStats): object {
  // Some items of a batch may have failed.
  if (!error) return stats.failure ? { failed_request: stats.failure } : {}
  if (error instanceof AppError) return { ...(error.cause === OUT_OF_TIME ? waitedFor(stats) : {}), ...reasonOf(error) }
  const missing = error instanceof NotConfigured ? { missing: error.missing } : {}
  return { ...missing, ...traceOf(error) }
}
