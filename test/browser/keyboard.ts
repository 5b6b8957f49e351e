// What somebody does without a mouse.
import { setTimeout } from 'node:timers/promises'
import type { FileChooser, Locator, Page } from 'playwright-core'
import { stopsUntil } from './keys.ts'
import { settled } from './visit.ts'

/** As often as Tab is pressed to reach something, at most: no screen of the demo has so many stops. */
const atMost = 200

/** Presses Tab until something has the focus. Throws if it cannot be reached. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor()
  const isBack = key === 'Shift+Tab'
  for (let pressed = 0; pressed < atMost; ) {
    const times = await stopsUntil(target, isBack)
    if (times === 0) return
    pressed += times
    // Held down for the stops on the way, which is faster than to look after each.
    if (isBack) await page.keyboard.down('Shift')
    await Promise.all(Array.from({ length: times }, () => page.keyboard.down('Tab')))
    await page.keyboard.up('Tab')
    if (isBack) await page.keyboard.up('Shift')
  }
  throw new Error(`${target} cannot be reached by ${key}`)
}

/** Goes to something by Tab and presses a key there. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** The button of that name, in the page or a part of it. */
export const button = (page: Page | Locator, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true })

/** Replaces what a field has. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, page.getByRole('textbox', { name }).first())
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

/** Chooses from a list of a few, by its first letters. */
export async function pick(page: Page, name: string, text: string): Promise<void> {
  const field = page.getByRole('combobox', { name, exact: true })
  const chosen = () => field.evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]?.text ?? '')
  await tabTo(page, field)
  // On a busy machine a letter may come so late that it begins another search: then once more.
  for (let n = 0; n < 5; n++) {
    await page.keyboard.type(text)
    if ((await chosen()).startsWith(text)) return
    await page.keyboard.press('Escape')
    await setTimeout(SEARCH_ENDS_MS)
  }
  throw new Error(`${name} has no ${text}: it has ${await chosen()}`)
}

/** After so long without a letter, a list begins another search. */
const SEARCH_ENDS_MS = 1_100

/** Chooses from suggestions by typing. */
export async function choose(page: Page, name: string, text: string): Promise<void> {
  const field = page.getByRole('combobox', { name })
  await tabTo(page, field)
  await page.keyboard.type(text)
  // Enter does not choose from the suggestions for an earlier text.
  await field.and(page.locator('[aria-busy=false]')).waitFor()
  await page.locator('[role=option]').first().filter({ hasText: text }).waitFor()
  await page.keyboard.press('Enter')
}

/** Opens the chooser of a file field, and chooses there. */
export async function giveFile(
  page: Page,
  field: Locator,
  file: Parameters<FileChooser['setFiles']>[0],
): Promise<void> {
  const opening = page.waitForEvent('filechooser')
  await press(page, field)
  await (await opening).setFiles(file)
}

/** Goes to a screen by the navigation, which comes before what the page shows. */
export async function goTo(page: Page, screen: string): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen, exact: true })
  await tabTo(page, link, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await link.and(page.locator('[aria-current=page]')).waitFor()
  await settled(page)
}

/** Finds something by the search of a screen, and goes there. */
export async function find(page: Page, screen: string, name: string): Promise<void> {
  await goTo(page, screen)
  await tabTo(page, page.getByRole('searchbox'))
  await page.keyboard.type(name)
  // The list as it was before may have it, too, and goes a moment later.
  await page.waitForURL((url) => url.searchParams.get('search') === name)
  await settled(page)
  await press(page, page.getByRole('link', { name, exact: true }))
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  await settled(page)
}
