// What `npm run bench -- CONSOLE` measures, in a browser.
import type { Browser, Page } from 'playwright-core'
import type { ConsoleJob, ConsoleSeen } from '../../local/bench/parts/consoleMessages.ts'
import { serve } from '../../local/bench/processes.ts'
import { launch } from '../harness/browser.ts'
import { choosePerson, settled, visit } from './visit.ts'

const SLOWED_DOWN = 4
/** How often the console is opened, each time with nothing in the browser's memory. */
const OPENED = 5
/** Between two keys: a quick typist. */
const KEY_MS = 80

serve<ConsoleJob, ConsoleSeen>(async ({ baseUrl, issuer, username, terms, pages }, say) => {
  const browser: Browser = await launch()
  const service = { baseUrl, issuer }
  try {
    const opened: ConsoleSeen['opened'] = { signedOut: [], home: [], people: [] }
    for (let n = 0; n < OPENED; n++) {
      say(`opened ${n} of ${OPENED} times`)
      const { page, context, go, close } = await visit(browser, service, null)
      const protocol = await context.newCDPSession(page)
      await protocol.send('Network.setCacheDisabled', { cacheDisabled: true })
      await protocol.send('Emulation.setCPUThrottlingRate', { rate: SLOWED_DOWN })
      await page.reload()
      const toSignIn = page.locator('main button.primary')
      await toSignIn.waitFor()
      opened.signedOut.push(await sinceNavigation(page))
      await toSignIn.click()
      await choosePerson(page, username)
      await page.waitForURL(`${baseUrl}/console**`)
      await settled(page)
      opened.home.push(await sinceNavigation(page))
      const before = performance.now()
      await go('/people')
      opened.people.push(performance.now() - before)
      await close()
    }
    const { page, context, go, close } = await visit(browser, service, username)
    const searches: ConsoleSeen['searches'] = []
    for (const term of terms) {
      say(`search for ${term}`)
      await go('/people')
      searches.push({ term, ...(await search(page, term)) })
    }
    await go('/people')
    const protocol = await context.newCDPSession(page)
    const memory: ConsoleSeen['memory'] = []
    const looks = new Set([Math.ceil(pages / 100), Math.ceil(pages / 10), Math.ceil(pages / 2), pages])
    for (let turned = 1; turned <= pages; turned++) {
      const address = page.url()
      await page.locator('.pager button').last().click()
      await page.waitForURL((url) => url.href !== address)
      await settled(page)
      if (turned % 50 === 0) say(`${turned} of ${pages} pages turned`)
      if (!looks.has(turned)) continue
      await protocol.send('HeapProfiler.collectGarbage')
      const { usedSize: bytes } = await protocol.send('Runtime.getHeapUsage')
      const { nodes } = await protocol.send('Memory.getDOMCounters')
      memory.push({ pages: turned, bytes, nodes })
    }
    await close()
    return { opened, searches, memory }
  } finally {
    await browser.close()
  }
})

/** Milliseconds since the navigation to this page. */
const sinceNavigation = (page: Page): Promise<number> => page.evaluate(() => performance.now())

type Watched = { lastKey: number; lastChange: number }

/** Types a term: how long after the last key the results are shown, beside the time of the answer. */
async function search(page: Page, term: string): Promise<{ shownAfter: number; answer: number; calls: number }> {
  const field = page.locator('main input[type=search]').first()
  await field.focus()
  await page.evaluate(() => {
    const watched: Watched = { lastKey: 0, lastChange: 0 }
    Object.assign(window, { watched })
    document.addEventListener('keydown', () => Object.assign(watched, { lastKey: performance.now() }), true)
    const look = () => Object.assign(watched, { lastChange: performance.now() })
    new MutationObserver(look).observe(document.querySelector('main table, main')?.closest('main') as Element, {
      childList: true,
      subtree: true,
      characterData: true,
    })
  })
  await field.pressSequentially(term, { delay: KEY_MS })
  /** The calls of the page since the first key. */
  const calls = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('search_term='))
        .map((entry) => ({ term: new URL(entry.name).searchParams.get('search_term'), ms: entry.duration })),
    )
  while (!(await calls()).some((one) => one.term === term)) await page.waitForTimeout(20)
  await settled(page)
  const { lastKey, lastChange } = await page.evaluate(() => (window as unknown as { watched: Watched }).watched)
  const own = (await calls()).filter((one) => one.term === term)
  const answer = Math.max(...own.map(({ ms }) => ms))
  await page.evaluate(() => performance.clearResourceTimings())
  return { shownAfter: lastChange - lastKey - answer, answer, calls: own.length }
}
