import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { arrayBuffer } from 'node:stream/consumers'
import { CognitoJwtVerifier, JwtVerifier } from 'aws-jwt-verify'
import { isJwks, type PenaltyBox, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { decomposeUnverifiedJwt, validateJwtFields } from 'aws-jwt-verify/jwt'
import { AppError, type FailedRequest, reasonOf } from '../../domain/base/errors.ts'
import { retry } from '../../domain/base/flow.ts'
import { newestOnly } from '../../domain/base/memory.ts'
import { environment, lazily, NotConfigured } from './environment.ts'

/** The verifier for tokens of the issuer that we trust. It begins to fetch the issuer's keys when it is made. */
export const identity = { verifier: lazily(() => tokenVerifier(process.env, { fetchesEarly: true })) }

/** Verifies a token and returns its claims; throws KeysUnavailable, or any other error for a bad token. */
export type TokenVerifier = (token: string) => Promise<Record<string, unknown>>

const cognitoIssuer = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/([\w-]+)$/

/**
 * A verifier for TOKEN_ISSUER and TOKEN_AUDIENCE. Access tokens of a Cognito pool have the audience in `client_id`,
 * those of other OIDC issuers in `aud`. Keys come from TOKEN_JWKS_URI or from the URI in the issuer's discovery
 * document: for the first token that needs one, or at once with `fetchesEarly`. Throws NotConfigured.
 */
export function tokenVerifier(env: NodeJS.ProcessEnv, { fetchesEarly = false } = {}): TokenVerifier {
  const issuer = env.TOKEN_ISSUER ?? ''
  const audience = env.TOKEN_AUDIENCE ?? ''
  // With an empty issuer or audience any token would pass.
  const missing = ['TOKEN_ISSUER', 'TOKEN_AUDIENCE'].filter((name) => !env[name])
  if (missing.length > 0) throw new NotConfigured(missing)
  const fetcher = keyFetcher(issuer, env.TOKEN_JWKS_URI)
  if (fetchesEarly) fetcher.begin()
  const keys = new IssuerKeys(fetcher)
  const pool = cognitoIssuer.exec(issuer)?.[1]
  const claimed = claimsFor({ issuer, audience, pool })
  if (pool) {
    const cognito = { userPoolId: pool, clientId: audience, tokenUse: 'access' } as const
    return withKeys(keys, claimed, () => {
      const verifier = CognitoJwtVerifier.create(cognito, { jwksCache: keys })
      return (token) => verifier.verify(token)
    })
  }
  return withKeys(keys, claimed, () => {
    const verifier = JwtVerifier.create({ issuer, audience, jwksUri: `${issuer}#keys` }, { jwksCache: keys })
    return (token) => verifier.verify(token) as Promise<Record<string, unknown>>
  })
}

/**
 * Returns a function that throws if a token does not even claim to be of our issuer, for us, and valid now. It is asked before any key
 * is: so what anybody can make up costs the issuer no request, and its caller gets a 401 whatever the issuer answers.
 */
const claimsFor =
  ({ issuer, audience, pool }: { issuer: string; audience: string; pool: string | undefined }) =>
  (token: string): void => {
    const { payload } = decomposeUnverifiedJwt(token)
    validateJwtFields(payload, { issuer, audience: pool ? null : audience })
    if (pool && payload['client_id'] !== audience) throw new Error('The token is for another client')
  }

/**
 * Verifies with keys that are fresh enough. When they change, it makes a new verifier: the old one remembers tokens and
 * keys.
 */
function withKeys(keys: IssuerKeys, claimed: (token: string) => void, newVerifier: () => TokenVerifier): TokenVerifier {
  let current: { changes: number; verify: ReturnType<typeof remembering> } | undefined
  return async (token) => {
    if (!current?.verify.isKnown(token)) claimed(token)
    await keys.renew()
    if (current?.changes !== keys.changes) current = { changes: keys.changes, verify: remembering(newVerifier()) }
    return current.verify(token)
  }
}

const MINUTE_MS = 60_000
/** Keys are fetched again after this time, so that tokens of a withdrawn key are refused. */
const KEYS_MS = 15 * MINUTE_MS
/** While the issuer does not answer, old keys stay valid for this time. */
const WITHOUT_ISSUER_MS = 60 * MINUTE_MS
/** Meanwhile the issuer is asked only once in this time, as a call may wait two seconds for its answer. */
const BETWEEN_RENEWALS_MS = MINUTE_MS

/** The keys of the issuer, as this instance last fetched them. */
class IssuerKeys extends SimpleJwksCache {
  /** Counts changes of the set of keys. */
  changes = 0
  readonly #keyFetcher: KeyFetcher
  #last: { uri: string; keys: string; fetchedAt: number } | undefined
  #nextRenewal = 0

  constructor(fetcher: KeyFetcher) {
    super({ fetcher, penaltyBox: lookupsASecondApart() })
    this.#keyFetcher = fetcher
  }

  /** Fetches the keys: for the first token, and for a token that names an unknown key. */
  override async getJwks(uri: string) {
    const jwks = await super.getJwks(uri)
    const keys = JSON.stringify(jwks)
    if (this.#last?.keys !== keys) this.changes++
    this.#last = { uri, keys, fetchedAt: this.#keyFetcher.fetchedAt() }
    return jwks
  }

  /** Fetches the keys again if they are too old. Throws KeysUnavailable if the issuer has not answered for too long. */
  async renew(): Promise<void> {
    if (!this.#last) return
    const { uri, fetchedAt } = this.#last
    const now = Date.now()
    if (now < fetchedAt + KEYS_MS) return
    const mayServe = now < fetchedAt + KEYS_MS + WITHOUT_ISSUER_MS
    if (mayServe && now < this.#nextRenewal) return
    try {
      await this.getJwks(uri)
    } catch (error) {
      if (!mayServe || !(error instanceof KeysUnavailable)) throw error
      this.#nextRenewal = Date.now() + BETWEEN_RENEWALS_MS
      environment.log({ level: 'warn', kept: 'keys', ...reasonOf(error) })
    }
  }
}

const BETWEEN_LOOKUPS_MS = 1000

/**
 * Limits fetches of the issuer's keys to one a second, however many forged tokens name unknown keys. A key that was not among those
 * fetched just now is not the issuer's: issuers publish a key before they sign with it.
 */
function lookupsASecondApart(): PenaltyBox {
  let next = 0
  return {
    wait: async () => {
      if (Date.now() < next) throw new Error('There is no such key')
    },
    registerFailedAttempt: () => {
      next = Date.now() + BETWEEN_LOOKUPS_MS
    },
    registerSuccessfulAttempt: () => {},
  }
}

const MOST_REMEMBERED = 500

/**
 * Remembers verified tokens until they expire: verifying a signature takes more processor time than the rest of a
 * request. This gives no user more rights, as each request reads the actor's record.
 */
export function remembering(verify: TokenVerifier): TokenVerifier & { isKnown: (token: string) => boolean } {
  const good = newestOnly<string, Record<string, unknown>>(MOST_REMEMBERED)
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

/**
 * Fetches keys from `jwksUri`, or from the URI in the issuer's discovery document, which is read each time, as issuers move their
 * keys. After a failure the issuer is not asked again for a second. `fetch` throws KeysUnavailable. `begin` fetches ahead; if it
 * fails, `fetch` tries again.
 */
function keyFetcher(issuer: string, jwksUri: string | undefined) {
  let fetchedAt = 0
  let failed: { cause: string; at: number } | undefined
  let early: { keys: Promise<ArrayBuffer | undefined>; at: number } | undefined
  const earlyKeys = async () => {
    const begun = early
    early = undefined
    const keys = begun && Date.now() < begun.at + EARLY_KEYS_MS ? await begun.keys : undefined
    if (begun && keys) fetchedAt = begun.at
    return keys
  }
  return {
    /** When the last result of `fetch` was requested, in milliseconds by the wall clock. */
    fetchedAt: (): number => fetchedAt,
    begin: (): void => {
      early = { keys: fetchKeys(issuer, jwksUri, newAsked()).catch(() => undefined), at: Date.now() }
    },
    fetch: async (): Promise<ArrayBuffer> => {
      const keys = await earlyKeys()
      if (keys) return keys
      if (failed && Date.now() < failed.at + REST_MS) throw new KeysUnavailable(failed.cause)
      const asked = newAsked()
      const [since, at] = [performance.now(), Date.now()]
      try {
        const bytes = await fetchKeys(issuer, jwksUri, asked)
        fetchedAt = at
        failed = undefined
        return bytes
      } catch (error) {
        const cause = wordOf(error)
        failed = { cause, at: Date.now() }
        throw new KeysUnavailable(cause, { ...asked, waited_ms: Math.round(performance.now() - since) })
      }
    },
  }
}

type KeyFetcher = ReturnType<typeof keyFetcher>

/** The requests to the issuer, for the log: the kind of the last one, and their number. */
const newAsked = () => ({ request: 'keys', attempts: 0 })

async function fetchKeys(issuer: string, jwksUri: string | undefined, asked: ReturnType<typeof newAsked>) {
  if (!jwksUri) asked.request = 'discovery'
  const uri = jwksUri || (await discoveredUri(issuer, asked))
  asked.request = 'keys'
  const bytes = await fetchBytes(uri, asked)
  // It may be a maintenance page.
  if (!isJwks(jsonOf(bytes))) throw new IssuerFault('NoKeys')
  return bytes
}

async function discoveredUri(issuer: string, asked: { attempts: number }): Promise<string> {
  const document = jsonOf(await fetchBytes(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, asked))
  const { jwks_uri } = (document ?? {}) as { jwks_uri?: unknown }
  if (typeof jwks_uri !== 'string') throw new IssuerFault('NoKeysUri')
  return jwks_uri
}

function fetchBytes(uri: string, asked: { attempts: number }): Promise<ArrayBuffer> {
  const url = urlOf(uri)
  const once = async (): Promise<ArrayBuffer> => {
    asked.attempts++
    const signal = AbortSignal.timeout(PATIENCE_MS)
    return bytesAt(url, signal).catch((error: unknown) => {
      // An aborted request fails in several ways.
      throw signal.aborted ? signal.reason : error
    })
  }
  const again = (error: unknown) => !(error instanceof IssuerFault) || error.mayPass
  return retry(once, { attempts: ATTEMPTS, again })
}

const MOST_REDIRECTS = 5

async function bytesAt(url: URL, signal: AbortSignal, redirects = 0): Promise<ArrayBuffer> {
  const answer = await answerAt(url, signal)
  const { statusCode: status = 0 } = answer
  const isRedirect = status >= 301 && status <= 308 && answer.headers.location !== undefined
  if (status >= 200 && status < 300) return arrayBuffer(answer)
  answer.resume()
  if (isRedirect && redirects < MOST_REDIRECTS)
    return bytesAt(urlOf(new URL(answer.headers.location ?? '', url).href), signal, redirects + 1)
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

function jsonOf(bytes: ArrayBuffer): Parameters<typeof isJwks>[0] {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw new IssuerFault('NoJson')
  }
}

/** The network's code (`ECONNREFUSED`, `ETIMEDOUT`), or the word of a fault. */
function wordOf(error: unknown): string {
  if (error instanceof IssuerFault) return error.word
  const { name, code } = error as Error & { code?: string }
  return name === 'TimeoutError' ? 'ETIMEDOUT' : (code ?? name)
}
