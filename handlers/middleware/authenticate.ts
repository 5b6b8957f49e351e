import { refuse } from '../../domain/base/errors.ts'
import { Unauthenticated } from './answerErrors.ts'
import type { CallContext, Middleware } from './call.ts'
import { KeysUnavailable, type TokenVerifier, tokenVerifier } from './tokens.ts'

const bearer = /^Bearer +([\w.~+/-]+=*) *$/i

let verifier: TokenVerifier | undefined

/** Whom tokens are believed; made on first use, and only where there are tokens. */
export const identity = {
  verifier: (): TokenVerifier => {
    verifier ??= tokenVerifier(process.env)
    return verifier
  },
}

/** Finds out whom the bearer token names. The token says who, never what he may do. */
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
  // The verifier looks at an expiry only where there is one.
  if (typeof claims.exp !== 'number') throw new Unauthenticated('The token never expires')
  const actorId = claims[process.env.TOKEN_USER_CLAIM || 'sub']
  if (typeof actorId !== 'string' || actorId === '') throw new Unauthenticated('The token names no user')
  return actorId
}

async function verified(token: string): Promise<Record<string, unknown>> {
  // Outside: that nobody has told us whom to believe says nothing about the token.
  const verify = identity.verifier()
  try {
    return await verify(token)
  } catch (error) {
    // Keys that cannot be fetched are no reason to call a token bad: the caller should come again, not log in again.
    if (error instanceof KeysUnavailable) throw refuse('SERVICE_UNAVAILABLE')
    throw new Unauthenticated('The token is malformed, expired, foreign or not verifiable')
  }
}
