import preferredLanguages from 'negotiator/lib/language.js'
import { refuse } from '../../domain/base/errors.ts'
import { type Organisation, readOrganisation } from '../../domain/organisation/organisation.ts'
import { type Context, noting } from '../../domain/request/context.ts'
import { choiceFor } from '../../domain/request/localization.ts'
import { type FirstCall, Repeated, readFirst, repetitionOf } from '../../domain/request/preconditions.ts'
import { SHARDS } from '../../domain/table/counters.ts'
import type { Store } from '../../domain/table/store.ts'
import { readUser, type UserRecord } from '../../domain/users/user.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Call, CallContext, Middleware } from './call.ts'
import { environment, lazily, newStore, requireLayout } from './environment.ts'
import { Unauthenticated } from './respond.ts'
import type { newSeals } from './seals.ts'
import { identity, KeysUnavailable } from './tokens.ts'

const bearer = /^Bearer +([\w.~+/-]+=*) *$/i

/** Finds the user that the bearer token names. What the user may do is decided by `authorize`, not by the token. */
export const authenticate = (): Middleware => ({
  before: async (request) => {
    const { call } = request.context as CallContext
    call.actorId = await actorIdOf(request.event.headers?.authorization)
  },
})

async function actorIdOf(header: string | undefined): Promise<string> {
  if (header === undefined || header === '') throw new Unauthenticated()
  const token = bearer.exec(header)?.[1]
  if (token === undefined) throw new Unauthenticated('The authorization header holds no bearer token')
  const claims = await verified(token)
  // The verifier accepts tokens without an expiry.
  if (typeof claims.exp !== 'number') throw new Unauthenticated('The token never expires')
  const actorId = claims[process.env.TOKEN_USER_CLAIM || 'sub']
  if (typeof actorId !== 'string' || actorId === '') throw new Unauthenticated('The token names no user')
  return actorId
}

async function verified(token: string): Promise<Record<string, unknown>> {
  // Outside of try: missing configuration is our fault, not the token's.
  const verify = identity.verifier()
  try {
    return await verify(token)
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error
    throw new Unauthenticated('The token is malformed, expired, foreign or not verifiable')
  }
}

/**
 * The one place where permission is decided: by the actor's record as it is now, never by the token.
 * The check runs beside the operation's first reads, to save a round trip. No further read, no write and no answer
 * happens before it has passed.
 */
export const authorize = (contract: CompiledContract, sealsOf: typeof newSeals = noSeals): Middleware => ({
  before: (request) => {
    const { call } = request.context as CallContext
    const cause = { actor: call.actorId ?? null, request: call.requestId, operation: contract.name }
    const store = newStore(() => call.signal, call.traffic).by(cause)
    const now = environment.now().toISOString()
    const organisation = once(() => readOrganisation(store))
    const preferred = acceptedLanguages(request.event.headers?.['accept-language'])
    const choice = once(async () => choiceFor(preferred, await organisation()))
    const seals = lazily(() => sealsOf(store, environment.now()))
    const begin = (): Context => {
      const actor = permittedActor(contract, call, { store, now, organisation })
      // The handler and every write await it; until then a rejection must not count as unhandled.
      actor.catch(() => {})
      const repetition = knownBy(call, contract)
      call.first = repetition && readFirst(store, repetition, now)
      const isAllowed = call.first ? Promise.all([actor, unlessRepeated(call.first)]) : actor
      isAllowed.catch(() => {})
      return {
        store: guarded(noting(store, call.effect), isAllowed),
        repetition,
        now,
        clock: () => environment.now(),
        newId: environment.newId,
        actorId: call.actorId ?? '',
        ifMatch: call.ifMatch,
        actor: () => actor,
        again: begin,
        organisation,
        choice,
        noteLanguage: (language) => call.languages.add(language),
        shard: Math.floor(Math.random() * SHARDS),
        timeLeft: () => request.context.getRemainingTimeInMillis(),
        requestId: call.requestId,
        seals,
      }
    }
    call.context = begin()
  },
})

/** Only functions that make cursors may read what these are sealed with. */
const noSeals = (): never => {
  throw new Error('This endpoint has no cursors')
}

/** A repetition goes no further than its first reads. */
async function unlessRepeated(reading: Promise<FirstCall | undefined>): Promise<void> {
  const first = await reading
  if (first) throw new Repeated(first)
}

/** What a call with an Idempotency-Key is known by. */
function knownBy({ actorId = '', idempotencyKey: key, input }: Call, { name: operation }: CompiledContract) {
  if (key === undefined || !input) return undefined
  return repetitionOf({ actorId, operation, key, path: input.path, body: input.body })
}

type Known = { store: Store; now: string; organisation: () => Promise<Organisation> }

/** No user has a longer id. DynamoDB would fail on a key that is too long. */
const LONGEST_ID = 64

async function permittedActor(contract: CompiledContract, call: Call, known: Known): Promise<UserRecord> {
  const { actorId = '' } = call
  const [actor, organisation] = await Promise.all([
    actorId.length > LONGEST_ID ? undefined : readUser(known.store, actorId, known.now),
    known.organisation(),
    requireLayout(known.store),
  ])
  if (actor?.status !== 'ACTIVE') throw refuse('ACTOR_NOT_ACTIVE')
  if (contract.access === 'administrator' && actor.role !== 'ADMIN') throw refuse('PERMISSION_MISSING')
  if (contract.feature && !organisation.features[contract.feature.name]) throw refuse(contract.feature.off)
  return actor
}

/** A store whose first reads run at once. All later reads, and all writes, wait until the actor is permitted. */
function guarded(store: Store, permitted: Promise<unknown>): Store {
  let isFirst = true
  const reading =
    <In, Out>(read: (what: In) => Promise<Out>) =>
    async (what: In): Promise<Out> => {
      if (!isFirst) await permitted
      const answer = await read(what)
      isFirst = false
      return answer
    }
  const writing =
    <In extends unknown[]>(write: (...what: In) => Promise<void>) =>
    async (...what: In): Promise<void> => {
      await permitted
      return write(...what)
    }
  return {
    get: reading(store.get),
    getSoon: reading(store.getSoon),
    query: reading(store.query),
    write: writing(store.write),
    bulk: writing(store.bulk),
  }
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
