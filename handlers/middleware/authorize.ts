import preferredLanguages from 'negotiator/lib/language.js'
import { refuse, traceOf } from '../../domain/base/errors.ts'
import { newestOnly, type Remembered, remembered } from '../../domain/base/memory.ts'
import { hasAllPredefined, type Organisation, readOrganisation } from '../../domain/organisation/organisation.ts'
import { type Actor, actorOf, tokenActor, userOf } from '../../domain/request/actor.ts'
import { type Context, noteWrites, type Repetition } from '../../domain/request/context.ts'
import { choiceFor } from '../../domain/request/localization.ts'
import { type FirstCall, Repeated, readFirst, repetitionOf } from '../../domain/request/preconditions.ts'
import { SHARDS } from '../../domain/table/counters.ts'
import { forCalls } from '../../domain/table/dynamo.ts'
import { happened, type Store } from '../../domain/table/store.ts'
import { noteOfUse, opens, readWithUse, type TokenUse } from '../../domain/tokens/serviceToken.ts'
import { readUser } from '../../domain/users/user.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Event, Validated } from './call.ts'
import { environment, knowListeners, lazily, memoryPoint, newStore, requireLayout } from './environment.ts'
import { guarded } from './guard.ts'
import { Unauthenticated, unusableToken } from './respond.ts'
import type { newSeals } from './seals.ts'

/** What the context of an operation is made of, besides the validated call. */
type Beginning = {
  contract: CompiledContract
  event: Event
  /** Aborted when the call runs out of time. */
  signal: AbortSignal
  /** Makes the seals of cursors; only for endpoints with cursors. */
  seals?: typeof newSeals | undefined
}

/** The last stage of a call: its operation may begin. */
export type Begun = {
  context: Context
  /** For a call with an Idempotency-Key: the earlier call with the same key, if there was one. */
  first: Promise<FirstCall | undefined> | undefined
}

/**
 * The settings of the organisation, which every call needs: one item gives 3,000 reads a second. They are remembered only
 * once they name everything predefined: an import may be about to add it.
 */
const rememberedSettings = remembered(readOrganisation, { ms: 5000, isKept: hasAllPredefined })

const MOST_REFUSED = 1000
const REFUSED_MS = 60_000
/** Actors whom this instance has refused, and when, in milliseconds. Their next call reads the actor before anything else. */
const refusals = newestOnly<string, number>(MOST_REFUSED)
const isRefusedLately = (actorId: string): boolean =>
  environment.remembers && Math.abs(environment.now().getTime() - (refusals.get(actorId) ?? 0)) < REFUSED_MS

/** Service tokens that this instance has found good. */
const acceptedTokens = newestOnly<string, true>(MOST_REFUSED)
/** The key in `refusals` for the last refusal of any service token. */
const ANY_TOKEN = tokenActor('')
/**
 * Whether a refusal is likely. Ids of service tokens can be made up: so after one was refused, tokens that this instance does not
 * know yet are read before anything else, and a guess costs one read.
 */
const isDoubtful = (actorId: string): boolean =>
  isRefusedLately(actorId) || (userOf(actorId) === null && !acceptedTokens.get(actorId) && isRefusedLately(ANY_TOKEN))

/**
 * Begins to check the caller, and makes the context of the operation, which works in parallel. Before the check has passed there
 * are no reads after the first wave and no writes (see `guarded`), and no answer (see `ifPermitted`).
 */
