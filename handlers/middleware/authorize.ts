import preferredLanguages from 'negotiator/lib/language.js'
import { refuse } from '../../domain/base/errors.ts'
import { newestOnly, type Remembered, remembered } from '../../domain/base/memory.ts'
import { hasAllPredefined, type Organisation, readOrganisation } from '../../domain/organisation/organisation.ts'
import { type Context, noteWrites, type Repetition } from '../../domain/request/context.ts'
import { choiceFor } from '../../domain/request/localization.ts'
import { type FirstCall, Repeated, readFirst, repetitionOf } from '../../domain/request/preconditions.ts'
import { SHARDS } from '../../domain/table/counters.ts'
import type { Store } from '../../domain/table/store.ts'
import { readUser, type UserRecord } from '../../domain/users/user.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Event, Validated } from './call.ts'
import { environment, lazily, moment, newStore, requireLayout } from './environment.ts'
import { guarded } from './guard.ts'
import type { newSeals } from './seals.ts'

/** What the context of an operation is made from. */
type Beginning = {
  contract: CompiledContract
  event: Event
  /** Aborted when the call runs out of time. */
  signal: AbortSignal
  /** Makes what cursors are sealed with: for endpoints with cursors only. */
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
/** Actors whom this instance has refused, and when, in milliseconds: their next call reads the actor first. */
const refusals = newestOnly<string, number>(MOST_REFUSED)
const isRefusedLately = (actorId: string): boolean =>
  environment.remembers && Math.abs(environment.now().getTime() - (refusals.get(actorId) ?? 0)) < REFUSED_MS

/**
 * Begins to check the caller, and makes the context of the operation, which works meanwhile. No write and no read behind
 * the first wave happens before the check has passed (see `guarded`), and no answer leaves (see `ifPermitted`).
 */
export function authorize(
  { call, actorId, request, getRemainingTimeInMillis }: Validated,
  { contract, event, signal, seals: sealsOf = noSeals }: Beginning,
): Begun {
  const cause = { actor: actorId, request: call.requestId, operation: contract.name }
  const store = newStore(() => signal, call.traffic).by(cause)
  const began = moment()
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
    const actor = permittedActor(contract, { actorId, store, now, organisation, organisationNow })
    const first = repetition && readFirst(store, repetition, now)
    const verdict = first ? Promise.all([actor, unlessRepeated(first)]) : actor
    // The operation's end and every write await them; until then a rejection must not count as unhandled.
    actor.catch(() => {})
    verdict.catch(() => {})
    const guardedStore = guarded(noteWrites(store, call.effect), verdict, isRefusedLately(actorId))
    const context: Context = {
      store: guardedStore,
      repetition,
      now,
      clock: () => environment.now(),
      newId: environment.newId,
      actorId,
      ifMatch,
      actor: () => actor,
      again: () => begin(undefined).context,
      organisation,
      organisationNow: () => actor.then(organisationNow),
      recall: (memory) => recall(memory, guardedStore),
      choice,
      noteLanguage: (language) => call.languages.add(language),
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

/** Only functions that make cursors may read what these are sealed with. */
const noSeals = (): never => {
  throw new Error('This endpoint has no cursors')
}

/** A repetition goes no further than its first reads. */
async function unlessRepeated(reading: Promise<FirstCall | undefined>): Promise<void> {
  const first = await reading
  if (first) throw new Repeated(first)
}

type Checked = Pick<Context, 'actorId' | 'store' | 'now' | 'organisation' | 'organisationNow'>

/** The one place where permission is decided: by the actor's record as it is now, never by the token. */
async function permittedActor(
  { access, feature }: CompiledContract,
  { actorId, store, now, organisation, organisationNow }: Checked,
): Promise<UserRecord> {
  const [actor, settings] = await Promise.all([readUser(store, actorId, now), organisation(), requireLayout(store)])
  if (actor?.status !== 'ACTIVE') throw refuseActor(actorId, 'ACTOR_NOT_ACTIVE')
  if (access === 'administrator' && actor.role !== 'ADMIN') throw refuseActor(actorId, 'PERMISSION_MISSING')
  refusals.delete(actorId)
  const isOff = ({ features }: Organisation) => feature && !features[feature.name]
  if (feature && isOff(settings) && isOff(await organisationNow())) throw refuse(feature.off)
  return actor
}

function refuseActor(actorId: string, code: 'ACTOR_NOT_ACTIVE' | 'PERMISSION_MISSING'): Error {
  refusals.set(actorId, environment.now().getTime())
  return refuse(code)
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
