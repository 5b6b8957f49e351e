import { isDeepStrictEqual } from 'node:util'
import { JwtVerifier } from 'aws-jwt-verify'
import { validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import { KidNotFoundInJwksError } from 'aws-jwt-verify/error'
import type { Jwks } from 'aws-jwt-verify/jwk'
import { decomposeUnverifiedJwt, validateJwtFields } from 'aws-jwt-verify/jwt'
import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import { reasonOf } from '../../domain/base/errors.ts'
import { boundedMap, lazily } from '../../domain/base/memory.ts'
import { environment, NotConfigured } from './environment.ts'
import { type FetchedKeys, KeysUnavailable, keyFetcher } from './issuerKeys.ts'

/** The verifier for tokens of the issuer that we trust. It begins to fetch the issuer's keys when it is made. */
export const identity = { verifier: lazily(() => tokenVerifier(process.env, { fetchesEarly: true })) }

/** Verifies a token and returns its claims; throws KeysUnavailable, or any other error for a bad token. */
export type TokenVerifier = (token: string) => Promise<Record<string, unknown>>

const cognitoIssuer = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/[\w-]+$/

/**
 * A verifier for TOKEN_ISSUER and TOKEN_AUDIENCE, which may be several with spaces between them. Access tokens of a Cognito pool have the audience in `client_id`,
 * those of other OIDC issuers in `aud`. Keys come from TOKEN_JWKS_URI or from the URI in the issuer's discovery
 * document: for the first token that needs one, or at once with `fetchesEarly`. Throws NotConfigured.
 */
export function tokenVerifier(env: NodeJS.ProcessEnv, { fetchesEarly = false } = {}): TokenVerifier {
  const { TOKEN_ISSUER: issuer = '' } = env
  const audience = (env['TOKEN_AUDIENCE'] ?? '').split(' ').filter(Boolean)
  // With an empty issuer or audience any token would pass.
  const missing = ['TOKEN_ISSUER', 'TOKEN_AUDIENCE'].filter((name) => !env[name]?.trim())
  if (missing.length > 0) throw new NotConfigured(missing)
  const isPool = cognitoIssuer.test(issuer)
  const expected = { issuer, audience: isPool ? null : audience }
  const checkClaims = (payload: JwtPayload): void => {
    validateJwtFields(payload, expected)
    if (isPool) validateCognitoJwtFields(payload, { clientId: audience, tokenUse: 'access' })
  }
  const verifierWith = (keys: Jwks): TokenVerifier => {
    const customJwtCheck = ({ payload }: { payload: JwtPayload }) => checkClaims(payload)
    const verifier = JwtVerifier.create({ ...expected, jwksUri: `${issuer}#keys`, customJwtCheck })
    verifier.cacheJwks(keys)
    return async (token) => verifier.verifySync(token)
  }
  const fetcher = keyFetcher(issuer, env.TOKEN_JWKS_URI)
  if (fetchesEarly) fetcher.begin()
  return withFreshKeys(fetcher, verifierWith, checkClaims)
}

const MINUTE_MS = 60_000
/** Keys are fetched again after this time, so that tokens of a withdrawn key are refused. */
const KEYS_MS = 15 * MINUTE_MS
/** While the issuer does not answer, old keys stay valid for this time. */
const WITHOUT_ISSUER_MS = 60 * MINUTE_MS
/** Meanwhile the issuer is asked only once in this time, as a call may wait two seconds for its answer. */
const BETWEEN_RENEWALS_MS = MINUTE_MS
/**
 * After a token with an unknown key, which a fetch has not brought, the next unknown key is looked for only after this time:
 * forged tokens cause no flood. Issuers publish a key before they sign with it.
 */
const BETWEEN_LOOKUPS_MS = 1000

/** The keys of the issuer as they were last fetched, and a verifier that has them. */
type Known = FetchedKeys & { verify: ReturnType<typeof remembering> }

/** Verifies with keys that are fresh enough. When they change, it makes a new verifier: the old one remembers tokens. */
function withFreshKeys(
  fetcher: ReturnType<typeof keyFetcher>,
  verifierWith: (keys: Jwks) => TokenVerifier,
  checkClaims: (payload: JwtPayload) => void,
): TokenVerifier {
  let known: Known | undefined
  let fetching: Promise<Known> | undefined
  let [nextRenewal, nextLookup] = [0, 0]

  const fetchNow = async (): Promise<Known> => {
    const fetched = await fetcher.fetch()
    const isSame = isDeepStrictEqual(known?.keys, fetched.keys)
    known = { ...fetched, verify: known && isSame ? known.verify : remembering(verifierWith(fetched.keys)) }
    return known
  }
  /** Fetches the keys. Calls that need them at the same time wait for the same fetch. */
  const fetchKnown = (): Promise<Known> => {
    fetching ??= fetchNow().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  /** The keys, fetched again if they are too old. Throws KeysUnavailable if the issuer has not answered for too long. */
  const freshKeys = async (): Promise<Known> => {
    const now = Date.now()
    if (!known || now >= known.at + KEYS_MS + WITHOUT_ISSUER_MS) return fetchKnown()
    if (now < known.at + KEYS_MS || now < nextRenewal) return known
    const before = known
    return fetchKnown().catch((error: unknown) => {
      if (!(error instanceof KeysUnavailable)) throw error
      nextRenewal = Date.now() + BETWEEN_RENEWALS_MS
      environment.log({ level: 'warn', kept: 'keys', ...reasonOf(error) })
      return before
    })
  }

  return async (token) => {
    // What anybody can make up costs the issuer no request, and its caller gets a 401 whatever the issuer answers.
    if (!known?.verify.isKnown(token)) checkClaims(decomposeUnverifiedJwt(token).payload)
    const before = known
    const keys = await freshKeys()
    try {
      return await keys.verify(token)
    } catch (error) {
      if (!(error instanceof KidNotFoundInJwksError) || Date.now() < nextLookup) throw error
    }
    const newer = keys === before ? await fetchKnown() : keys
    return newer.verify(token).catch((error: unknown) => {
      nextLookup = Date.now() + BETWEEN_LOOKUPS_MS
      throw error
    })
  }
}

const MOST_REMEMBERED = 500

/**
 * Remembers verified tokens until they expire: verifying a signature takes more processor time than the rest of a
 * request. This gives no user more rights, as each request reads the actor's record.
 */
export function remembering(verify: TokenVerifier): TokenVerifier & { isKnown: (token: string) => boolean } {
  const good = boundedMap<string, Record<string, unknown>>(MOST_REMEMBERED)
  const known = (token: string) => {
    const verified = good.get(token)
    return verified && Number(verified.exp) * 1000 > Date.now() ? verified : undefined
  }
  const remember: TokenVerifier = async (token) => {
    const verified = known(token)
    if (verified) return verified
    const claims = await verify(token)
    if (typeof claims.exp === 'number') good.set(token, claims)
    return claims
  }
  return Object.assign(remember, { isKnown: (token: string) => known(token) !== undefined })
}
