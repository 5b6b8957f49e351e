import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda'
import type { AppError } from '../../domain/base/errors.ts'
import type { ETags } from '../../domain/request/context.ts'
import type { Effect } from '../../domain/request/effect.ts'
import type { RequestStats } from '../../domain/table/requestStats.ts'

// A call goes through these stages. Each adds data; the types show which data a stage has.
//
// stage      | made by      | adds
// received   | beginCall    | the data of every answer and log line, errors included
// identified | authenticate | the caller, by the token
// validated  | validate     | the valid input, or its fault
// begun      | authorize    | the context of the operation. This is a function, not a middleware: it starts the check of the
//            |              | caller and returns at once. Later reads, writes and the answer wait for the check, and fail with it

/** The data of every call, whether it succeeds or fails. */
export type Call = {
  requestId: string
  /** Milliseconds, by `performance.now()`. */
  startedAt: number
  /** Query parameters that the endpoint does not know. */
  ignored: string[]
  /** What the writes of the call have done so far: the `done` of an error. Only a call that writes has it. */
  effect?: Effect
  /** The requests of the call to the database, for metrics and the log. */
  stats: RequestStats
  /** Languages of the localized texts in the answer. */
  languages: Set<string>
  /** Changes of roles by rules did not fit into the transaction: a worker does them within seconds. */
  areRulesPending?: true
}

export type Received = LambdaContext & { call: Call }
/** `secretHash`: the hash of the sent secret of a service token. `authorize` compares it with the stored one. */
export type Identity = { actorId: string; secretHash?: string }
export type Identified = Received & Identity
export type Validated = Identified & { request: ValidRequest | FaultyRequest }

/** The validated input of an operation; its contract has the exact type. */
export type AnyInput = { path: object; query: object; body: object }

export type ValidRequest = { input: AnyInput; headers: RequestHeaders }

/** A request with faults. A caller without permission gets that refusal instead. */
export type FaultyRequest = { fault: AppError; sent: Sent | undefined }

/** The sent values, valid or not. */
export type Sent = Record<'path' | 'query', Readonly<Record<string, unknown>>> & { body: unknown }

export type RequestHeaders = {
  /** The record must have one of these versions to be changed. */
  ifMatch?: ETags
  /** The versions that the caller has: if the record has one of them, the answer is 304. */
  ifNoneMatch?: ETags
  idempotencyKey?: string
}

export type Event = APIGatewayProxyEventV2
export type Response = APIGatewayProxyStructuredResultV2
/** A middleware that needs the data of a stage, or adds it. */
export type Middleware<Stage extends Received = Received> = MiddlewareObj<Event, Response, Error, Stage>
