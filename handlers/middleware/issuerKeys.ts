import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { json } from 'node:stream/consumers'
import { isJwks, type Jwks } from 'aws-jwt-verify/jwk'
import { AppError, type FailedRequest } from '../../domain/base/errors.ts'
import { retry } from '../../domain/base/retry.ts'

// How the keys of the token issuer are fetched.

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
const EARLY_KEYS_MS = 60_000

/** `at`: when they were asked for, in milliseconds by the wall clock. */
export type FetchedKeys = { keys: Jwks; at: number }

/**
 * Fetches keys from `jwksUri`, or from the URI in the issuer's discovery document, which is read each time, as issuers move their
 * keys. After a failure the issuer is not asked again for a second. `fetch` throws KeysUnavailable. `begin` fetches ahead; if it
 * fails, `fetch` tries again.
 */
export function keyFetcher(issuer: string, jwksUri: string | undefined) {
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
