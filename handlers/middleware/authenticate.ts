import { CognitoJwtVerifier, JwtVerifier } from 'aws-jwt-verify'
import { type PenaltyBox, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import type { CallContext, Middleware } from './call.ts'
import { NotConfigured } from './environment.ts'
import { KeysUnavailable, keyFetcher } from './issuerKeys.ts'
import { Unauthenticated } from './respond.ts'

const bearer = /^Bearer +([\w.~+/-]+=*) *$/i

let verifier: TokenVerifier | undefined

/** Verifies tokens of the issuer that we trust; made for the first token. */
export const identity = {
  verifier: (): TokenVerifier => {
    verifier ??= tokenVerifier(process.env)
    return verifier
  },
}

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

/** Verifies a token and returns its claims; throws KeysUnavailable, or any other error for a bad token. */
export type TokenVerifier = (token: string) => Promise<Record<string, unknown>>

const cognitoIssuer = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/([\w-]+)$/

/**
 * A verifier for TOKEN_ISSUER and TOKEN_AUDIENCE. Access tokens of a Cognito pool have the audience in `client_id`,
 * those of other OIDC issuers in `aud`. Keys come from TOKEN_JWKS_URI or from the URI in the issuer's discovery
 * document.
 */
export function tokenVerifier(env: NodeJS.ProcessEnv): TokenVerifier {
  const issuer = env.TOKEN_ISSUER ?? ''
  const audience = env.TOKEN_AUDIENCE ?? ''
  // With an empty issuer or audience any token would pass.
  const missing = ['TOKEN_ISSUER', 'TOKEN_AUDIENCE'].filter((name) => !env[name])
  if (missing.length > 0) throw new NotConfigured(missing)
  const fetcher = { fetch: keyFetcher(issuer, env.TOKEN_JWKS_URI) }
  const jwksCache = new SimpleJwksCache({ fetcher, penaltyBox: lookupsASecondApart() })
  const pool = cognitoIssuer.exec(issuer)?.[1]
  if (pool) {
    const cognito = CognitoJwtVerifier.create(
      { userPoolId: pool, clientId: audience, tokenUse: 'access' },
      { jwksCache },
    )
    return remembering((token) => cognito.verify(token))
  }
  const oidc = JwtVerifier.create({ issuer, audience, jwksUri: `${issuer}#keys` }, { jwksCache })
  return remembering((token) => oidc.verify(token) as Promise<Record<string, unknown>>)
}

const BETWEEN_LOOKUPS_MS = 1000

/**
 * Fetches the issuer's keys once a second at most, however many forged tokens name unknown keys. A key that was missing
 * in the last fetch is unknown, and its token bad. Any other key may be new, as issuers rotate keys: its token has to
 * wait.
 */
function lookupsASecondApart(): PenaltyBox {
  let next = 0
  let unknown = new Set<string>()
  return {
    wait: async (_uri, kid) => {
      if (Date.now() >= next) return
      throw unknown.has(kid) ? new Error('There is no such key') : new KeysUnavailable('FetchedJustNow')
    },
    registerFailedAttempt: (_uri, kid) => {
      // Calls that waited for the same fetch all add their keys.
      if (Date.now() >= next) unknown = new Set()
      unknown.add(kid)
      next = Date.now() + BETWEEN_LOOKUPS_MS
    },
    registerSuccessfulAttempt: () => {},
  }
}

const MOST_REMEMBERED = 500

/**
 * Remembers verified tokens until they expire: verifying a signature takes more processor time than the rest of a
 * request. This gives nobody more rights, as each request reads the actor's record.
 */
export function remembering(verify: TokenVerifier): TokenVerifier {
  const good = new Map<string, Record<string, unknown>>()
  return async (token) => {
    const known = good.get(token)
    if (known && Number(known.exp) * 1000 > Date.now()) return known
    good.delete(token)
    const claims = await verify(token)
    if (typeof claims.exp !== 'number') return claims
    const [oldest] = good.keys()
    if (good.size >= MOST_REMEMBERED && oldest !== undefined) good.delete(oldest)
    good.set(token, claims)
    return claims
  }
}
