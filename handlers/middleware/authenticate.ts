import { refuse } from '../../domain/base/errors.ts'
import { hashOfSecret, partsOfToken, TOKEN_BEGINNING } from '../../domain/people/tokens/serviceToken.ts'
import { LONGEST_USER_ID, tokenActor, userOf } from '../../domain/request/actor.ts'
import type { Identified, Identity, Middleware } from './call.ts'
import { KeysUnavailable } from './issuerKeys.ts'
import { identity } from './issuerTokens.ts'
import { Unauthenticated, unusableToken } from './respond.ts'

/** Exactly one space: other spellings would be other callers for the limit of the edge, which counts by this header. */
const bearer = /^Bearer ([\w.~+/-]+=*)$/i

/**
 * Identifies the caller by the bearer token: a JWT of the issuer, or a service token. `authorize` decides what the caller may do,
 * and whether the service token exists, which takes a read.
 */
export const authenticate = (): Middleware<Identified> => ({
  before: async ({ event, context }) => {
    Object.assign(context, await identityOf(event.headers?.authorization))
  },
})

async function identityOf(header: string | undefined): Promise<Identity> {
  if (header === undefined || header === '') throw new Unauthenticated()
  const token = bearer.exec(header)?.[1]
  if (token === undefined) throw new Unauthenticated('The authorization header holds no bearer token')
  return token.startsWith(TOKEN_BEGINNING) ? identityOfService(token) : { actorId: await userIn(token) }
}

function identityOfService(token: string): Identity {
  const parts = partsOfToken(token)
  if (!parts) throw unusableToken()
  return { actorId: tokenActor(parts.id), secretHash: hashOfSecret(parts.secret) }
}

/** The id of the user in a JWT. */
async function userIn(token: string): Promise<string> {
  const claims = await verified(token)
  // The verifier accepts tokens without an expiry.
  if (typeof claims.exp !== 'number') throw new Unauthenticated('The token never expires')
  const actorId = claims[process.env.TOKEN_USER_CLAIM || 'sub']
  if (typeof actorId !== 'string' || actorId === '') throw new Unauthenticated('The token names no user')
  if (!canBeUser(actorId)) throw refuse('ACTOR_NOT_ACTIVE')
  return actorId
}

/**
 * Whether a user can have this id. The database fails on keys that are too long or contain half a surrogate pair. And a JWT must
 * not name a service token.
 */
const canBeUser = (id: string): boolean => id.length <= LONGEST_USER_ID && id.isWellFormed() && userOf(id) === id

async function verified(token: string): Promise<Record<string, unknown>> {
  // Outside of try: missing configuration is our fault, not the token's.
  const verify = identity.verifier()
  try {
    return await verify(token)
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error
    throw unusableToken()
  }
}
