import { refuse } from '../../domain/base/errors.ts'
import { type Organisation, readOrganisation } from '../../domain/organisation/organisation.ts'
import type { Context } from '../../domain/request/context.ts'
import { noting } from '../../domain/request/context.ts'
import { choiceFor } from '../../domain/request/localization.ts'
import { SHARDS } from '../../domain/table/counters.ts'
import type { Store } from '../../domain/table/store.ts'
import { readUser, type UserRecord } from '../../domain/users/userRecord.ts'
import type { Contract } from '../../schemas/contract.ts'
import { acceptedLanguages } from './acceptedLanguages.ts'
import type { Call, CallContext, Middleware } from './call.ts'
import { environment, newStore } from './environment.ts'

/**
 * The one place where permission is decided, on the actor's record as it is now, never on his token.
 * The check runs beside the operation's first reads, to save a round trip; nothing more is read, no write starts and no
 * answer leaves before it has passed.
 */
export const authorize = (contract: Contract): Middleware => ({
  before: (request) => {
    const { call } = request.context as CallContext
    const store = newStore(() => call.signal)
    const now = environment.now().toISOString()
    const organisation = once(() => readOrganisation(store))
    const preferred = acceptedLanguages(request.event.headers?.['accept-language'])
    const choice = once(async () => choiceFor(preferred, await organisation()))
    const begin = (): Context => {
      const actor = permittedActor(contract, call, { store, now, organisation })
      // Judged by the handler and by every write; until then nobody else listens.
      actor.catch(() => {})
      return {
        store: guarded(noting(store, call.effect), actor),
        now,
        clock: () => environment.now(),
        newId: environment.newId,
        actorId: call.actorId ?? '',
        actor: () => actor,
        again: begin,
        organisation,
        choice,
        spoke: (language) => call.languages.add(language),
        shard: Math.floor(Math.random() * SHARDS),
        timeLeft: () => request.context.getRemainingTimeInMillis(),
        requestId: call.requestId,
        seals: environment.seals(),
      }
    }
    call.context = begin()
  },
})

type Known = { store: Store; now: string; organisation: () => Promise<Organisation> }

/** No user has a longer id, and the table could not even look for one of any length. */
const LONGEST_ID = 64

async function permittedActor(contract: Contract, call: Call, known: Known): Promise<UserRecord> {
  const { actorId = '' } = call
  const [actor, organisation] = await Promise.all([
    actorId.length > LONGEST_ID ? undefined : readUser(known.store, actorId, known.now),
    known.organisation(),
  ])
  if (actor?.status !== 'ACTIVE') throw refuse('ACTOR_NOT_ACTIVE')
  if (contract.access === 'administrator' && actor.role !== 'ADMIN') throw refuse('PERMISSION_MISSING')
  if (contract.feature && !organisation.features[contract.feature.name]) throw refuse(contract.feature.off)
  return actor
}

/**
 * An operation's first reads run beside the check of its caller. Whatever it does next waits until he is known to be
 * permitted: nobody else can make the table work any further, or change it.
 */
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

/** Makes a thing once; what failed is made anew. */
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
