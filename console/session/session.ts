// Signing in with the stage's OIDC issuer, in the browser. Tokens stay in the variables of this file's functions: not in a storage, an
// address or the page. So a reloaded page is signed out, and one click signs in again while the issuer's session lasts.
import { type ConsoleConfig, consolePath } from './config.ts'
import { openIssuer, type Tokens } from './issuer.ts'
import type { Page } from './page.ts'
import { keepPending, takePending } from './pending.ts'
import { SignInError, type SignInReason } from './signInError.ts'
import { inWindow, openWindow, reportToOpener } from './signInWindow.ts'

export { SignInError, type SignInReason } from './signInError.ts'

/** EXPIRED: there is no token any more, and the page stays as it is until the person signs in again or out. */
export type SessionState = 'SIGNED_OUT' | 'SIGNED_IN' | 'EXPIRED'

export type Session = {
  state(): SessionState
  /** Why the last sign-in failed, if it did. */
  problem(): SignInReason | undefined
  /** Calls `listener` after each change of state or problem. Returns the function that ends this. */
  subscribe(listener: () => void): () => void
  /**
   * A token that is good for now. While the session is EXPIRED it waits until the person has signed in again.
   * Throws SignInError: SIGNED_OUT, or ISSUER_UNREACHABLE if the token cannot be renewed for now.
   */
  token(): Promise<string>
  /** The same as the `token` of our client takes it: asked again for a token that the service has refused, it gets another one. */
  tokenSource(): Promise<{ access_token: string; expires_in?: number }>
  /** Leaves the page for the issuer's; afterwards the page shows `returnTo`, a path of the console. For clicks only. Throws SignInError. */
  signIn(returnTo?: string): Promise<void>
  /** Signs the same person in again in a window; the page stays as it is. Call it in the handler of a click. Throws SignInError. */
  signInAgain(): Promise<void>
  /** Forgets the tokens, and leaves the page to end the issuer's session. */
  signOut(): Promise<void>
}

/** Where the issuer sends people back to, below the console's path. */
const CALLBACK = '/callback'

/** Starts the session of this page: finishes the sign-in if the page is the answer to one. It never throws: see `problem`. */
export async function startSession(
  config: ConsoleConfig,
  page: Page = globalThis as unknown as Page,
  base: string = consolePath,
): Promise<Session> {
  const { origin } = page.location
  const callback = `${base}${CALLBACK}`
  const issuer = openIssuer(config, origin + callback, origin + base)
  let state: SessionState = 'SIGNED_OUT'
  let problem: SignInReason | undefined
  let tokens: Tokens | undefined
  /** The token that `tokenSource` gave last. */
  let given: string | undefined
  let renewing: Promise<void> | undefined
  const listeners = new Set<() => void>()

  function become(next: SessionState, also: { tokens?: Tokens; problem?: SignInReason } = {}): void {
    state = next
    tokens = next === 'SIGNED_OUT' ? undefined : (also.tokens ?? tokens)
    problem = also.problem
    for (const listener of [...listeners]) listener()
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Waits until the session is no longer EXPIRED. */
  const untilSignedIn = (): Promise<void> =>
    new Promise((resolve) => {
      const end = subscribe(() => {
        if (state === 'EXPIRED') return
        end()
        resolve()
      })
    })

  async function renewNow(before: Tokens): Promise<void> {
    const after = await issuer.refresh(before).catch((error: SignInError) => error)
    // Signed out or in again meanwhile.
    if (tokens !== before) return
    if (!(after instanceof SignInError)) become('SIGNED_IN', { tokens: after })
    else if (after.reason === 'ISSUER_UNREACHABLE') throw after
    else become('EXPIRED')
  }

  /** Calls at the same time share one renewal. Throws SignInError if the issuer does not answer. */
  function renew(before: Tokens): Promise<void> {
    renewing ??= renewNow(before).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  /** Tokens that are good for now, and whose access token is not the refused one. */
  async function current(refused?: string): Promise<Tokens> {
    if (state === 'EXPIRED') await untilSignedIn()
    if (!tokens) throw new SignInError('SIGNED_OUT')
    const before = tokens
    const isRefused = before.access === refused
    if (!isRefused && Date.now() < before.renewAt) return before
    await renew(before).catch((error) => {
      if (isRefused || Date.now() >= before.goodUntil) throw error
    })
    // TypeScript does not see that the renewal may have changed it.
    if ((state as SessionState) === 'EXPIRED') return current(refused)
    return tokens ?? current()
  }

  async function signIn(returnTo = page.location.pathname + page.location.search): Promise<void> {
    const { address, ...begun } = await issuer.begin()
    keepPending(page.sessionStorage, { ...begun, returnTo: ownPath(returnTo, origin, base) })
    page.location.assign(address)
  }

  async function signInAgain(): Promise<void> {
    const before = tokens
    if (!before) throw new SignInError('SIGNED_OUT')
    // Before anything is waited for: browsers open windows only for clicks.
    const popup = openWindow(page)
    const { address, ...begun } = await issuer.begin(inWindow.prefix)
    const finished = popup.answerTo(address, begun.state).then(async (answer) => {
      const after = await issuer.redeem(answer, begun)
      if (after.person !== before.person) throw new SignInError('OTHER_PERSON')
      if (tokens) become('SIGNED_IN', { tokens: after })
    })
    await Promise.race([finished, popup.untilClosed()])
  }

  async function signOut(): Promise<void> {
    become('SIGNED_OUT')
    // Without its discovery document the issuer's session cannot be ended: the page is signed out all the same.
    const address = await issuer.signOutAddress().catch(() => undefined)
    page.location.assign(address ?? base)
  }

  /** Finishes the sign-in that this page is the answer to. */
  async function finish(answer: URLSearchParams): Promise<void> {
    // The code leaves the address and the history before anything else happens.
    page.history.replaceState(null, '', base)
    if (inWindow.isAnswer(answer) && (await reportToOpener(page, answer))) return
    const pending = takePending(page.sessionStorage)
    if (pending?.state !== answer.get('state')) return become('SIGNED_OUT', { problem: 'UNKNOWN_SIGN_IN' })
    page.history.replaceState(null, '', ownPath(pending.returnTo, origin, base))
    const after = await issuer.redeem(answer, pending).catch((error: SignInError) => error)
    if (after instanceof SignInError) become('SIGNED_OUT', { problem: after.reason })
    else become('SIGNED_IN', { tokens: after })
  }

  if (page.location.pathname === callback) await finish(new URLSearchParams(page.location.search))
  return {
    state: () => state,
    problem: () => problem,
    subscribe,
    token: async () => (await current()).access,
    tokenSource: async () => {
      const { access, goodUntil } = await current(given)
      given = access
      return {
        access_token: access,
        ...(Number.isFinite(goodUntil) ? { expires_in: Math.floor((goodUntil - Date.now()) / 1000) } : {}),
      }
    },
    signIn,
    signInAgain,
    signOut,
  }
}

/** A path of the console, and no other: whatever else it is given becomes the console's first page. */
export function ownPath(wanted: string, origin: string, base: string): string {
  const address = URL.canParse(wanted, origin) ? new URL(wanted, origin) : undefined
  const isOwn = address?.origin === origin && (address.pathname === base || address.pathname.startsWith(`${base}/`))
  if (!address || !isOwn || address.pathname === `${base}${CALLBACK}`) return base
  return address.pathname + address.search + address.hash
}
