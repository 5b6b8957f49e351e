import { RollcallError, rollcallError } from './errors.ts'

/** The answer of a token endpoint (RFC 6749, 5.1). `expires_in`: seconds; without it a token serves until it is refused. */
export type Token = { access_token: string; expires_in?: number }
export type TokenSource = () => Token | Promise<Token>

export type ClientCredentials = { tokenEndpoint: string; clientId: string; clientSecret: string; scope?: string }

/** Gets tokens for a program that calls as itself (RFC 6749, 4.4). */
export function clientCredentials({ tokenEndpoint, clientId, clientSecret, scope }: ClientCredentials): TokenSource {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams(scope === undefined ? form : { ...form, scope })
  return async () => {
    const signal = AbortSignal.timeout(30_000)
    const answer = await fetch(tokenEndpoint, { method: 'POST', body, signal }).catch((cause) => {
      throw new RollcallError(`${tokenEndpoint} does not answer`, { done: false, cause })
    })
    const { ok, status } = answer
    if (ok) return answer.json() as Promise<Token>
    throw new RollcallError(`${tokenEndpoint} answers ${status}: ${await answer.text()}`, { done: false, status })
  }
}

/** A token is renewed so long before it expires, or in the last tenth of a shorter life. */
const MARGIN_SECONDS = 60

/** Keeps a token for all calls, and renews it shortly before it expires. Calls at the same time share one renewal. */
export function renewing(source: TokenSource) {
  let current = Promise.resolve({ token: '', renewAt: 0 })

  async function renew() {
    const now = Date.now()
    const { access_token: token, expires_in = Number.POSITIVE_INFINITY } = await source()
    return { token, renewAt: now + (expires_in - Math.min(MARGIN_SECONDS, expires_in / 10)) * 1000 }
  }

  /** A token that is good for now, and is not the one that the service has refused. */
  async function get(refused?: string): Promise<string> {
    const seen = current
    const held = await seen.catch(() => undefined)
    if (held && held.token !== refused && Date.now() < held.renewAt) return held.token
    // Another call may have begun to renew it meanwhile.
    if (current === seen) current = renew()
    return (await current).token
  }

  /** Makes a call, and once more with another token if the service refuses this one. */
  return async <T>(call: (token: string) => Promise<T>): Promise<T> => {
    const token = await get()
    return call(token).catch(async (error: unknown) => {
      if (rollcallError(error).error_code !== 'UNAUTHENTICATED') throw error
      return call(await get(token))
    })
  }
}
