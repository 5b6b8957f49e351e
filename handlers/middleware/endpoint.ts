import middy from '@middy/core'
import { refuse, together } from '../../domain/base/errors.ts'
import type { BatchItem } from '../../domain/request/batch.ts'
import { type AlsoWrong, type Answer, type Context, ifPermitted, newEffect } from '../../domain/request/context.ts'
import type { Contract, Input, Item, Schema } from '../../schemas/contract.ts'
import { answerErrors, commonHeaders } from './answerErrors.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { AnyInput, Call, CallContext, Event, Middleware, Response } from './call.ts'
import { locationFrom } from './location.ts'
import { logRequest } from './logRequest.ts'
import { requestIdOf } from './requestId.ts'
import { sized } from './sized.ts'
import { type Validators, validate } from './validate.ts'

/** What an endpoint does with its valid input; the items of a batch have been judged one by one. */
type Operation<C extends Contract> = (context: Context, input: OperationInput<C>) => Promise<Answer<unknown>>
type OperationInput<C extends Contract> = Omit<Input<C>, 'body'> & {
  body: C['item'] extends Schema ? { items: BatchItem<Item<C>>[] } : Input<C>['body']
}

/** A function that is ended has no last word: what takes too long is answered this long before. */
const RESERVE_MS = 250
const outOfTime = (): never => {
  throw refuse('SERVICE_UNAVAILABLE', undefined, 'It took too long')
}

/**
 * The one wrapper of every endpoint: contract and compiled validators in, then the operation; a Lambda handler out.
 * Curried, because one call would make TypeScript infer contract and operation against each other.
 */
export const endpoint =
  <C extends Contract>(contract: C, validators: Validators) =>
  (operation: Operation<C>, alsoWrong?: AlsoWrong): middy.MiddyfiedHandler<Event, Response, Error, CallContext> =>
    middy<Event, Response, Error, CallContext>({ timeoutEarlyInMillis: RESERVE_MS, timeoutEarlyResponse: outOfTime })
      .use(beginCall())
      // middy runs onError in the reverse order of use: errors are answered first, then the answer is logged.
      .use(logRequest(contract.name))
      .use(answerErrors(contract))
      .use(authenticate())
      .use(validate(contract, validators))
      .use(authorize(contract))
      .handler(async ({ headers: asked }, { call }, { signal }: { signal: AbortSignal }) => {
        call.signal = signal
        const { status, body } = await answer(call, operation as AnyOperation, alsoWrong)
        const { headers, ...shown } = status === 204 ? {} : await sized(body, asked?.['accept-encoding'], contract)
        return {
          statusCode: status,
          headers: {
            ...commonHeaders(call.requestId),
            ...answerHeaders(call, status),
            ...created(call, { status, body }, validators),
            ...headers,
          },
          ...shown,
        }
      })

type AnyOperation = (context: Context, input: AnyInput) => Promise<Answer<unknown>>

/** What is wrong with the input is told only to those who may call. */
async function answer(call: Call, operation: AnyOperation, alsoWrong?: AlsoWrong): Promise<Answer<unknown>> {
  const own = call.context as Context
  const refused = async ({ fault, given }: Call) => {
    throw together([fault, given && (await alsoWrong?.(own, given.body, given.path))])
  }
  return ifPermitted(own, call.fault ? refused(call) : operation(own, call.input as AnyInput))
}

const answerHeaders = (call: Call, status: number): Record<string, string> => ({
  ...(status === 204 ? {} : { 'content-type': 'application/json' }),
  ...(call.languages.size > 0 ? { 'content-language': [...call.languages].join(', ') } : {}),
  ...(call.ignored.length > 0 ? { 'x-ignored-parameters': call.ignored.join(', ') } : {}),
})

/** Of a record that was created and can be read: where. */
const created = ({ input }: Call, { status, body }: Answer<unknown>, { location }: Validators) =>
  status === 201 && location ? { location: locationFrom(location, input?.path ?? {}, body) } : {}

/** Gives the request the place where its middlewares leave what they found. */
const beginCall = (): Middleware => ({
  before: ({ event, context }) => {
    context.call = {
      requestId: requestIdOf(event, context.awsRequestId),
      startedAt: performance.now(),
      ignored: [],
      languages: new Set(),
      effect: newEffect(),
    }
  },
})
