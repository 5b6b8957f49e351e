// What somebody does without a mouse.
import type { Locator, Page } from 'playwright-core'

/** Presses Tab until something has the focus. Throws if it cannot be reached. */
export async function tabTo(page: Page, target: Locator, { key = 'Tab', atMost = 120 } = {}): Promise<void> {
  await target.waitFor()
  for (let n = 0; n < atMost; n++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
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
  await tabTo(page, page.getByRole('combobox', { name, exact: true }))
  await page.keyboard.type(text)
}

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
