import { AppError, refuse } from '../../domain/base/errors.ts'
import { decideAgain } from '../../domain/base/retry.ts'
import { ifPermitted } from '../../domain/request/actor.ts'
import type { Answer, Context } from '../../domain/request/context.ts'
import { type FirstCall, Repeated, readFirst, repetitionOf } from '../../domain/request/repetition.ts'
import type { Call } from './call.ts'

/** Shows the record that the first call with the same Idempotency-Key has created. */
type ShowAgain<Input, Shown> = (context: Context, record: string, input: Input) => Promise<Shown>

/** A creation that is safe to repeat. Only functions that create records have this code. */
export type Repeatable<Input, Shown = Answer<unknown>> = {
  repetitionOf: typeof repetitionOf
  readFirst: typeof readFirst
  unlessRepeated: typeof unlessRepeated
  showAgain: ShowAgain<Input, Shown>
  answerOnce: typeof answerOnce
}

/** What an endpoint needs for callers with an Idempotency-Key. */
export const repeatable = <Input, Shown>(showAgain: ShowAgain<Input, Shown>): Repeatable<Input, Shown> => ({
  repetitionOf,
  readFirst,
  unlessRepeated,
  showAgain,
  answerOnce,
})

/** Stops a repetition after its first reads. Throws Repeated. */
async function unlessRepeated(reading: Promise<FirstCall | undefined>): Promise<void> {
  const first = await reading
  if (first) throw new Repeated(first)
}

/** The call with an Idempotency-Key: what it would answer, and the first call with the same key, if there was one. */
type Repeating = {
  call: Call
  context: Context
  working: Promise<Answer<unknown>>
  first: Promise<FirstCall | undefined>
  show: (context: Context, record: string) => Promise<Answer<unknown>>
}

/** The answer of the first call with the same key, or else that of this call. */
async function answerOnce({ call, context, working, first, show }: Repeating): Promise<Answer<unknown>> {
  const [outcome, found] = await Promise.allSettled([working, first])
  await context.actor()
  const earlier = (found.status === 'fulfilled' && found.value) || (await firstMeanwhile(context, outcome))
  if (!earlier) return working
  if (earlier.print !== context.repetition?.digest) throw refuse('IDEMPOTENCY_KEY_REUSED', 'idempotency-key')
  // The stopped operation may have noted languages of texts that are not answered.
  call.languages.clear()
  const fresh = context.freshContext()
  const shown = await ifPermitted(
    fresh,
    decideAgain(() => show(fresh, earlier.record)),
  )
  return { ...shown, status: earlier.status, isRepeated: true }
}

/**
 * The first call with the same key, if it ended after this call had read the key. Then the write of this call was refused, or it
 * has found the record. So a call that has created nothing reads the key again.
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
