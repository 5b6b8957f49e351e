// A person in front of the console. Everything that a visit sends, says and keeps is recorded: see `faults`.
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { recordAnnouncements } from './announcements.ts'
import { lookAtFocus, watchKeys } from './keys.ts'
import type { Service } from './service.ts'

export type Look = { language: 'en-GB' | 'de-DE'; scheme: 'light' | 'dark'; width: 320 | 1440 }
export type Visit = {
  page: Page
  context: BrowserContext
  /**
   * What must not be, since the last call: a call that the contract does not have, a report of the page's policy, a fault of a script, a
   * token where somebody could find it, a focus that is lost or does not show.
   */
  faults: () => Promise<string[]>
  /** The calls that were refused with 401, 403 or 404, since the last call. */
  refused: () => string[]
  /** What was done without a key, since the last call. Signing in at the start does not count. */
  pointed: () => string[]
  /** Goes to a screen without loading the page again, which would sign out. */
  go: (path: string) => Promise<void>
  close: () => Promise<void>
}

const height = 900
/** Ends what hangs, and says where. On a machine with ten times as much to do as it can, the longest wait takes 20 seconds. */
const PATIENT_MS = 60_000

/** Opens the console and signs in as somebody whom the issuer's page offers, or by their username. */
export async function visit(
  browser: Browser,
  service: Pick<Service, 'baseUrl' | 'issuer'>,
  as: string | null,
  look: Partial<Look> = {},
): Promise<Visit> {
  const { language = 'en-GB', scheme = 'light', width = 1440 } = look
  const context = await browser.newContext({ locale: language, colorScheme: scheme, viewport: { width, height } })
  context.setDefaultTimeout(PATIENT_MS)
  const seen: string[] = []
  const tokens: Promise<string[]>[] = []
  /** Addresses, and what the page has logged. */
  const told: string[] = []
  const pointed: string[] = []
  const refused: string[] = []
  await watchKeys(
    context,
    (text) => pointed.push(text),
    (text) => seen.push(text),
  )
  await context.exposeFunction('reportViolation', (text: string) => seen.push(text))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      ;(window as unknown as { reportViolation: (text: string) => void }).reportViolation(
        `policy: ${violatedDirective} ${blockedURI}`,
      )
    })
  })
  await recordAnnouncements(context)
  context.on('request', (request) => {
    told.push(request.url())
    const fault = callFault(request.method(), request.url(), service)
    if (fault) seen.push(fault)
  })
  context.on('response', (response) => {
    const { origin, pathname } = new URL(response.url())
    if (origin === service.baseUrl && [401, 403, 404].includes(response.status()))
      refused.push(`${response.status()} ${pathname}`)
    if (response.url() === `${service.issuer}/token`) tokens.push(tokensIn(response))
  })
  context.on('weberror', (error) => seen.push(`script: ${error.error().stack}`))
  context.on('console', (message) => {
    told.push(message.text())
    // The browser itself notes each answer that is a refusal; journeys have some.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) seen.push(`logged: ${message.text()}`)
  })
  const page = await context.newPage()
  // Whether to leave a form with text that is not saved.
  page.on('dialog', (dialog) => dialog.accept())
  const faults = async () => {
    await lookAtFocus(page)
    const places = { ...(await keptBy(page)), 'addresses and the log': told.splice(0).join('\n') }
    const secrets = (await Promise.all(tokens)).flat()
    const leaks = Object.entries(places).filter(([, text]) => secrets.some((token) => text.includes(token)))
    return [...seen.splice(0), ...leaks.map(([place]) => `a token in: ${place}`)]
  }
  await page.goto(`${service.baseUrl}/console`)
  if (as) await signIn(page, as)
  pointed.length = 0
  const go = async (path: string) => {
    await page.evaluate((to) => {
      history.pushState({}, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, `/console${path}`)
    await settled(page)
  }
  return {
    ...{ page, context, go, faults },
    refused: () => refused.splice(0),
    pointed: () => pointed.splice(0),
    close: () => context.close(),
  }
}

/** Signs in from the console's page for that, on the issuer's page. */
export async function signIn(page: Page, username: string): Promise<void> {
  await page.locator('main button.primary').click()
  await choosePerson(page, username)
  await page.locator('#content h1').waitFor()
  await settled(page)
}

/** On the issuer's page: who somebody is. */
export async function choosePerson(page: Page, username: string): Promise<void> {
  await page.locator('#username').fill(username)
  await page.locator('#username').press('Enter')
}

/** Waits until nothing is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#content h1').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy="true"]'))
}

/** The tokens that the issuer has given. */
async function tokensIn(response: Response): Promise<string[]> {
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  return Object.entries(answer).flatMap(([name, value]) => (name.endsWith('_token') ? String(value) : []))
}

/** What a page keeps where others could find it, as text. */
async function keptBy(page: Page) {
  const cookies = await page.context().cookies()
  const kept = await page.evaluate(async () => ({
    storages: JSON.stringify([localStorage, sessionStorage]),
    databases: JSON.stringify(await indexedDB.databases()),
    caches: JSON.stringify(await caches.keys()),
    'the page': `${document.documentElement.outerHTML} ${document.cookie}`,
  }))
  if (kept.databases !== '[]' || kept.caches !== '[]')
    throw new Error('The console has begun to keep data: look for tokens there')
  return { ...kept, cookies: JSON.stringify(cookies) }
}

type Paths = Record<string, Record<string, unknown>>
const { paths } = JSON.parse(readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8')) as {
  paths: Paths
}
const operations = Object.entries(paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  methods: Object.keys(methods),
}))

/** Why the console must not send this; undefined if it may. */
function callFault(
  method: string,
  url: string,
  { baseUrl, issuer }: Pick<Service, 'baseUrl' | 'issuer'>,
): string | undefined {
  const { origin, pathname } = new URL(url)
  if (origin === issuer) return undefined
  if (origin !== baseUrl) return `elsewhere: ${url}`
  if (pathname === '/console' || pathname.startsWith('/console/')) return undefined
  const isOperation = operations.some(
    ({ pattern, methods }) => pattern.test(pathname) && methods.includes(method.toLowerCase()),
  )
  return isOperation ? undefined : `no operation: ${method} ${pathname}`
}
