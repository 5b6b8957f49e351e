// THE SCREENS, as tests and pictures visit them: one line each. A screen of console/screens.ts without a line fails a test.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { settled } from './visit.ts'

/** A night of the demo's warehouse, with three faults: docs/plans.md. */
export const hrFile = fileURLToPath(new URL('../../local/demo/hr.csv', import.meta.url))

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
  /** People print it. */
  isPrinted?: true
}

export const screens: readonly ScreenLine[] = [
  { name: 'home', as: 'admin', path: '', picture: 'What waits for an administrator' },
  { name: 'home-of-a-user', as: 'user', path: '', picture: 'What waits for a user' },
  { name: 'home-quiet', as: 'admin', path: '/settings', prepare: quiet },
  { name: 'people', as: 'admin', path: '/people', picture: 'People' },
  {
    name: 'people-filters',
    as: 'admin',
    path: '/people?status=LOCKED',
    prepare: (page) => page.locator('.menu summary').first().click(),
  },
  {
    name: 'people-export',
    as: 'admin',
    path: '/people?status=LOCKED',
    prepare: opensDialog('.toolbar-menus > button'),
  },
  { name: 'people-nobody', as: 'admin', path: '/people?search=zzzz' },
  { name: 'people-selected', as: 'admin', path: '/people?search=smith', prepare: select, picture: 'Planning a change' },
  { name: 'directory', as: 'user', path: '/people', picture: 'People, as every user finds them' },
  { name: 'person', as: 'admin', path: '/person?id=user-001', picture: 'A person', isPrinted: true },
  { name: 'person-edit', as: 'admin', path: '/person?id=user-001', prepare: edit },
  // Another person: the form of the screen before may still be open.
  { name: 'person-conflict', as: 'admin', path: '/person?id=user-002', prepare: conflict },
  {
    name: 'person-lock',
    as: 'admin',
    path: '/person?id=user-001',
    prepare: opensDialog('.stack button'),
  },
  {
    name: 'person-leaving',
    as: 'admin',
    path: '/person?id=demo-leaving',
    picture: 'A deletion that can be taken back',
  },
  { name: 'colleague', as: 'user', path: '/person?id=user-001' },
  { name: 'new-person', as: 'admin', path: '/new-person' },
  { name: 'groups', as: 'admin', path: '/groups', picture: 'Groups' },
  { name: 'groups-found', as: 'admin', path: '/groups?search=drivers' },
  { name: 'group', as: 'admin', path: '/group?id=forklift-drivers', picture: 'A group' },
  {
    name: 'group-add',
    as: 'admin',
    path: '/group?id=forklift-drivers',
    prepare: opensDialog('.card-head button'),
  },
  {
    name: 'rule',
    as: 'admin',
    path: '/rule?id=forklift-drivers',
    prepare: preview,
    picture: 'A rule, and who matches it',
  },
  { name: 'new-rule', as: 'admin', path: '/rule?group=forklift-drivers' },
  {
    name: 'new-rule-values',
    as: 'admin',
    path: '/rule?group=forklift-drivers',
    prepare: types('values-0', 'IT', 'ware'),
  },
  { name: 'channels', as: 'admin', path: '/channels' },
  { name: 'channel', as: 'admin', path: '/channel?id=news', picture: 'A channel' },
  { name: 'tasks', as: 'user', path: '/tasks?show=all', picture: 'Your tasks' },
  { name: 'tasks-given', as: 'admin', path: '/tasks?view=given' },
  { name: 'task', as: 'user', path: '/tasks?show=all', prepare: firstRow, picture: 'A task', isPrinted: true },
  { name: 'task-not-there', as: 'user', path: '/task?id=nowhere' },
  { name: 'new-task', as: 'user', path: '/new-task' },
  { name: 'plans', as: 'admin', path: '/plans' },
  {
    name: 'plan',
    as: 'admin',
    path: '/people?search=smith',
    prepare: plan,
    picture: 'A plan, before it is applied',
    isPrinted: true,
  },
  { name: 'plan-not-there', as: 'admin', path: '/plan?id=nowhere' },
  { name: 'new-plan', as: 'admin', path: '/new-plan', prepare: chooseFile, picture: 'A plan from a file' },
  { name: 'connections', as: 'admin', path: '/connections', picture: 'Connections' },
  {
    name: 'new-token',
    as: 'admin',
    path: '/connections',
    prepare: opensDialog('.card-head button'),
  },
  { name: 'webhook', as: 'admin', path: '/connections', prepare: webhook, picture: 'A webhook, and what it was sent' },
  { name: 'webhook-not-there', as: 'admin', path: '/webhook?id=nowhere' },
  { name: 'history', as: 'admin', path: '/history', picture: 'Who changed what' },
  { name: 'settings', as: 'admin', path: '/settings' },
  { name: 'settings-languages', as: 'admin', path: '/settings', prepare: types('languages', 'da', 'fr') },
  { name: 'settings-attributes', as: 'admin', path: '/settings?view=attributes', picture: 'Attributes' },
  { name: 'settings-roles', as: 'admin', path: '/settings?view=roles' },
  { name: 'settings-calendar', as: 'admin', path: '/settings?view=calendar' },
  { name: 'not-there', as: 'user', path: '/nowhere' },
]

