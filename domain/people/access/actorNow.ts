import type { Scope } from '../../../schemas/scopes.ts'
import { refuse } from '../../base/errors.ts'
import { isPast } from '../../base/text.ts'
import { type Actor, actorOf } from '../../request/actor.ts'
import type { Store } from '../../table/store.ts'
import { readUser } from '../records/user.ts'
import { userAsActor } from '../records/userFields.ts'
import { serviceTokens } from '../tokens/serviceToken.ts'

/**
 * The rights that an administrator or a service token has now, for work that goes on after their call. Throws ACTOR_NOT_ACTIVE or
 * PERMISSION_MISSING if they could not make the call any more: a user who is no active administrator, a token that is gone,
 * expired or lacks one of the scopes. Secrets and JWTs were checked when they called.
 */
export async function requireAdministrator(
  store: Store,
  actorId: string,
  now: string,
  scopes: readonly Scope[],
): Promise<Actor> {
  const { kind, id } = actorOf(actorId)
  if (kind === 'USER') {
    const actor = userAsActor(await readUser(store, id, now))
    if (!actor) throw refuse('ACTOR_NOT_ACTIVE')
    if (actor.role !== 'ADMIN') throw refuse('PERMISSION_MISSING')
    return actor
  }
  const token = await serviceTokens.read(store, id)
  if (!token || isPast(token.expires_at, now)) throw refuse('ACTOR_NOT_ACTIVE', undefined, 'The service token is gone')
  const missing = scopes.find((scope) => !token.scopes.includes(scope))
  if (missing) throw refuse('PERMISSION_MISSING', undefined, `The service token lacks the scope ${missing}`)
  return { kind: 'SERVICE_TOKEN', scopes: token.scopes }
}
