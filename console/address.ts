// The address holds everything that a screen shows: which one, the record's id, search, filters, page. So links lead to it, and
// "back" works. `/console/people?search=ida` is the screen `people` with the query `search=ida`.
import { useMemo } from 'preact/hooks'
import { useStore } from './data/useStore.ts'
import { consolePath as base } from './session/config.ts'

export type Query = Record<string, string | readonly string[] | null | undefined>

/** The address of a screen, for `href`. Values that are empty are left out; ids of records belong into the query. */
export function linkTo(screen: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? []].flat()) if (one !== '') parameters.append(name, one)
  const text = parameters.toString()
  return `${base}${screen && `/${screen}`}${text && `?${text}`}`
}

const listeners = new Set<() => void>()
const changed = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let isAtRisk: (() => boolean) | undefined
let question = ''
/** Where the page is while it asks whether to leave. */
let here = location.href

/** Asks `text` before the page leaves a screen while `hasUnsaved()`. Returns how to stop asking. */
export function askBeforeLeaving(text: string, hasUnsaved: () => boolean): () => void {
  const asking = hasUnsaved
  isAtRisk = asking
  question = text
  return () => {
    if (isAtRisk === asking) isAtRisk = undefined
  }
}
/** Asks whether to leave, if something would be lost by it. */
export const mayLeave = (): boolean => {
  if (!isAtRisk?.() || window.confirm(question)) return true
  return false
}

export type Going = {
  /** "Back" leads past the present address, as while typing into a search. */
  replace?: boolean
  /** What belongs to this visit of the address and not to the link, such as the pages before. */
  state?: object
}

/** Goes to an address of the console. */
export function go(to: string, { replace = false, state = {} }: Going = {}): void {
  const next = new URL(to, location.href)
  const staysHere = next.pathname === location.pathname && next.searchParams.get('id') === idOf(location.search)
  if (!staysHere && !mayLeave()) return
  if (replace) history.replaceState(state, '', next)
  else history.pushState(state, '', next)
  here = location.href
  hasMoved = true
  changed()
}
let hasMoved = false
/** Whether somebody has gone from one screen to another since the page was loaded. */
export const hasGone = (): boolean => hasMoved
const idOf = (search: string) => new URLSearchParams(search).get('id')

/** Makes links within the console change the address without loading the page anew. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !isOfConsole(link.pathname)) return
    // A part of this page: the browser goes there.
    if (link.hash && link.pathname + link.search === location.pathname + location.search) return
    event.preventDefault()
    go(link.href)
  })
  window.addEventListener('popstate', () => {
    const isSamePage = location.href.split('#')[0] === here.split('#')[0]
    if (!isSamePage && !mayLeave()) return history.pushState({}, '', here)
    here = location.href
    hasMoved = true
    changed()
  })
  window.addEventListener('beforeunload', (event) => {
    if (isAtRisk?.()) event.preventDefault()
  })
}
const isOfConsole = (path: string) => path === base || path.startsWith(`${base}/`)

/** The screen of the address, `''` for the first one, and its query. */
export function useAddress(): { screen: string; query: URLSearchParams } {
  const href = useStore(subscribe, () => location.pathname + location.search)
  return useMemo(() => {
    const { pathname, searchParams } = new URL(href, location.origin)
    return { screen: pathname.slice(base.length).replace(/^\/|\/$/g, ''), query: searchParams }
  }, [href])
}

/** Changes values of the query and keeps the others; null takes one out. */
export function changeQuery(changes: Query, options: Going = {}): void {
  const query: Query = {}
  const present = new URLSearchParams(location.search)
  for (const name of present.keys()) query[name] = present.getAll(name)
  go(linkTo(location.pathname.slice(base.length + 1), { ...query, ...changes }), options)
}

/** The screen that an address leads to. */
export const screenOf = (to: string): string =>
  new URL(to, location.origin).pathname.slice(base.length).replace(/^\/|\/$/g, '')
