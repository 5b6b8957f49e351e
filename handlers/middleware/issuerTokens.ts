import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { json } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { JwtVerifier } from 'aws-jwt-verify'
import { validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import { KidNotFoundInJwksError } from 'aws-jwt-verify/error'
import { isJwks, type Jwks } from 'aws-jwt-verify/jwk'
import { decomposeUnverifiedJwt, validateJwtFields } from 'aws-jwt-verify/jwt'
import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import { AppError, type FailedRequest, reasonOf } from '../../domain/base/errors.ts'
import { boundedMap, lazily } from '../../domain/base/memory.ts'
import { retry } from '../../domain/base/retry.ts'
import { environment, NotConfigured } from './environment.ts'

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

/** A request that the issuer does not answer is given up after this time, and sent once more. */
const PATIENCE_MS = 1000
const ATTEMPTS = 2
/** An issuer that failed is left alone for this time. */
const REST_MS = 1000

/** The issuer's keys cannot be fetched, so a token cannot be verified. It may be valid: the caller should try again. */
export class KeysUnavailable extends AppError {
  override name = 'KeysUnavailable'
  constructor(cause: string, failedRequest?: Partial<FailedRequest>) {
    const none = { dependency: 'token issuer', request: 'keys', attempts: 0, waited_ms: 0 } as const
    super('SERVICE_UNAVAILABLE', { cause, failedRequest: { ...none, ...failedRequest } })
  }
}

/** A fault of the issuer, as one word for the log: its answer is never quoted. */
class IssuerFault extends Error {
  readonly word: string
  /** Whether the same request may succeed a moment later. */
  readonly mayPass: boolean
  constructor(word: string, mayPass = false) {
    super(word)
    this.word = word
    this.mayPass = mayPass
  }
}

/** Keys that were fetched ahead are used within this time only: later the issuer may have others. */
const EARLY_KEYS_MS = MINUTE_MS

/** `at`: when they were asked for, in milliseconds by the wall clock. */
type FetchedKeys = { keys: Jwks; at: number }

/**
 * Fetches keys from `jwksUri`, or from the URI in the issuer's discovery document, which is read each time, as issuers move their
 * keys. After a failure the issuer is not asked again for a second. `fetch` throws KeysUnavailable. `begin` fetches ahead; if it
 * fails, `fetch` tries again.
 */
function keyFetcher(issuer: string, jwksUri: string | undefined) {
  let failed: { cause: string; at: number } | undefined
  let early: { keys: Promise<Jwks | undefined>; at: number } | undefined
  const earlyKeys = async (): Promise<FetchedKeys | undefined> => {
    const begun = early
    early = undefined
    const keys = begun && Date.now() < begun.at + EARLY_KEYS_MS ? await begun.keys : undefined
    return begun && keys && { keys, at: begun.at }
  }
  const fetchNow = async (): Promise<FetchedKeys> => {
    if (failed && Date.now() < failed.at + REST_MS) throw new KeysUnavailable(failed.cause)
    const asked = newAsked()
    const [since, at] = [performance.now(), Date.now()]
    try {
      const keys = await fetchKeys(issuer, jwksUri, asked)
      failed = undefined
      return { keys, at }
    } catch (error) {
      const cause = wordOf(error)
      failed = { cause, at: Date.now() }
      throw new KeysUnavailable(cause, { ...asked, waited_ms: Math.round(performance.now() - since) })
    }
  }
  return {
    begin: (): void => {
      early = { keys: fetchKeys(issuer, jwksUri, newAsked()).catch(() => undefined), at: Date.now() }
    },
    fetch: async (): Promise<FetchedKeys> => (await earlyKeys()) ?? fetchNow(),
  }
}

/** The requests to the issuer, for the log: the kind of the last one, and their number. */
const newAsked = () => ({ request: 'keys', attempts: 0 })

async function fetchKeys(issuer: string, jwksUri: string | undefined, asked: ReturnType<typeof newAsked>) {
  if (!jwksUri) asked.request = 'discovery'
  const uri = jwksUri || (await discoveredUri(issuer, asked))
  asked.request = 'keys'
  const keys = await fetchJson(uri, asked)
  // It may be a maintenance page.
  if (!isJwks(keys)) throw new IssuerFault('NoKeys')
  return keys
}

async function discoveredUri(issuer: string, asked: { attempts: number }): Promise<string> {
  const document = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, asked)
  const { jwks_uri } = (document ?? {}) as { jwks_uri?: unknown }
  if (typeof jwks_uri !== 'string') throw new IssuerFault('NoKeysUri')
  return jwks_uri
}

type Json = Parameters<typeof isJwks>[0]

function fetchJson(uri: string, asked: { attempts: number }): Promise<Json> {
  const url = urlOf(uri)
  const once = async (): Promise<Json> => {
    asked.attempts++
    const signal = AbortSignal.timeout(PATIENCE_MS)
    return jsonAt(url, signal).catch((error: unknown) => {
      if (error instanceof SyntaxError) throw new IssuerFault('NoJson')
      // An aborted request fails in several ways.
      throw signal.aborted ? signal.reason : error
    })
  }
  const again = (error: unknown) => !(error instanceof IssuerFault) || error.mayPass
  return retry(once, { attempts: ATTEMPTS, again })
}

const MOST_REDIRECTS = 5

async function jsonAt(url: URL, signal: AbortSignal, redirects = 0): Promise<Json> {
  const answer = await answerAt(url, signal)
  const { statusCode: status = 0 } = answer
  const isRedirect = status >= 301 && status <= 308 && answer.headers.location !== undefined
  if (status >= 200 && status < 300) return json(answer) as Promise<Json>
  answer.resume()
  if (isRedirect && redirects < MOST_REDIRECTS)
    return jsonAt(urlOf(new URL(answer.headers.location ?? '', url).href), signal, redirects + 1)
  throw new IssuerFault(`Status${status}`, status >= 500 || status === 429)
}

/** Uses Node's http modules, which the SDK has loaded already: `fetch` would add 30 ms to the start of a function. */
const answerAt = (url: URL, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { get } = url.protocol === 'https:' ? https : http
    get(url, { signal }, resolve).on('error', reject)
  })

/** An address that may be asked. Tokens are only as safe as the keys, so http is only for this machine. */
function urlOf(uri: string): URL {
  if (!URL.canParse(uri)) throw new IssuerFault('NoUri')
  const url = new URL(uri)
  if (url.protocol === 'https:') return url
  if (url.protocol !== 'http:' || !['localhost', '127.0.0.1'].includes(url.hostname)) throw new IssuerFault('NoHttps')
  return url
}

/** The network's code (`ECONNREFUSED`, `ETIMEDOUT`), or the word of a fault. */
function wordOf(error: unknown): string {
  if (error instanceof IssuerFault) return error.word
  const { name, code } = error as Error & { code?: string }
  return name === 'TimeoutError' ? 'ETIMEDOUT' : (code ?? name)
}
