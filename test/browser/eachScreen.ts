import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { screens as consoleScreens } from '../../console/screens.ts'
import { hasBrowser } from '../harness/browser.ts'
import { press } from './keyboard.ts'
import { unreached } from './keys.ts'
import type { Running } from './running.ts'
import { type ScreenLine, screens } from './screens.ts'
import { type Look, settled } from './visit.ts'

/** Two looks that have every language and scheme: each screen is shown in one of them, or with CONSOLE_LOOKS=ALL in all looks. */
const few: Pick<Look, 'language' | 'scheme'>[] = [
  { language: 'en-GB', scheme: 'light' },
  { language: 'de-DE', scheme: 'dark' },
]
const others: typeof few = [
  { language: 'en-GB', scheme: 'dark' },
  { language: 'de-DE', scheme: 'light' },
]
const isAll = process.env['CONSOLE_LOOKS'] === 'ALL'
const looks = [...few, ...others]
const widths: Look['width'][] = [1440, 320]
/** A page of 1,440 by 900 pixels at 200 %. */
const zoomed = { width: 720, height: 450 }

/** Each screen: for people who cannot see, hear or point, without sideways scrolling, by operations of the contract. */
export const screenTests = ({ visitAs, sharedVisit }: Running) => {
  it('every screen of the console has a line here', () => {
    const tested = new Set(screens.map(({ path }) => path.slice(1).split('?')[0]))
    expect(consoleScreens.map(({ path }) => path).filter((path) => !tested.has(path))).toEqual([])
  })

  const check = async (screen: ScreenLine, look: (typeof few)[number], axeWidth?: Look['width']) => {
    const { page, go } = await sharedVisit(screen.as, look)
    const at = `${look.language}, ${look.scheme}`
    await go(screen.path)
    await screen.prepare?.(page)
    expect(await page.title(), at).toMatch(/^\S.* · Rollcall$/)
    expect(await page.locator('h1').count(), at).toBe(1)
    expect(await page.locator('html').getAttribute('lang')).toBe(look.language.slice(0, 2))
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      expect(await widthOver(page), `${at}: wider than ${width} pixels`).toEqual([])
      if ((axeWidth ?? width) === width) expect(await violations(page), `${at}, ${width} pixels`).toEqual([])
    }
    if (screen.isPrinted) expect(await printed(page), at).toEqual({ text: black, ground: white, others: [] })
    await page.setViewportSize(zoomed)
    expect(await widthOver(page), `${at}: wider than the page at 200 %`).toEqual([])
    expect(await clipped(page), `${at}: a dialog that is cut off at 200 %`).toEqual([])
    expect(await unreached(page), `${at}: not reached by Tab`).toEqual([])
    await page.keyboard.press('Escape')
  }

  // At the same time, as each of them waits now and then.
  const looksOf = (nth: number) => (isAll ? looks : few.filter((_, n) => n === nth % few.length))
  // Each look at each width has its turn, unless all are wanted.
  const axeWidthOf = (nth: number) => (isAll ? undefined : widths[Math.floor(nth / few.length) % widths.length])
  const lines = screens.map((screen, nth) => ({ ...screen, looks: looksOf(nth), axeWidth: axeWidthOf(nth) }))
  it.each(lines)('$name', async ({ looks, axeWidth, ...screen }) => {
    await Promise.all(looks.map((look) => check(screen, look, axeWidth)))
  })

  it.each(few)('what is being read anew stays readable: $scheme', async (look) => {
    const { page, context, go } = await sharedVisit('admin', look)
    await go('/people')
    const { promise: looked, resolve: release } = Promise.withResolvers<void>()
    await context.route('**/api/admin/users/v4/users?*', async (route) => {
      await looked
      await route.continue()
    })
    await page.getByRole('searchbox').fill('olivia')
    await page.locator('.table[aria-busy=true]').waitFor()
    expect(await violations(page)).toEqual([])
    release()
    await settled(page)
  })

  it('the title that gets the focus has a frame for those who use keys, and none for those who point', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('')
    // In Safari a click gives a link no focus; browsers then show where a script puts it.
    await page.evaluate(() => document.addEventListener('mousedown', (event) => event.preventDefault(), { once: true }))
    const title = page.getByRole('heading', { level: 1 })
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const frame = () => title.evaluate((one) => [document.activeElement === one, getComputedStyle(one).outlineStyle])
    await link('People').click()
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    expect(await frame()).toEqual([true, 'none'])
    await press(page, link('Groups'))
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()
    expect(await frame()).toEqual([true, 'solid'])
  })

  it('a screen and a dialog get the focus in the moment that they show, so that no key goes elsewhere', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/groups')
    const shown = await page.evaluateHandle(() => {
      const shown: [string, boolean][] = []
      const look = (element: Element) => shown.push([element.tagName, element.matches(':focus-within')])
      new MutationObserver((changes) => {
        for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
          if (node instanceof Element)
            for (const one of [node, ...node.querySelectorAll('*')]) if (one.matches('h1, dialog')) look(one)
      }).observe(document.body, { childList: true, subtree: true })
      return shown
    })
    await press(page, page.getByRole('link', { name: 'Channels', exact: true }))
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    await press(page, page.getByRole('button', { name: 'New channel' }))
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    expect(await shown.jsonValue()).toEqual([
      ['H1', true],
      ['DIALOG', true],
    ])
  })

  it('somebody who is signed out sees the page to sign in', async () => {
    const { page } = await visitAs(null, { width: 320 })
    await page.locator('main h1').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await widthOver(page)).toEqual([])
  })
}

const axe = hasBrowser ? readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8') : ''
type Axe = {
  run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

/** What is wrong for people who cannot see, hear or point, by WCAG 2.2 A and AA. */
export async function violations(page: Page): Promise<string[]> {
  // The page's policy allows no script but its own; the driver is above it. It stays there, as screens change without a new page:
  // half a megabyte, which takes longer to send and to compile than to run.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  return page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await (window as unknown as { axe: Axe }).axe.run({
      runOnly: tags,
      resultTypes: ['violations'],
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  })
}

/** What is wider than the page, so that it must be scrolled sideways. */
export const widthOver = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120))
  })

/** Dialogs of which a part is beyond the edge and cannot be scrolled to. */
const clipped = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('dialog[open]')]
      .filter((dialog) => {
        const { left, top, right, bottom } = dialog.getBoundingClientRect()
        const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
        const isWhole =
          dialog.scrollHeight <= dialog.clientHeight || /auto|scroll/.test(getComputedStyle(dialog).overflowY)
        return !isInside || !isWhole
      })
      .map((dialog) => dialog.outerHTML.slice(0, 120)),
  )

const [black, white] = ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']
/** The colours of a page on paper, and what is of no use there. */
async function printed(page: Page) {
  await page.emulateMedia({ media: 'print' })
  const found = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.body)
    const others = [...document.querySelectorAll('nav, button:not(th button), input, select, .back')]
    const shown = others.filter((element) => element.checkVisibility()).map(({ outerHTML }) => outerHTML)
    return { text: color, ground: backgroundColor, others: shown }
  })
  await page.emulateMedia({ media: null })
  return found
}
