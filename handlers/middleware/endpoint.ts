import middy from '@middy/core'
import { AppError, reasonOf, refuse, together, traceOf } from '../../domain/base/errors.ts'
import { retrying } from '../../domain/base/flow.ts'
import {
  type AlsoWrong,
  type Answer,
  type Context,
  type InputBy,
  ifPermitted,
  newEffect,
  type RecordAnswer,
} from '../../domain/request/context.ts'
import { type FirstCall, Repeated, readFirst } from '../../domain/request/preconditions.ts'
import { newTraffic, OUT_OF_TIME, type Traffic, waitedFor } from '../../domain/table/dynamo.ts'
import type { Contract } from '../../schemas/contract.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import type { AnyInput, Call, CallContext, Event, Middleware, Response } from './call.ts'
import { authenticate, authorize } from './caller.ts'
import { environment, measuresOf, NotConfigured, outcomeOf } from './environment.ts'
import { answerErrors, requestIdOf, respond } from './respond.ts'
import type { newSeals } from './seals.ts'
import { type Compiled, validate } from './validate.ts'

/** What an endpoint does with its valid input. */
type Operation<C extends Contract> = (context: Context, input: Parts<InputBy<C>>) => Promise<AnswerBy<C>>
/** The same without its name: by name, TypeScript 5.9, which editors use, fails to compare the inputs of two contracts. */
type Parts<I> = { [K in keyof I]: I[K] }
type AnswerBy<C extends Contract> = C['versioned'] extends true ? RecordAnswer<unknown> : Answer<unknown>

/**
 * What an endpoint needs beside its operation: one that creates a record shows it again when the call is repeated; one that
 * has pages seals their cursors. `alsoWrong` finds more faults.
 */
type Also<C extends Contract> = { alsoWrong?: AlsoWrong } & (C['repeatable'] extends ErrorCode
  ? { show: Show<C> }
  : unknown) &
  (C extends { query: { properties: { page_cursor: unknown } } } ? { seals: typeof newSeals } : unknown)
type NeedsNothing = Record<never, never>
type Show<C extends Contract> = (context: Context, record: string, input: InputBy<C>) => Promise<AnswerBy<C>>

/** A call that takes too long is answered this long before Lambda ends the function. */
const RESERVE_MS = 250
const outOfTime = (): never => {
  throw new AppError('SERVICE_UNAVAILABLE', { detail: 'It took too long', cause: OUT_OF_TIME })
}

/**
 * Wraps every endpoint: the compiled contract, then the operation, make a Lambda handler. The contract itself is only a
 * type here, which the operation is checked against: functions do not load its schemas.
 */
export const endpoint =
  <C extends Contract>(compiled: Compiled) =>
  (
    operation: Operation<C>,
    ...[also]: NeedsNothing extends Also<C> ? [also?: Also<C>] : [also: Also<C>]
  ): middy.MiddyfiedHandler<Event, Response, Error, CallContext> => {
    const { contract } = compiled
    return (
      middy<Event, Response, Error, CallContext>({ timeoutEarlyInMillis: RESERVE_MS, timeoutEarlyResponse: outOfTime })
        .use(beginCall())
        // middy runs onError in the reverse order of use: errors are answered first, then the answer is logged.
        .use(logRequest(contract.name))
        .use(answerErrors(contract))
        .use(authenticate())
        .use(validate(compiled))
        .use(authorize(contract, (also as AnyAlso)?.seals))
        .handler(async ({ headers }, { call }, { signal }: { signal: AbortSignal }) => {
          call.signal = signal
          const answer = await answerOf(call, operation as AnyOperation, also as AnyAlso)
          return respond({ call, ...compiled }, answer, headers?.['accept-encoding'])
        })
    )
  }

type AnyOperation = (context: Context, input: AnyInput) => Promise<Answer<unknown>>
type AnyShow = (context: Context, record: string, input: AnyInput) => Promise<Answer<unknown>>
type AnyAlso = { alsoWrong?: AlsoWrong; show?: AnyShow; seals?: typeof newSeals } | undefined

