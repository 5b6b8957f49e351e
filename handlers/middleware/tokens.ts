import { CognitoJwtVerifier, JwtVerifier } from 'aws-jwt-verify'
import { isJwks, type PenaltyBox, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { NotConfigured } from './notConfigured.ts'

/** Verifies a token and answers its claims; throws KeysUnavailable, or anything else for a bad token. */
export type TokenVerifier = (token: string) => Promise<Record<string, unknown>>

/** The issuer's keys are not to be had: that says nothing about the token. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable'
}

const cognitoIssuer = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/([\w-]+)$/
const FETCH_TIMEOUT_MS = 3000

/**
 * A verifier for TOKEN_ISSUER and TOKEN_AUDIENCE: a Cognito pool's access tokens name the client, every other OIDC
 * issuer's the audience. Keys come from TOKEN_JWKS_URI or from where the issuer's discovery document says.
 */
export function tokenVerifier(env: NodeJS.ProcessEnv): TokenVerifier {
  const issuer = env.TOKEN_ISSUER ?? ''
  const audience = env.TOKEN_AUDIENCE ?? ''
  // An empty issuer or audience would let any token pass, so it lets none pass.
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
 * Lets forged tokens, each naming a key that nobody knows, make us fetch the issuer's keys once a second and no more. A
 * key that was looked for in that second is unknown; about any other nothing is known yet, as keys rotate, so its token
 * is not called a bad one.
 */
function lookupsASecondApart(): PenaltyBox {
  let next = 0
  let unknown = new Set<string>()
  return {
    wait: async (_uri, kid) => {
      if (Date.now() >= next) return
      throw unknown.has(kid) ? new Error('There is no such key') : new KeysUnavailable('Keys were fetched just now')
    },
    registerFailedAttempt: (_uri, kid) => {
      // Those who asked while keys were on their way all learn what has come.
      if (Date.now() >= next) unknown = new Set()
      unknown.add(kid)
      next = Date.now() + BETWEEN_LOOKUPS_MS
    },
    registerSuccessfulAttempt: () => {},
  }
}

const MOST_REMEMBERED = 500

/**
 * Remembers the tokens found good until they expire: to verify a signature takes longer than all else that a request
 * makes the processor do. What a token is good for is asked of the actor's record each time, so nobody gains by it.
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

/** Fetches keys where discovery says they are, asked for anew each time, as issuers move and rotate them. */
function keyFetcher(issuer: string, jwksUri: string | undefined) {
  return async (): Promise<ArrayBuffer> => {
    try {
      const bytes = await fetchBytes(jwksUri || (await discoveredUri(issuer)))
      // A maintenance page says as little about a token as no answer does.
      if (!isJwks(JSON.parse(new TextDecoder().decode(bytes)))) throw new Error('The issuer answered no keys')
      return bytes
    } catch (cause) {
      throw new KeysUnavailable('The token keys are not to be had', { cause })
    }
  }
}

async function discoveredUri(issuer: string): Promise<string> {
  const bytes = await fetchBytes(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { jwks_uri } = JSON.parse(new TextDecoder().decode(bytes)) as { jwks_uri?: unknown }
  if (typeof jwks_uri !== 'string') throw new Error('The discovery document names no jwks_uri')
  return jwks_uri
}

async function fetchBytes(uri: string): Promise<ArrayBuffer> {
  const { protocol, hostname } = new URL(uri)
  if (protocol !== 'https:' && hostname !== 'localhost' && hostname !== '127.0.0.1')
    throw new Error('Keys are fetched over https only')
  const answer = await fetch(uri, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`The issuer answered ${answer.status}`)
  return answer.arrayBuffer()
}
