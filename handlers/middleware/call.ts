import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda'
import type { AppError } from '../../domain/base/errors.ts'
import type { Context, Effect, Tags } from '../../domain/request/context.ts'
import type { FirstCall } from '../../domain/request/preconditions.ts'
import type { Traffic } from '../../domain/table/dynamo.ts'

/** The validated input of an operation; its contract has the exact type. */
export type AnyInput = { path: object; query: object; body: object }

/** The state of one request on its way through the middleware. */
export type Call = {
  requestId: string
  startedAt: number
  /** The user that the token names. */
  actorId?: string
  input?: AnyInput
  /** What was sent, valid or not, unless its body could not be read. */
  received?: Record<'path' | 'query', Readonly<Record<string, unknown>>> & { body: unknown }
  /** The fault of the input, thrown once the actor has been found permitted. */
  fault?: AppError
  /** The versions of which the record must have one to be changed. */
  ifMatch?: Tags | undefined
  /** The versions that the caller has already. */
  ifNoneMatch?: Tags | undefined
  /** The call's Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The earlier call with the same key, if there was one. */
  first?: Promise<FirstCall | undefined> | undefined
  /** Query parameters that the endpoint does not know. */
  ignored: string[]
  context?: Context
  /** What the call has done so far. */
  effect: Effect
  /** What the call asks of the database. */
  traffic: Traffic
  /** Aborted when the call runs out of time. */
  signal?: AbortSignal
  /** Languages of the localized texts in the answer. */
  languages: Set<string>
  errorCode?: string
}

export type Event = APIGatewayProxyEventV2
export type Response = APIGatewayProxyStructuredResultV2
export type CallContext = LambdaContext & { call: Call }
export type Middleware = MiddlewareObj<Event, Response, Error, CallContext>
