import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda'
import type { AppError } from '../../domain/base/errors.ts'
import type { Effect, Tags } from '../../domain/request/context.ts'
import type { Traffic } from '../../domain/table/dynamo.ts'

// A call goes through these stages. Each adds to what the stage before it knows; the types say what is known where.
//
// stage      | made by      | adds
// received   | beginCall    | what every answer and log line needs, errors included
// identified | authenticate | who calls, by the token
// validated  | validate     | the valid input, or its fault
// begun      | authorize    | the context of the operation. This is a function, not a middleware: it starts the check of the
//            |              | caller and returns at once. A refusal reaches what waits for it: later reads, writes, the answer

/** What is known of every call, whatever becomes of it. */
export type Call = {
  requestId: string
  /** Milliseconds, by `performance.now()`. */
  startedAt: number
  /** Query parameters that the endpoint does not know. */
  ignored: string[]
  /** What the call has done so far. */
  effect: Effect
  /** What the call asks of the database. */
  traffic: Traffic
  /** Languages of the localized texts in the answer. */
  languages: Set<string>
  /** What rules give and take by the call is noted, and done soon. */
  areRulesPending?: true
}

export type Received = LambdaContext & { call: Call }
/** Of a service token, the hash of the secret that was sent; whether it is right `authorize` finds out. */
export type Identity = { actorId: string; secretHash?: string }
export type Identified = Received & Identity
export type Validated = Identified & { request: ValidRequest | FaultyRequest }

/** The validated input of an operation; its contract has the exact type. */
export type AnyInput = { path: object; query: object; body: object }

export type ValidRequest = { input: AnyInput; headers: RequestHeaders }

/** A request with faults. They are answered only once the caller has been found permitted. */
export type FaultyRequest = { fault: AppError; sent: Sent | undefined }

/** What was sent, in any form; undefined if the body could not be read. */
export type Sent = Record<'path' | 'query', Readonly<Record<string, unknown>>> & { body: unknown }

export type RequestHeaders = {
  /** The record must have one of these versions to be changed. */
  ifMatch?: Tags
  /** The versions that the caller has already. */
  ifNoneMatch?: Tags
  idempotencyKey?: string
}

export type Event = APIGatewayProxyEventV2
export type Response = APIGatewayProxyStructuredResultV2
/** A middleware that works from a stage on, or makes it. */
export type Middleware<Stage extends Received = Received> = MiddlewareObj<Event, Response, Error, Stage>