export function authorize(
  { call, actorId, secretHash, request, getRemainingTimeInMillis }: Validated,
  { contract, event, signal, seals: sealsOf = noSeals }: Beginning,
): Begun {
  const cause = { actor: actorId, request: call.requestId, operation: contract.name }
  const store = newStore(() => signal, call.traffic).by(cause)
  const began = memoryPoint()
  const now = began.now.toISOString()
  const recall = <T>(memory: Remembered<Store, T>, source: Store): Promise<T> =>
    environment.remembers ? memory.read(source, began) : memory.readNow(source, began)
  const isFromMemory = environment.remembers && rememberedSettings.isKnown(began)
  const organisation = once(() => recall(rememberedSettings, store))
  const organisationNow = isFromMemory ? once(() => rememberedSettings.readNow(store, began)) : organisation
  const preferred = acceptedLanguages(event.headers?.['accept-language'])
  const choice = once(async () => choiceFor(preferred, await organisation()))
  const seals = lazily(() => sealsOf(store, environment.now()))
  const { ifMatch, idempotencyKey: key } = 'input' in request ? request.headers : {}

  const begin = (repetition: Repetition | undefined): Begun => {
    const actor = permittedActor(contract, { actorId, secretHash, store, now, organisation, organisationNow })
    const first = repetition && readFirst(store, repetition, now)
    const verdict = first ? Promise.all([actor, unlessRepeated(first)]) : actor
    // A write has to know whether a webhook wants events. It is read with the first reads; if that fails, the write reads it.
    if (contract.body || contract.conditional) knowListeners(store).catch(() => {})
    // The operation's end and every write await them; until then a rejection must not count as unhandled.
    actor.catch(() => {})
    verdict.catch(() => {})
    const guardedStore = guarded(noteWrites(store, call.effect), verdict, isDoubtful(actorId))
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
      again: () => begin(undefined).context,
      organisation,
      organisationNow: () => actor.then(organisationNow),
      recall: (memory) => recall(memory, guardedStore),
      choice,
      noteLanguage: (language) => call.languages.add(language),
      noteRulesPending: () => {
        call.areRulesPending = true
      },
      shard: Math.floor(Math.random() * SHARDS),
      timeLeft: () => getRemainingTimeInMillis(),
      requestId: call.requestId,
      seals,
      pageEnds: environment.pageEnds,
    }
    return { context, first }
  }
  if (!('input' in request) || key === undefined) return begin(undefined)
  const { path, body } = request.input
  return begin(repetitionOf({ actorId, operation: contract.name, key, path, body }))
}

/** Only functions that make cursors may read the key that seals them. */
const noSeals = (): never => {
  throw new Error('This endpoint has no cursors')
}

/** A repetition goes no further than its first reads. */
async function unlessRepeated(reading: Promise<FirstCall | undefined>): Promise<void> {
  const first = await reading
  if (first) throw new Repeated(first)
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
    throw refusing(actorId, refuse('PERMISSION_MISSING', undefined, missing(actor, contract)))
  refusals.delete(actorId)
  const { feature } = contract
  const isOff = ({ features }: Organisation) => feature && !features[feature.name]
  if (feature && isOff(settings) && isOff(await organisationNow())) throw refuse(feature.off)
  return actor
}

/** The actor by their record; undefined for one who is not active, or whose secret is wrong. */
const readActor = (checked: Checked): Promise<Actor | undefined> =>
  checked.secretHash === undefined ? readUserActor(checked) : readTokenActor(checked, checked.secretHash)

async function readUserActor({ store, actorId, now }: Checked): Promise<Actor | undefined> {
  const user = await readUser(store, actorId, now)
  return user?.status === 'ACTIVE' ? { kind: 'USER', role: user.role, status: user.status } : undefined
}

async function readTokenActor({ store, actorId, now }: Checked, secretHash: string): Promise<Actor | undefined> {
  const { token, use } = await readWithUse(store, actorOf(actorId).id)
  if (!token || !opens(token, secretHash, now)) return undefined
  acceptedTokens.set(actorId, true)
  if (use) noteUse(use, now)
  return { kind: 'SERVICE_TOKEN', scopes: token.scopes }
}

/**
 * Notes that a token is in use, in parallel with the call: without its signal and with one try, as the call neither waits for
 * it nor fails with it. If it fails, the next call notes the use.
 */
function noteUse(use: TokenUse, now: string): void {
  const note = noteOfUse(use, now)
  if (!note) return
  const noted = happened(newStore(undefined, undefined, { ...forCalls, attempts: 1 }).write([note], 'aside'))
  noted.catch((error: unknown) => environment.log({ level: 'warn', lost: 'last_used_at', ...traceOf(error) }))
}

/** Whether an endpoint is open to an actor: to a user by the role, to a service token by its scopes. */
const mayCall = (actor: Actor, { access, scopes }: CompiledContract): boolean =>
  actor.kind === 'USER'
    ? access === 'user' || actor.role === 'ADMIN'
    : scopes.some((scope) => actor.scopes.includes(scope))

/** What a service token lacks, as the answer says it. */
function missing({ kind }: Actor, { scopes }: CompiledContract): string | undefined {
  if (kind === 'USER') return undefined
  return scopes.length === 0
    ? 'Service tokens cannot do this'
    : `The service token has no scope for this: it needs ${scopes.join(' or ')}`
}

/** Remembers that an actor is refused. */
function refusing(actorId: string, refusal: Error): Error {
  const now = environment.now().getTime()
  refusals.set(actorId, now)
  if (refusal instanceof Unauthenticated) refusals.set(ANY_TOKEN, now)
  return refusal
}

/** Runs once and remembers the outcome; after a failure it runs again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** The language ranges of an Accept-Language header, best first. A wildcard is dropped: it means any language. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  header ? preferredLanguages(header).filter((range) => range !== '*') : []
