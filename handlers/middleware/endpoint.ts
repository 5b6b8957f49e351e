import middy from '@middy/core'
import { AppError, combineRefusals, reasonOf, refuse, traceOf } from '../../domain/base/errors.ts'
import { decideAgain } from '../../domain/base/flow.ts'
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
import { authenticate } from './authenticate.ts'
import { authorize, type Begun } from './authorize.ts'
import type {
  AnyInput,
  Call,
  Event,
  FaultyRequest,
  Identified,
  Middleware,
  Received,
  Response,
  Validated,
} from './call.ts'
import { actorInLog, environment, type Measures, measuresOf, NotConfigured, outcomeOf } from './environment.ts'
import { answerErrors, requestIdOf, respond } from './respond.ts'
import type { newSeals } from './seals.ts'
import { identity } from './tokens.ts'
import { type Compiled, validate } from './validate.ts'

/** Does with the valid input of a call what its endpoint is for. */
type Operation<C extends Contract> = (context: Context, input: Parts<InputBy<C>>) => Promise<AnswerBy<C>>
/** The same without its name: by name, TypeScript 5.9, which editors use, fails to compare the inputs of two contracts. */
type Parts<I> = { [K in keyof I]: I[K] }
type AnswerBy<C extends Contract> = C['versioned'] extends true ? RecordAnswer<unknown> : Answer<unknown>

/**
 * What an endpoint needs besides its operation: one that creates a record shows it again when the call is repeated; one with
 * pages seals their cursors. `alsoWrong` finds more faults.
 */
type Also<C extends Contract> = { alsoWrong?: AlsoWrong } & (C['repeatable'] extends ErrorCode
  ? { showAgain: ShowAgain<C> }
  : unknown) &
  (C extends { query: { properties: { page_cursor: unknown } } } ? { seals: typeof newSeals } : unknown)
type NeedsNothing = Record<never, never>
type ShowAgain<C extends Contract> = (context: Context, record: string, input: InputBy<C>) => Promise<AnswerBy<C>>

/** A call that takes too long is answered this long before Lambda ends the function. */
const ANSWER_RESERVE_MS = 250
const outOfTime = (): never => {
  throw new AppError('SERVICE_UNAVAILABLE', { detail: 'It took too long', cause: OUT_OF_TIME })
}

/**
 * Wraps every endpoint: the compiled contract, then the operation, make a Lambda handler. The contract itself is only a
 * type here, which the operation is checked against: functions do not load its schemas. There are two calls because TypeScript
 * infers all type arguments of a call or none: the first one names the contract.
 */
export const endpoint =
  <C extends Contract>(compiled: Compiled) =>
  (
    operation: Operation<C>,
    ...[also]: NeedsNothing extends Also<C> ? [also?: Also<C>] : [also: Also<C>]
  ): middy.MiddyfiedHandler<Event, Response, Error, Validated> => {
    const { contract } = compiled
    prepareFirstCall()
    const { seals, ...work } = { operation, ...also } as AnyWork
    return (
      middy<Event, Response>({ timeoutEarlyInMillis: ANSWER_RESERVE_MS, timeoutEarlyResponse: outOfTime })
        .use(beginCall())
        // middy runs onError in the reverse order of use: errors are answered first, then the answer is logged.
        .use(logRequest(contract.name))
        .use(answerErrors(contract))
        .use(authenticate())
        .use(validate(compiled))
        .handler(async (event, validated, { signal }) => {
          const { call, request } = validated
          const begun = authorize(validated, { contract, event, signal, seals })
          if ('fault' in request) return ifPermitted(begun.context, refused(begun.context, request, work))
          const answer = await answerOf(call, request.input, begun, work)
          return respond({ call, request, ...compiled }, answer, event.headers?.['accept-encoding'])
        })
    )
  }

/**
 * Makes what the first call of a function needs while the function loads: the database's client, and the issuer's keys, which
 * are fetched without waiting. Without an issuer, as in tests, it makes nothing.
 */
function prepareFirstCall(): void {
  if (!process.env.TOKEN_ISSUER || !process.env.TOKEN_AUDIENCE) return
  environment.client()
  identity.verifier()
}

/** What an endpoint does, with the types of any endpoint: its contract has the exact ones. */
type AnyWork = Work & { seals?: typeof newSeals }
type Work = {
  operation: (context: Context, input: AnyInput) => Promise<Answer<unknown>>
  showAgain?: (context: Context, record: string, input: AnyInput) => Promise<Answer<unknown>>
  alsoWrong?: AlsoWrong
}

/**
 * Runs the operation, again if what it read is stale by the time it writes. An actor who is not permitted gets that refusal
 * instead. A repetition is answered as the first call was.
 */
async function answerOf(
  call: Call,
  input: AnyInput,
  { context, first }: Begun,
  { operation, showAgain }: Work,
): Promise<Answer<unknown>> {
  const working = ifPermitted(
    context,
    decideAgain(() => operation(context, input)),
  )
  if (!first || !showAgain) return working
  const [outcome, found] = await Promise.allSettled([working, first])
  await context.actor()
  const earlier = (found.status === 'fulfilled' && found.value) || (await firstMeanwhile(context, outcome))
  if (!earlier) return working
  if (earlier.print !== context.repetition?.print) throw refuse('IDEMPOTENCY_KEY_REUSED', 'idempotency-key')
  // What the operation has noted before it was stopped is not shown.
  call.languages.clear()
  const again = context.again()
  const shown = await ifPermitted(
    again,
    decideAgain(() => showAgain(again, earlier.record, input)),
  )
  return { ...shown, status: earlier.status, isReplayed: true }
}

/** Throws all faults of a request in one error. */
async function refused(context: Context, { fault, sent }: FaultyRequest, { alsoWrong }: Work): Promise<never> {
  throw combineRefusals([fault, sent && (await alsoWrong?.(context, sent.body, sent.path, sent.query))])
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

/** The first stage of a call. */
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
 * Writes one log line per request, without ids, as ids may be names; of a user who calls there is a keyed hash. The gateway's
 * line has the same `invocation_id`. A fault of ours is logged with its stack, never with data.
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
      ...faultOf(error, call.traffic),
    }
    environment.log(line, { ...outcomeOf(status, ms), ...tokenCall(actor), ...measuresOf(call.traffic) })
  }
  return {
    after: ({ context, response }) => write(context, response),
    onError: ({ context, response, error }) => write(context, response, error),
  }
}

/** Counts a call of a service token. */
const tokenCall = ({ service_token }: ReturnType<typeof actorInLog>): Measures =>
  service_token === undefined ? {} : { TokenRequests: 1 }

/** What the log says about a fault of ours, or of a service that we depend on. */
function faultOf(error: Error | null | undefined, traffic: Traffic): object {
  // Of a batch some items may have failed.
  if (!error) return traffic.failure ? { failed_request: traffic.failure } : {}
  if (error instanceof AppError)
    return { ...(error.cause === OUT_OF_TIME ? waitedFor(traffic) : {}), ...reasonOf(error) }
  const missing = error instanceof NotConfigured ? { missing: error.missing } : {}
  return { ...missing, ...traceOf(error) }
}
