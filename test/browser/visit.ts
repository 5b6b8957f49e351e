// A person in front of the console. Everything that a visit sends, and every report of the page's policy, is recorded.
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from './service.ts'

export type Look = { language: 'en-GB' | 'de-DE'; scheme: 'light' | 'dark'; width: 320 | 1440 }
export type Visit = {
  page: Page
  context: BrowserContext
  /** What must not be: calls that are no operation of the contract, reports of the policy, faults of scripts. */
  faults: string[]
  /** Goes to a screen without loading the page anew, which would sign out. */
  go: (path: string) => Promise<void>
  close: () => Promise<void>
}

const height = 900

/** Opens the console and signs in as somebody whom the issuer's page offers, or by their username. */
export async function visit(
  browser: Browser,
  service: Pick<Service, 'baseUrl' | 'issuer'>,
  as: string | null,
  look: Partial<Look> = {},
): Promise<Visit> {
  const { language = 'en-GB', scheme = 'light', width = 1440 } = look
  const context = await browser.newContext({ locale: language, colorScheme: scheme, viewport: { width, height } })
  const faults: string[] = []
  await context.exposeFunction('reportViolation', (text: string) => faults.push(text))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      ;(window as unknown as { reportViolation: (text: string) => void }).reportViolation(
        `policy: ${violatedDirective} ${blockedURI}`,
      )
    })
  })
  context.on('request', (request) => {
    const fault = callFault(request.method(), request.url(), service)
    if (fault) faults.push(fault)
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`script: ${error.stack}`))
  await page.goto(`${service.baseUrl}/console`)
  if (as) await signIn(page, as)
  const go = async (path: string) => {
    await page.evaluate((to) => {
      history.pushState({}, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, `/console${path}`)
    await settled(page)
  }
  return { page, context, faults, go, close: () => context.close() }
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
