import type middy from '@middy/core'
import { combineRefusals } from '../../domain/base/errors.ts'
import { decideAgain } from '../../domain/base/retry.ts'
import { ifPermitted } from '../../domain/request/actor.ts'
import type { Answer, Context, InputBy, MoreFaults, RecordAnswer } from '../../domain/request/context.ts'
import type { Compiled } from '../../domain/request/faults.ts'
import type { Contract, Schema } from '../../schemas/contract.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { authenticate } from './authenticate.ts'
import { type AuthorizeInput, authorize, type Begun } from './authorize.ts'
import type { AnyInput, Call, Event, FaultyRequest, Response, Validated } from './call.ts'
import { newHandler } from './newHandler.ts'
import type { readBatch } from './readBatch.ts'
import type { BodyReader, readJson } from './readBody.ts'
import type { readBytes } from './readBytes.ts'
import type { Repeatable } from './repeatable.ts'
import { answerErrors, respond } from './respond.ts'
import type { newSeals } from './seals.ts'
import { validate } from './validate.ts'
import type { writes } from './writes.ts'

/** The operation of an endpoint: gets the context of a call and the valid input, and returns the answer. */
type Operation<C extends Contract> = (context: Context, input: Parts<InputBy<C>>) => Promise<AnswerBy<C>>
/** The same without its name: by name, TypeScript 5.9, which editors use, fails to compare the inputs of two contracts. */
type Parts<I> = { [K in keyof I]: I[K] }
type AnswerBy<C extends Contract> = C['versioned'] extends true ? RecordAnswer<unknown> | NoBody : Answer<unknown>
type NoBody = { status: number; body: undefined; own?: undefined }

/**
 * What an endpoint needs besides its operation. `writes`, if it changes records. `repeats`, if it creates one: for callers with an
 * Idempotency-Key. `seals`, if it has pages: for their cursors. `body` reads its body. `moreFaults`: finds more faults in an invalid request.
 */
type Also<C extends Contract> = { moreFaults?: MoreFaults; writes?: typeof writes } & (C['conditional'] extends true
  ? { writes: typeof writes }
  : unknown) &
  (C['repeatable'] extends ErrorCode
    ? { writes: typeof writes; repeats: Repeatable<InputBy<C>, AnswerBy<C>> }
    : unknown) &
  BodyOf<C> &
  (C extends { query: { properties: { page_cursor: unknown } } } ? { seals: typeof newSeals } : unknown)
type BodyOf<C extends Contract> = C['bytes'] extends true
  ? { body: typeof readBytes }
  : C['item'] extends Schema
    ? { body: typeof readBatch }
    : C['body'] extends Schema
      ? { body: typeof readJson }
      : unknown
type NeedsNothing = Record<never, never>

/**
 * Makes a Lambda handler of a compiled contract and an operation. The contract itself is only a type, which checks the operation:
 * functions do not load its schemas. There are two calls because TypeScript infers either all type arguments of a call or none:
 * the first call names the contract.
 */
export const endpoint =
  <C extends Contract>(compiled: Compiled) =>
  (
    operation: Operation<C>,
    ...[also]: NeedsNothing extends Also<C> ? [also?: Also<C>] : [also: Also<C>]
  ): middy.MiddyfiedHandler<Event, Response, Error, Validated> => {
    const { contract } = compiled
    const { seals, writes, body, ...parts } = { operation, ...also } as AnyParts
    return newHandler(contract.name)
      .use(answerErrors(contract))
      .use(authenticate())
      .use(validate(compiled, body))
      .handler(async (event, validated, { signal }) => {
        const { call, request } = validated
        const begun = authorize(validated, { contract, event, signal, seals, writes, repeats: parts.repeats })
        if ('fault' in request) return ifPermitted(begun.context, refused(begun.context, request, parts))
        const answer = await answerOf(call, request.input, begun, parts)
        return respond({ call, request, ...compiled }, answer, event.headers?.['accept-encoding'])
      })
  }

/** The operation of any endpoint, and what goes with it. */
type AnyParts = EndpointParts & Pick<AuthorizeInput, 'seals' | 'writes'> & { body?: BodyReader }
type EndpointParts = {
  operation: (context: Context, input: AnyInput) => Promise<Answer<unknown>>
  repeats?: Repeatable<AnyInput>
  moreFaults?: MoreFaults
}

/**
 * Runs the operation; again if what it read is stale when it writes. A caller without permission gets that refusal
 * instead. A repetition, with the Idempotency-Key of an earlier call, gets the answer of that call.
 */
async function answerOf(
  call: Call,
  input: AnyInput,
  { context, first }: Begun,
  { operation, repeats }: EndpointParts,
): Promise<Answer<unknown>> {
  const working = ifPermitted(
    context,
    decideAgain(() => operation(context, input)),
  )
  if (!first || !repeats) return working
  const show = (fresh: Context, record: string) => repeats.showAgain(fresh, record, input)
  return repeats.answerOnce({ call, context, working, first, show })
}

/** Throws all faults of a request in one error. */
async function refused(
  context: Context,
  { fault, sent }: FaultyRequest,
  { moreFaults }: EndpointParts,
): Promise<never> {
  throw combineRefusals([fault, sent && (await moreFaults?.(context, sent.body, sent.path, sent.query))])
}
