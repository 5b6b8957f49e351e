import { RollcallError } from './errors.ts'

/** The answer of a token endpoint (RFC 6749, 5.1). `expires_in`: seconds; without it a token serves until it is refused. */
export type Token = { access_token: string; expires_in?: number }
export type TokenSource = () => Token | Promise<Token>

export type ClientCredentials = { tokenEndpoint: string; clientId: string; clientSecret: string; scope?: string }

/** Gets tokens for a program that calls as itself (RFC 6749, 4.4). */
export function clientCredentials({ tokenEndpoint, clientId, clientSecret, scope }: ClientCredentials): TokenSource {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams(scope === undefined ? form : { ...form, scope })
  return async () => {
    const noAnswer = (cause: unknown) => new RollcallError(`${tokenEndpoint} does not answer`, { done: false, cause })
    const signal = AbortSignal.timeout(30_000)
    const answer = await fetch(tokenEndpoint, { method: 'POST', body, signal }).catch(noAnswer)
    if (answer instanceof RollcallError) throw answer
    const { ok, status } = answer
    if (!ok)
      throw new RollcallError(`${tokenEndpoint} answers ${status}: ${await answer.text()}`, { done: false, status })
    return answer.json() as Promise<Token>
  }
}

/** A token is renewed so long before it expires, or in the last tenth of a shorter life. */
const MARGIN_SECONDS = 60

/** Keeps a token for all calls, and renews it shortly before it expires. Calls at the same time share one renewal. */
export function renewing(source: TokenSource) {
  let held: { token: string; renewAt: number } | undefined
  let renewal: Promise<string> | undefined

  async function renew(): Promise<string> {
    const now = Date.now()
    const { access_token, expires_in = Number.POSITIVE_INFINITY } = await source()
    held = { token: access_token, renewAt: now + (expires_in - Math.min(MARGIN_SECONDS, expires_in / 10)) * 1000 }
    return access_token
  }

  async function get(): Promise<string> {
    if (held && Date.now() < held.renewAt) return held.token
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  /** Makes a call, and once more with another token if the service refuses this one. */
  return async <T>(call: (token: string) => Promise<T>): Promise<T> => {
    const token = await get()
    try {
      return await call(token)
    } catch (error) {
      if (!(error instanceof RollcallError && error.error_code === 'UNAUTHENTICATED')) throw error
      if (held?.token === token) held = undefined
      return call(await get())
    }
  }
}
