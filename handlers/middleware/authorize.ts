import preferredLanguages from 'negotiator/lib/language.js'
import { refuse } from '../../domain/base/errors.ts'
import { type Organisation, readOrganisation } from '../../domain/organisation/organisation.ts'
import { type Context, noteWrites, type Repetition } from '../../domain/request/context.ts'
import { choiceFor } from '../../domain/request/localization.ts'
import { type FirstCall, Repeated, readFirst, repetitionOf } from '../../domain/request/preconditions.ts'
import { SHARDS } from '../../domain/table/counters.ts'
import type { Store } from '../../domain/table/store.ts'
import { readUser, type UserRecord } from '../../domain/users/user.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Event, Validated } from './call.ts'
import { environment, lazily, newStore, requireLayout } from './environment.ts'
import { guarded } from './guard.ts'
import type { newSeals } from './seals.ts'

/** What the context of an operation is made from. */
type Admitting = {
  contract: CompiledContract
  event: Event
  /** Aborted when the call runs out of time. */
  signal: AbortSignal
  /** Makes what cursors are sealed with: for endpoints with cursors only. */
  seals?: typeof newSeals | undefined
}

/** The last stage of a call: its operation may begin. */
export type Admitted = {
  context: Context
  /** For a call with an Idempotency-Key: the earlier call with the same key, if there was one. */
  first: Promise<FirstCall | undefined> | undefined
}

/**
 * Begins to check the caller, and makes the context of the operation, which works meanwhile. No write and no read behind
 * the first wave happens before the check has passed (see `guarded`), and no answer leaves (see `ifPermitted`).
 */
export function authorize(
  { call, actorId, request, getRemainingTimeInMillis }: Validated,
  { contract, event, signal, seals: sealsOf = noSeals }: Admitting,
): Admitted {
  const cause = { actor: actorId, request: call.requestId, operation: contract.name }
  const store = newStore(() => signal, call.traffic).by(cause)
  const now = environment.now().toISOString()
  const organisation = once(() => readOrganisation(store))
  const preferred = acceptedLanguages(event.headers?.['accept-language'])
  const choice = once(async () => choiceFor(preferred, await organisation()))
  const seals = lazily(() => sealsOf(store, environment.now()))
  const { ifMatch, idempotencyKey: key } = 'input' in request ? request.headers : {}

  const admit = (repetition: Repetition | undefined): Admitted => {
    const actor = permittedActor(contract, { actorId, store, now, organisation })
    const first = repetition && readFirst(store, repetition, now)
    const verdict = first ? Promise.all([actor, unlessRepeated(first)]) : actor
    // The operation's end and every write await them; until then a rejection must not count as unhandled.
    actor.catch(() => {})
    verdict.catch(() => {})
    const context: Context = {
      store: guarded(noteWrites(store, call.effect), verdict),
      repetition,
      now,
      clock: () => environment.now(),
      newId: environment.newId,
      actorId,
      ifMatch,
      actor: () => actor,
      again: () => admit(undefined).context,
      organisation,
      choice,
      noteLanguage: (language) => call.languages.add(language),
      shard: Math.floor(Math.random() * SHARDS),
      timeLeft: () => getRemainingTimeInMillis(),
      requestId: call.requestId,
      seals,
    }
    return { context, first }
  }
  if (!('input' in request) || key === undefined) return admit(undefined)
  const { path, body } = request.input
  return admit(repetitionOf({ actorId, operation: contract.name, key, path, body }))
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

type Checked = { actorId: string; store: Store; now: string; organisation: () => Promise<Organisation> }

/** The one place where permission is decided: by the actor's record as it is now, never by the token. */
async function permittedActor(
  contract: CompiledContract,
  { actorId, store, now, organisation }: Checked,
): Promise<UserRecord> {
  const [actor, { features }] = await Promise.all([readUser(store, actorId, now), organisation(), requireLayout(store)])
  if (actor?.status !== 'ACTIVE') throw refuse('ACTOR_NOT_ACTIVE')
  if (contract.access === 'administrator' && actor.role !== 'ADMIN') throw refuse('PERMISSION_MISSING')
  if (contract.feature && !features[contract.feature.name]) throw refuse(contract.feature.off)
  return actor
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
