// npm run pictures: makes the pictures of docs/console.md, one for each line of screens.ts that has a text for it.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launch } from '../harness/browser.ts'
import { screens } from './screens.ts'
import { startConsole } from './service.ts'
import { visit } from './visit.ts'

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
mkdirSync(folder, { recursive: true })

const [service, browser] = await Promise.all([startConsole(), launch()])
try {
  for (const as of ['admin', 'user'] as const) {
    const { page, go, close } = await visit(browser, service, as)
    await page.setViewportSize({ width: 1200, height: 800 })
    for (const screen of screens.filter((one) => one.as === as && one.picture)) {
      await go(screen.path)
      // Without a frame around the title, as for those who point.
      await page.mouse.click(1, 1)
      await screen.prepare?.(page)
      // What was said about the screen before, and names that are still being read.
      await page.locator('.announcement').waitFor({ state: 'hidden' })
      await page.waitForTimeout(700)
      await page.screenshot({ path: `${folder}${screen.name}.png` })
      await page.keyboard.press('Escape')
      console.log(`docs/pictures/${screen.name}.png`)
    }
    await close()
  }
} finally {
  await browser.close()
  await service.stop()
}
