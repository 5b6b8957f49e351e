import { refuse } from '../../domain/base/errors.ts'
import type { Identified, Middleware } from './call.ts'
import { Unauthenticated } from './respond.ts'
import { identity, KeysUnavailable } from './tokens.ts'

const bearer = /^Bearer +([\w.~+/-]+=*) *$/i

/** Finds the user that the bearer token names. What the user may do is decided by `authorize`, not by the token. */
export const authenticate = (): Middleware<Identified> => ({
  before: async ({ event, context }) => {
    context.actorId = await actorIdOf(event.headers?.authorization)
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
  if (!canBeUser(actorId)) throw refuse('ACTOR_NOT_ACTIVE')
  return actorId
}

const LONGEST_ID = 64
/** Whether a user can have this id. The database fails on keys that are too long or have half a character. */
const canBeUser = (id: string): boolean => id.length <= LONGEST_ID && id.isWellFormed()

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
