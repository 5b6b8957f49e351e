// The browser of the tests: that of the package, which needs nothing of the system, on Linux x64; elsewhere an installed one.
import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', process.env['CHROMIUM'] ?? ''].find(existsSync)
const isInstalled = existsSync(new URL('node_modules/.package-lock.json', import.meta.url))
const isForPackage = process.platform === 'linux' && process.arch === 'x64'

/** Whether there is a browser here, and its driver. */
export const hasBrowser = isInstalled && (isForPackage || installed !== undefined)

/** What the title of a test says that needs a browser. */
export const leftOut = hasBrowser
  ? ''
  : `: LEFT OUT, ${isInstalled ? 'set CHROMIUM to a browser' : 'node local/prepare.mjs test/browser installs it'}`

// Those of the package switch off what is tested, such as the same-origin policy.
const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars']

export async function launch(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  const executablePath = installed ?? (await (await import('@sparticuz/chromium')).default.executablePath())
  return chromium.launch({ executablePath, args, headless: true })
}
