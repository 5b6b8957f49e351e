import type { Context } from '../../domain/context.ts'
import { refuse } from '../../domain/errors.ts'
import { type Organisation, readOrganisation } from '../../domain/organisation/organisation.ts'
import { SHARDS } from '../../domain/store/keys.ts'
import type { Store } from '../../domain/store/store.ts'
import { readUser, type UserRecord } from '../../domain/users/userRecord.ts'
import type { Contract } from '../../schemas/contract.ts'
import { acceptedLanguages } from './acceptedLanguages.ts'
import type { Call, CallContext, Middleware } from './call.ts'
import { environment, newStore } from './environment.ts'

/**
 * The one place where permission is decided, on the actor's record as it is now, never on his token.
 * The check runs beside the operation's first reads, to save a round trip; no write starts and no answer leaves before
 * it has passed.
 */
export const authorize = (contract: Contract): Middleware => ({
  before: (request) => {
    const { call } = request.context as CallContext
    const store = newStore()
    const now = environment.now().toISOString()
    const organisation = once(() => readOrganisation(store))
    const check = async () => permittedActor(contract, call, { store, now, organisation })
    const actor = check()
    call.permitted = actor.then(() => undefined)
    // Judged by the handler and by every write; until then nobody else listens.
    call.permitted.catch(() => {})
    call.context = {
      store: guarded(store, call.permitted),
      now,
      newId: environment.newId,
      actorId: call.actorId ?? '',
      actor: () => actor,
      stillPermitted: async () => void (await check()),
      organisation,
      preferred: acceptedLanguages(request.event.headers?.['accept-language']),
      spoke: (language) => call.languages.add(language),
      shard: Math.floor(Math.random() * SHARDS),
      requestId: call.requestId,
    } satisfies Context
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

/** Whatever an operation is about to write waits until its caller is known to be permitted. */
const guarded = (store: Store, permitted: Promise<void>): Store => ({
  ...store,
  write: async (actions) => {
    await permitted
    return store.write(actions)
  },
  bulk: async (changes) => {
    await permitted
    return store.bulk(changes)
  },
})

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
