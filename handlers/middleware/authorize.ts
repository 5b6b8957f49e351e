import { refuse, traceOf } from '../../domain/base/errors.ts'
import { boundedMap, lazily, type Remembered, remembered } from '../../domain/base/memory.ts'
import { hasAllPredefined, type Organisation, readOrganisation } from '../../domain/people/records/organisation.ts'
import { readUserFields, userAsActor } from '../../domain/people/records/userFields.ts'
import { isUseDue, opens, readWithUse, type TokenUse } from '../../domain/people/tokens/serviceToken.ts'
import { type Actor, actorOf, tokenActor, userOf } from '../../domain/request/actor.ts'
import type { Context, Repetition } from '../../domain/request/context.ts'
import type { FirstCall } from '../../domain/request/repetition.ts'
import { readsOf, setIfUnchanged } from '../../domain/table/dynamo.ts'
import { randomShard } from '../../domain/table/keys.ts'
import type { Store } from '../../domain/table/store.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import { inWords } from '../../schemas/scopes.ts'
import type { Event, Validated } from './call.ts'
import { environment, newTable, readPoint, requireLayout } from './environment.ts'
import type { Repeatable } from './repeatable.ts'
import { Unauthenticated, unusableToken } from './respond.ts'
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
export type Started = {
  context: Context
  /** For a call with an Idempotency-Key: the earlier call with the same key, if there was one. */
  first: Promise<FirstCall | undefined> | undefined
}

/**
 * The settings of the organisation. Every call needs them, and one item allows 3,000 reads a second, so they are remembered; but
 * only once they name all predefined roles and groups, as an import may be about to add these.
 */
const rememberedSettings = remembered(readOrganisation, { ms: 5000, isKept: hasAllPredefined })

const MOST_REFUSED = 1000
const REFUSED_MS = 60_000
/** The actors that this instance has refused, and when, in milliseconds. Their next call reads the actor before anything else. */
const refusals = boundedMap<string, number>(MOST_REFUSED)
const wasRefusedLately = (actorId: string): boolean =>
  environment.remembers && Math.abs(environment.now().getTime() - (refusals.get(actorId) ?? 0)) < REFUSED_MS

/** Service tokens that this instance has accepted. */
const acceptedTokens = boundedMap<string, true>(MOST_REFUSED)
/** The key in `refusals` for the last refusal of any service token. */
const ANY_TOKEN = tokenActor('')
/**
 * Whether a refusal is likely. Anyone can make up ids of service tokens. So for a minute after one was refused, tokens that were
 * not accepted before are read before anything else: a guess costs one read.
 */
const refusalIsLikely = (actorId: string): boolean =>
  wasRefusedLately(actorId) || (userOf(actorId) === null && !acceptedTokens.get(actorId) && wasRefusedLately(ANY_TOKEN))

/**
 * Begins to check the caller, and makes the context of the operation, which runs in parallel. Until the check has passed, only
 * reads of the first wave are sent (see `guarded`), and there is no answer (see `ifPermitted`).
 */
export function authorize(
  { call, actorId, secretHash, request, getRemainingTimeInMillis }: Validated,
  { contract, event, signal, seals: sealsOf = noSeals, writes: writing, repeats }: AuthorizeInput,
): Started {
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
  const seals = lazily(() => sealsOf(store, table, environment.now()))
  const { ifMatch, idempotencyKey: key } = 'input' in request ? request.headers : {}

  const begin = (repetition: Repetition | undefined): Started => {
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
      clock: () => environment.now(),
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

type Checked = Pick<Context, 'actorId' | 'store' | 'now' | 'organisation' | 'organisationNow'> & {
  secretHash: string | undefined
}

/** The one place where permission is decided: by the actor's record as it is now, never by the token. */
async function permittedActor(contract: CompiledContract, checked: Checked): Promise<Actor> {
  const { actorId, store, organisation, organisationNow } = checked
  const [actor, settings] = await Promise.all([readActor(checked), organisation(), requireLayout(store)])
  if (!actor) throw refusing(actorId, userOf(actorId) === null ? unusableToken() : refuse('ACTOR_NOT_ACTIVE'))
  if (!mayCall(actor, contract))
    throw refusing(actorId, refuse('PERMISSION_MISSING', undefined, missingScopes(actor, contract)))
  refusals.delete(actorId)
  const { feature } = contract
  const isOff = ({ features }: Organisation) => feature !== undefined && features[feature.name] === false
  if (feature && isOff(settings) && isOff(await organisationNow())) throw refuse(feature.off)
  return actor
}

/** The actor by their record; undefined for a user who is not active, or a token whose secret is wrong or expired. */
async function readActor(checked: Checked): Promise<Actor | undefined> {
  const { store, actorId, now, secretHash } = checked
  if (secretHash !== undefined) return readTokenActor(checked, secretHash)
  return userAsActor(await readUserFields(store, actorId, now))
}

async function readTokenActor({ store, actorId, now }: Checked, secretHash: string): Promise<Actor | undefined> {
  const { token, use } = await readWithUse(store, actorOf(actorId).id)
  if (!token || !opens(token, secretHash, now)) return undefined
  acceptedTokens.set(actorId, true)
  if (use) noteUse(use, now)
  return { kind: 'SERVICE_TOKEN', scopes: token.scopes }
}

/**
 * Notes the use of a token in parallel with the call, which neither waits for it nor fails with it: so without the signal of the
 * call. If it fails, the next call notes the use.
 */
function noteUse(use: TokenUse, now: string): void {
  if (!isUseDue(use, now)) return
  setIfUnchanged(newTable(), use, 'at', use.at, now).catch((error: unknown) =>
    environment.log({ level: 'warn', lost: 'last_used_at', ...traceOf(error) }),
  )
}

/** Whether an endpoint is open to an actor: to a user by the role, to a service token by its scopes. */
const mayCall = (actor: Actor, { access, scopes }: CompiledContract): boolean =>
  actor.kind === 'USER'
    ? access === 'user' || actor.role === 'ADMIN'
    : scopes.some((one) => [one].flat().every((scope) => actor.scopes.includes(scope)))

/** The detail of a refused service token: the scopes that would allow the call. */
function missingScopes({ kind }: Actor, { scopes }: CompiledContract): string | undefined {
  if (kind === 'USER') return undefined
  return scopes.length === 0
    ? 'Service tokens cannot do this'
    : `The service token has no scope for this: it needs ${inWords(scopes)}`
}

/** Remembers that an actor is refused. Returns the refusal. */
function refusing(actorId: string, refusal: Error): Error {
  const now = environment.now().getTime()
  refusals.set(actorId, now)
  if (refusal instanceof Unauthenticated) refusals.set(ANY_TOKEN, now)
  return refusal
}

/** Runs once and remembers the outcome; after a failure it runs again. */
function lazilyAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
