import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda'
import type { AppError } from '../../domain/base/errors.ts'
import type { Context, Effect } from '../../domain/request/context.ts'

/** Validated input of an operation, its exact shape known to its contract. */
export type AnyInput = { path: object; query: object; body: object }

/** What one request gathers on its way through the middleware. */
export type Call = {
  requestId: string
  startedAt: number
  /** Whom the token names. */
  actorId?: string
  input?: AnyInput
  /** The body as it came, if one did, and the path, whatever is wrong with them. */
  given?: { body: unknown; path: Readonly<Record<string, unknown>> }
  /** What is wrong with the input: kept until the actor has been found permitted. */
  fault?: AppError
  /** Query parameters that the endpoint does not know. */
  ignored: string[]
  context?: Context
  /** What has become of it by now. */
  effect: Effect
  /** Aborted when the call is answered because its time is over. */
  signal?: AbortSignal
  /** Languages that the answer speaks. */
  languages: Set<string>
  errorCode?: string
}

export type Event = APIGatewayProxyEventV2
export type Response = APIGatewayProxyStructuredResultV2
export type CallContext = LambdaContext & { call: Call }
export type Middleware = MiddlewareObj<Event, Response, Error, CallContext>