/**
 * Runs the operation, again if what it read is stale by the time it writes; or refuses the input. An actor who is not
 * permitted gets that refusal instead of either. A repetition is answered as the first call was.
 */
async function answerOf(
  call: Call,
  operation: AnyOperation,
  { alsoWrong, show }: AnyAlso = {},
): Promise<Answer<unknown>> {
  const own = call.context as Context
  const refused = async ({ fault, received }: Call) => {
    throw together([fault, received && (await alsoWrong?.(own, received.body, received.path, received.query))])
  }
  if (call.fault) return ifPermitted(own, refused(call))
  const working = ifPermitted(
    own,
    retrying(() => operation(own, call.input as AnyInput)),
  )
  if (!own.repetition || !show) return working
  const [outcome, found] = await Promise.allSettled([working, call.first])
  await own.actor()
  const first = (found.status === 'fulfilled' && found.value) || (await firstMeanwhile(own, outcome))
  return first ? replayed(call, first, show) : working
}

/**
 * The first call with the same key, if it ended while this one was at work: the write of this one has met it, or a read has
 * found its record, but had not found its key before. So a call that has created nothing looks again.
 */
async function firstMeanwhile(
  { store, repetition, now }: Context,
  outcome: PromiseSettledResult<Answer<unknown>>,
): Promise<FirstCall | undefined> {
  const refusal = outcome.status === 'rejected' ? outcome.reason : undefined
  if (refusal instanceof Repeated && refusal.first) return refusal.first
  const isUndone = refusal instanceof AppError && refusal.code !== 'SERVICE_UNAVAILABLE'
  const isSame = outcome.status === 'fulfilled' && outcome.value.status === 200
  return repetition && (isUndone || isSame) ? readFirst(store, repetition, now) : undefined
}

/** The first call's status, with the record as it is now. */
async function replayed(call: Call, { print, record, status }: FirstCall, show: AnyShow): Promise<Answer<unknown>> {
  const before = call.context as Context
  if (print !== before.repetition?.print) throw refuse('IDEMPOTENCY_KEY_REUSED', 'idempotency-key')
  // What the operation has noted before it was stopped is not shown.
  call.languages.clear()
  call.idempotencyKey = undefined
  const context = before.again()
  const shown = retrying(() => show(context, record, call.input as AnyInput))
  return { ...(await ifPermitted(context, shown)), status, isReplayed: true }
}

/** Adds the `call` that the middlewares fill. */
const beginCall = (): Middleware => ({
  before: ({ event, context }) => {
    context.call = {
      requestId: requestIdOf(event, context.awsRequestId),
      startedAt: performance.now(),
      ignored: [],
      languages: new Set(),
      effect: newEffect(),
      traffic: newTraffic(),
    }
  },
})

/**
 * Writes one log line per request, without the caller and without ids, as ids may be names. A fault of ours is logged
 * with its stack, never with data.
 */
function logRequest(name: string): Middleware {
  const write = (context: CallContext, response: Response | null | undefined, error?: Error | null) => {
    const { call } = context
    const status = response?.statusCode ?? 500
    const ms = Math.round((performance.now() - call.startedAt) * 10) / 10
    const line = {
      level: status >= 500 ? 'error' : 'info',
      request_id: call.requestId,
      endpoint: name,
      status,
      ...(call.errorCode ? { error_code: call.errorCode } : {}),
      ms,
      ...faultOf(error, call.traffic),
    }
    environment.log(line, { ...outcomeOf(status, ms), ...measuresOf(call.traffic) })
  }
  return {
    after: (request) => write(request.context as CallContext, request.response),
    onError: (request) => write(request.context as CallContext, request.response, request.error),
  }
}

/** What the log says about a fault of ours, or of a service that we depend on. */
function faultOf(error: Error | null | undefined, traffic: Traffic): object {
  // Of a batch some items may have failed.
  if (!error) return traffic.failure ? { failed_request: traffic.failure } : {}
  if (error instanceof AppError)
    return { ...(error.cause === OUT_OF_TIME ? waitedFor(traffic) : {}), ...reasonOf(error) }
  const missing = error instanceof NotConfigured ? { missing: error.missing } : {}
  return { ...missing, ...traceOf(error) }
}
