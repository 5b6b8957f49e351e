import { existsSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

// The browser of all tests: on Linux x64 that of a package, which needs nothing of the system; elsewhere an installed one.

// biome-ignore lint/suspicious/noExplicitAny: the types of playwright-core, which only test/browser has
type Any = any

// Loaded by name from this folder, and without types, as its packages are not installed in every clone.
const packages = new URL('../browser/', import.meta.url)
const load = createRequire(new URL('package.json', packages))
const isInstalled = existsSync(new URL('node_modules/.package-lock.json', packages))
const isForPackage = process.platform === 'linux' && process.arch === 'x64'
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', process.env['CHROMIUM'] ?? ''].find(existsSync)

/** Whether there is a browser here, and its driver. */
export const hasBrowser = isInstalled && (isForPackage || installed !== undefined)

/** What the title of a test says that needs a browser. */
export const leftOut = hasBrowser
  ? ''
  : `: LEFT OUT, ${isInstalled ? 'set CHROMIUM to a browser' : 'node local/prepare.mjs test/browser installs it'}`

/** Where the browser is. That of the package is unpacked first, which two processes must not do at the same time. */
export const browserPath = async (): Promise<string> =>
  installed ?? load('@sparticuz/chromium').default.executablePath()

// Those of the package switch off what is tested, such as the same-origin policy.
const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars']

/** Starts a browser: a `Browser` of playwright-core. */
export const launch = async (further: readonly string[] = []): Promise<Any> =>
  load('playwright-core').chromium.launch({
    executablePath: await browserPath(),
    args: [...args, ...further],
    headless: true,
  })

/** A busy machine may take long for what does not take long: this only ends what hangs. */
const PATIENT_MS = 120_000

/**
 * What `look` sees of a page, a `Page` of playwright-core, in a new browser. `hosts`: names and where they lead instead, such as
 * `app.test 127.0.0.1:8080`.
 */
export async function inPage<T>(
  url: string,
  look: (page: Any) => Promise<T>,
  hosts: readonly string[] = [],
): Promise<T> {
  const browser = await launch(hosts.map((host) => `--host-resolver-rules=MAP ${host}`))
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENT_MS)
    await page.goto(url)
    return await look(page)
  } finally {
    await browser.close()
  }
}

/** What the script of a page leaves in the title as JSON. */
export const titleOf = (url: string, hosts: readonly string[] = []): Promise<unknown> =>
  inPage(
    url,
    async (page) => {
      await page.waitForFunction(`document.title.startsWith('{')`)
      return JSON.parse(await page.title())
    },
    hosts,
  )

/** Serves pages of this machine. */
export async function servePages(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.close().closeAllConnections(),
  }
}
