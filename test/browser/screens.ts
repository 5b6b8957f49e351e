// THE SCREENS, as tests and pictures visit them: one line each. A screen of console/screens.ts without a line fails a test.
import type { Page } from 'playwright-core'
import { settled } from './visit.ts'

export type ScreenLine = {
  /** The name of the test, and of the picture. */
  name: string
  /** Whose screen it is: a username of the demo. */
  as: 'admin' | 'user'
  /** The address below /console. */
  path: string
  /** Brings the screen into the state that is meant: opens a dialog, a menu. */
  prepare?: (page: Page) => Promise<void>
  /** What the picture in docs/console.md shows; screens without it have none. */
  picture?: string
}

export const screens: readonly ScreenLine[] = [
  { name: 'home', as: 'admin', path: '', picture: 'What waits for an administrator' },
  { name: 'home-of-a-user', as: 'user', path: '', picture: 'What waits for a user' },
  { name: 'people', as: 'admin', path: '/people', picture: 'People' },
  {
    name: 'people-filters',
    as: 'admin',
    path: '/people?status=LOCKED',
    prepare: (page) => page.locator('.menu summary').first().click(),
  },
  { name: 'people-nobody', as: 'admin', path: '/people?search=zzzz' },
  { name: 'people-selected', as: 'admin', path: '/people?search=smith', prepare: select, picture: 'Planning a change' },
  { name: 'directory', as: 'user', path: '/people', picture: 'People, as every user finds them' },
  { name: 'person', as: 'admin', path: '/person?id=user-001', picture: 'A person' },
  { name: 'person-edit', as: 'admin', path: '/person?id=user-001', prepare: edit },
  {
    name: 'person-lock',
    as: 'admin',
    path: '/person?id=user-001',
    prepare: (page) => page.locator('.stack button').first().click(),
  },
  {
    name: 'person-leaving',
    as: 'admin',
    path: '/person?id=demo-leaving',
    picture: 'A deletion that can be taken back',
  },
  { name: 'colleague', as: 'user', path: '/person?id=user-001' },
  { name: 'new-person', as: 'admin', path: '/new-person' },
  { name: 'not-there', as: 'user', path: '/nowhere' },
]

async function select(page: Page) {
  await page.locator('thead input[type=checkbox]').check()
  await page.locator('.selection-bar button.primary').click()
}

async function edit(page: Page) {
  await page.locator('.card-head button').first().click()
  await settled(page)
}
