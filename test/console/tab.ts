import type { ConsoleConfig } from '../../console/session/config.ts'
import type { Page } from '../../console/session/page.ts'
import { type Session, startSession } from '../../console/session/session.ts'

/** Where the console of the tests is. */
export const ORIGIN = 'http://localhost:4790'
export const BASE = '/console'
export const consoleClient = {
  id: 'rollcall-console',
  redirectAddresses: [`${ORIGIN}${BASE}/callback`],
  signedOutAddresses: [`${ORIGIN}${BASE}`],
}

/** A tab of a browser that shows the console. */
export type Tab = {
  /** Loads an address of the console, or goes back to it: a new page with a new session. */
  load: (address: string) => Promise<Session>
  /** The address that the tab shows. */
  address: () => string
  /** Every address that the tab has shown or stands in its history. */
  seen: string[]
  stored: Map<string, string>
  /** The windows that its pages have opened, as tabs. */
  windows: Tab[]
  isClosed: () => boolean
  /** Closes it, as a person does. */
  close: () => void
}

/** Opens a tab. `blocksWindows`: as browsers do with windows that no click asks for. */
export function openTab(config: ConsoleConfig, { blocksWindows = false } = {}): Tab {
  let shown = 'about:blank'
  let closed = false
  const stored = new Map<string, string>()
  const seen: string[] = []
  const windows: Tab[] = []
  const go = (address: string): void => {
    shown = new URL(address, ORIGIN).href
    seen.push(shown)
  }
  const close = (): void => {
    closed = true
  }
  const openWindow: Page['open'] = () => {
    if (blocksWindows) return null
    const tab = openTab(config)
    windows.push(tab)
    return {
      opener: {},
      get closed() {
        return tab.isClosed()
      },
      location: { replace: (address) => void tab.seen.push(address) },
    }
  }
  const pageAt = (address: string): Page => {
    const { origin, pathname, search } = new URL(address)
    return {
      location: { origin, pathname, search, assign: go },
      history: { replaceState: (_state, _unused, next) => go(next) },
      sessionStorage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
        removeItem: (key) => void stored.delete(key),
      },
      open: openWindow,
      close,
    }
  }
  const load = (address: string) => {
    shown = new URL(address, ORIGIN).href
    return startSession(config, pageAt(shown), BASE)
  }
  return { load, address: () => shown, seen, stored, windows, isClosed: () => closed, close }
}

/** A person at the issuer's page: keeps its cookie between sign-ins. */
export function personAtIssuer() {
  let cookie = ''
  const ask = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text(), answer }
  }
  return {
    ask,
    /** Opens the page, and answers what the form leads to: the address of the application, or the page again. */
    signIn: async (address: string, username: string) => {
      const page = await ask(address)
      if (page.location) return page
      const [, request = ''] = /name="request" value="([^"]+)"/.exec(page.text) ?? []
      const { origin } = new URL(address)
      const body = new URLSearchParams({ request, username })
      return ask(`${origin}/sign-in`, { method: 'POST', body, headers: { origin } })
    },
  }
}
