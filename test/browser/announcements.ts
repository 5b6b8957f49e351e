// What the live regions of a page say. It may be gone again before a test looks, so the page records all of it.
import type { BrowserContext, Page } from 'playwright-core'

type Recording = { announcements: string[] }

/** Records what the pages of a context say. */
export async function recordAnnouncements(context: BrowserContext): Promise<void> {
  await context.addInitScript(record)
}

/** Waits until something is said, or was since the page was loaded or the visit shared, and returns it. */
export async function heard(page: Page, text: string | RegExp): Promise<string> {
  const pattern = typeof text === 'string' ? RegExp.escape(text) : text.source
  const found = await page.waitForFunction(
    (pattern) => (window as unknown as Recording).announcements.find((one) => new RegExp(pattern).test(one)),
    pattern,
  )
  return (await found.jsonValue()) as string
}

/** Forgets what was said, so that only what is said from now on is heard. */
export const forgetAnnouncements = (page: Page): Promise<void> =>
  page.evaluate(() => {
    ;(window as unknown as Recording).announcements = []
  })

function record(): void {
  const recording: Recording = Object.assign(window, { announcements: [] })
  const last = new WeakMap<Element, string | null>()
  new MutationObserver(() => {
    for (const region of document.querySelectorAll('[role=status]')) {
      const text = region.textContent
      if (text && text !== last.get(region)) recording.announcements.push(text)
      last.set(region, text)
    }
  }).observe(document, { childList: true, subtree: true, characterData: true })
}
