import { lazily, lazilyAsync, type Remembered, remembered } from '../../domain/base/memory.ts'
import { hasAllPredefined, readOrganisation } from '../../domain/people/records/organisation.ts'
import type { Context, Repetition } from '../../domain/request/context.ts'
import type { FirstCall } from '../../domain/request/repetition.ts'
import { readsOf } from '../../domain/table/dynamo.ts'
import { randomShard } from '../../domain/table/keys.ts'
import type { Store } from '../../domain/table/store.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Event, Validated } from './call.ts'
import { environment, newTable, readPoint } from './environment.ts'
import { permittedActor, refusalIsLikely } from './permission.ts'
import type { Repeatable } from './repeatable.ts'
import type { newSeals } from './seals.ts'
import type { writes } from './writes.ts'

/** The parts of a context that are not in the validated call. */
export type AuthorizeInput = {
  contract: CompiledContract
  event: Event
  /** Aborted when the call runs out of time. */
  signal: AbortSignal
  /** Makes the seals of cursors; only for endpoints with cursors. */
  seals?: typeof newSeals | undefined
  /** Makes the store of a call that changes records; only for endpoints that do. */
  writes?: typeof writes | undefined
  /** For endpoints that create a record. */
  repeats?: Pick<Repeatable<never>, 'repetitionOf' | 'readFirst' | 'unlessRepeated'> | undefined
}

/** The last stage of a call: its operation may begin. */
export type Begun = {
  context: Context
  /** For a call with an Idempotency-Key: the earlier call with the same key, if there was one. */
  first: Promise<FirstCall | undefined> | undefined
}

/**
 * The settings of the organisation. Every call needs them, and one item allows 3,000 reads a second, so they are remembered; but
 * only once they name all predefined roles and groups, as an import may be about to add these.
 */
const rememberedSettings = remembered(readOrganisation, { ms: 5000, isKept: hasAllPredefined })

/**
 * Begins to check the caller, and makes the context of the operation, which runs in parallel. Until the check has passed, only
 * reads of the first wave are sent (see `guarded`), and there is no answer (see `ifPermitted`).
 */
export function authorize(
  { call, actorId, secretHash, request, getRemainingTimeInMillis }: Validated,
  { contract, event, signal, seals: sealsOf = noSeals, writes: writing, repeats }: AuthorizeInput,
): Begun {
  const cause = { actor: actorId, request: call.requestId, operation: contract.name }
  const table = newTable(() => signal, call.stats)
  const store = writing?.(table, { call, contract, cause }) ?? { ...readsOf(table), write: noWrites }
  const began = readPoint()
  const now = began.now.toISOString()
  const fromMemory = <T>(memory: Remembered<Store, T>, source: Store): Promise<T> =>
    environment.remembers ? memory.read(source, began) : memory.readNow(source, began)
  const isFromMemory = environment.remembers && rememberedSettings.isKnown(began)
  const organisation = lazilyAsync(() => fromMemory(rememberedSettings, store))
  const organisationNow = isFromMemory ? lazilyAsync(() => rememberedSettings.readNow(store, began)) : organisation
  const seals = lazily(() => sealsOf(store, table, environment.clock()))
  const { ifMatch, idempotencyKey: key } = 'input' in request ? request.headers : {}

  const begin = (repetition: Repetition | undefined): Begun => {
    const actor = permittedActor(contract, { actorId, secretHash, store, now, organisation, organisationNow })
    const first = repetition && repeats?.readFirst(store, repetition, now)
    const decision = first ? Promise.all([actor, repeats?.unlessRepeated(first)]) : actor
    // The operation's end and every write await them; until then a rejection must not count as unhandled.
    actor.catch(() => {})
    decision.catch(() => {})
    const guardedStore = guarded(store, decision, refusalIsLikely(actorId))
    const context: Context = {
      store: guardedStore,
      repetition,
      now,
      clock: () => environment.clock(),
      newId: environment.newId,
      newSecret: environment.newSecret,
      actorId,
      ifMatch,
      actor: () => actor,
      freshContext: () => begin(undefined).context,
      organisation,
      organisationNow: () => actor.then(organisationNow),
      fromMemory: (memory) => fromMemory(memory, guardedStore),
      acceptLanguage: event.headers?.['accept-language'],
      noteLanguage: (language) => call.languages.add(language),
      noteRulesPending: () => {
        call.areRulesPending = true
      },
      shard: randomShard(),
      timeLeft: () => getRemainingTimeInMillis(),
      requestId: call.requestId,
      seals,
      pageEnds: environment.pageEnds,
    }
    return { context, first }
  }
  if (!repeats || !('input' in request) || key === undefined) return begin(undefined)
  const { path, body } = request.input
  return begin(repeats.repetitionOf({ actorId, operation: contract.name, key, path, body }))
}

/**
 * The store of an operation while its caller is being checked. It has three kinds of requests:
 *
 * - A read of the first wave begins before the operation waits for any answer. It is sent at once, with the reads of the
 *   check, which saves a round trip.
 * - A later read waits for the decision. So a caller without rights costs one wave of reads, whatever the endpoint.
 * - A write always waits for the decision.
 *
 * If the decision is a refusal, all that wait for it fail with it. If a refusal is likely, the first wave waits, too.
 */
export function guarded(store: Store, decision: Promise<unknown>, refusalIsLikely = false): Store {
  let isFirstWave = !refusalIsLikely
  // At the next turn of the event loop all promises that need no answer have settled.
  setImmediate(() => {
    isFirstWave = false
  })
  const reading =
    <In, Out>(read: (what: In) => Promise<Out>) =>
    async (what: In): Promise<Out> => {
      if (!isFirstWave) await decision
      return read(what)
    }
  const writing =
    <In extends unknown[]>(write: (...what: In) => Promise<void>) =>
    async (...what: In): Promise<void> => {
      await decision
      return write(...what)
    }
  return {
    get: reading(store.get),
    getEventual: reading(store.getEventual),
    query: reading(store.query),
    write: writing(store.write),
  }
}

/** Only functions that change records can write. */
const noWrites = (): never => {
  throw new Error('This endpoint changes nothing')
}

/** Only functions that make cursors may read the key that seals them. */
const noSeals = (): never => {
  throw new Error('This endpoint has no cursors')
}
