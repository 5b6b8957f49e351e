import { refuse, traceOf } from '../../domain/base/errors.ts'
import { boundedMap } from '../../domain/base/memory.ts'
import type { Organisation } from '../../domain/people/records/organisation.ts'
import { readUserFields, userAsActor } from '../../domain/people/records/userFields.ts'
import { isUseDue, opens, readWithUse, type TokenUse } from '../../domain/people/tokens/serviceToken.ts'
import { type Actor, actorOf, tokenActor, userOf } from '../../domain/request/actor.ts'
import type { Context } from '../../domain/request/context.ts'
import { setIfUnchanged } from '../../domain/table/dynamo.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import { inWords } from '../../schemas/scopes.ts'
import { environment, newTable, requireLayout } from './environment.ts'
import { Unauthenticated, unusableToken } from './respond.ts'

// Who may call what: the one place where permission is decided, by the actor's record as it is now, never by the token.

const MOST_REMEMBERED = 1000
const REFUSED_MS = 60_000
/** The actors that this instance has refused, and when, in milliseconds. Their next call reads the actor before anything else. */
const refusals = boundedMap<string, number>(MOST_REMEMBERED)
const wasRefusedLately = (actorId: string): boolean =>
  environment.remembers && Math.abs(environment.clock().getTime() - (refusals.get(actorId) ?? 0)) < REFUSED_MS

/** Service tokens that this instance has accepted. */
const acceptedTokens = boundedMap<string, true>(MOST_REMEMBERED)
/** The key in `refusals` for the last refusal of any service token. */
const ANY_TOKEN = tokenActor('')
/**
 * Whether a refusal is likely. Anyone can make up ids of service tokens. So for a minute after one was refused, tokens that were
 * not accepted before are read before anything else: a guess costs one read.
 */
export const refusalIsLikely = (actorId: string): boolean =>
  wasRefusedLately(actorId) || (userOf(actorId) === null && !acceptedTokens.get(actorId) && wasRefusedLately(ANY_TOKEN))

type Checked = Pick<Context, 'actorId' | 'store' | 'now' | 'organisation' | 'organisationNow'> & {
  secretHash: string | undefined
}

/** The actor, if they may call the endpoint; otherwise the refusal is thrown. */
export async function permittedActor(contract: CompiledContract, checked: Checked): Promise<Actor> {
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
  const now = environment.clock().getTime()
  refusals.set(actorId, now)
  if (refusal instanceof Unauthenticated) refusals.set(ANY_TOKEN, now)
  return refusal
}