/** Presses the first of these buttons, which opens a dialog. */
function opensDialog(buttons: string) {
  return async (page: Page) => {
    await page.locator(buttons).first().click()
    await page.locator('dialog[open]').waitFor()
  }
}

/** Goes to the first screen of somebody for whom nothing waits. */
async function quiet(page: Page) {
  const lists = { plans: [], rules: [], webhooks: [], service_tokens: [], assignments: [], tasks: [] }
  const json = { ...lists, pagination: { next_cursor: null } }
  await page
    .context()
    .route(/\/(plans|user-group-rules|webhooks|service-tokens|tasks|assignments)\?/, (route) => route.fulfill({ json }))
  await page.locator('nav a[href="/console"]').click()
  await page.locator('.cards[hidden]').waitFor({ state: 'attached' })
}

/** Saves a profile that somebody else has saved meanwhile. */
async function conflict(page: Page) {
  const json = { error_code: 'PRECONDITION_FAILED', status: 412, title: '', type: '', detail: '', request_id: 'r' }
  await page
    .context()
    .route('**/api/admin/users/v4/users/user-002', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 412, json, contentType: 'application/problem+json' })
        : route.continue(),
    )
  await edit(page)
  await page.locator('input[name=email]').fill('another@nordwind.example')
  await page.locator('input[name=email]').press('Enter')
  await page.locator('dialog[open] time').waitFor()
}

/** Chooses one, and types a part of another one: the suggestions stay open. */
function types(field: string, one: string, other: string) {
  return async (page: Page) => {
    const input = page.locator(`input[name="${field}"]`)
    const idle = input.and(page.locator('[aria-busy=false]'))
    await input.fill(one)
    await idle.waitFor()
    await input.press('Enter')
    await input.fill(other)
    await idle.waitFor()
    await page.locator('[role=option]').first().waitFor()
  }
}

async function select(page: Page) {
  await page.locator('thead input[type=checkbox]').check()
  await opensDialog('.selection-bar button.primary')(page)
}

async function edit(page: Page) {
  await page.locator('.card-head button').first().click()
  await settled(page)
}

/** Looks at who matches a rule. */
async function preview(page: Page) {
  await page.locator('form section button').click()
  await page.locator('form section [role=status] strong').waitFor()
}

async function firstRow(page: Page) {
  await page.locator('tbody th a').first().click()
  await settled(page)
}

/** Makes a plan of those who are selected, and waits until it is worked out. */
async function plan(page: Page) {
  await select(page)
  await page.locator('dialog select[name=what]').selectOption('LOCK')
  await page.locator('dialog .primary').click()
  await page.locator('.form-actions .primary').waitFor()
  await settled(page)
}

/** Makes a webhook that nobody answers, and sends it a test. */
async function webhook(page: Page) {
  await page.locator('[aria-labelledby=webhooks] .card-head button').click()
  await page.locator('dialog input[name=url]').fill('http://localhost:59999/rollcall')
  await page.locator('dialog .primary').click()
  // Its secret, shown once.
  await page.locator('dialog code').waitFor()
  await page.locator('dialog .primary').click()
  await page.locator('[aria-labelledby=webhooks] tbody th a').first().click()
  await page.locator('.stack button').first().click()
  await page.locator('[aria-labelledby=deliveries] tbody tr').first().waitFor()
  await settled(page)
}

/** Chooses the file of HR, and shows what its columns are. */
async function chooseFile(page: Page) {
  await page.locator('input[type=file]').setInputFiles(hrFile)
  await page.locator('details:has(select[name=column-0]) > summary').click()
}
