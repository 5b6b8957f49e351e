import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { hasBrowser, launch, leftOut } from '../harness/browser.ts'
import { forgetAnnouncements } from './announcements.ts'
import { screenTests } from './eachScreen.ts'
import { hostileJourneys } from './journeys/hostile.ts'
import { peopleJourneys } from './journeys/people.ts'
import { planJourneys } from './journeys/plans.ts'
import { workJourneys } from './journeys/work.ts'
import { refusalTests } from './refusals.ts'
import type { Running } from './running.ts'
import { type Service, startConsole } from './service.ts'
import { type Visit, visit } from './visit.ts'

/** Tests of what is not there, and of people who may do nothing any more: only there a call is refused. */
const withRefusal = /not-there|sign-in that expires|locked while at work/
/** Suites in which nothing is done by a pointer. */
const byKeyboard = /by keyboard/

/** Ends what hangs in a call without a limit, such as a key that the browser never answers. The longest test takes a third of it. */
const timeout = 240_000

// One file, so that the service starts once.
describe.skipIf(!hasBrowser)(`the console in a browser${leftOut}`, { timeout }, () => {
  let service: Service
  let browser: Browser
  const shared = new Map<string, Promise<Visit>>()
  let used: Visit[] = []
  let own: Visit[] = []

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([startConsole(), launch()])
  })
  afterEach(async ({ task }) => {
    const [visits, ended] = [[...new Set(used), ...own], own]
    used = []
    own = []
    for (const { context } of visits) await context.unrouteAll({ behavior: 'ignoreErrors' })
    for (const { faults } of visits) expect(await faults()).toEqual([])
    for (const { refused } of visits) {
      const found = refused()
      if (!withRefusal.test(task.name)) expect(found).toEqual([])
    }
    for (const { pointed } of visits) {
      const found = pointed()
      if (byKeyboard.test(task.suite?.name ?? '')) expect(found).toEqual([])
    }
    await Promise.all(ended.map(({ close }) => close()))
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const running: Running = {
    service: () => service,
    visitAs: async (as, look = {}) => {
      const one = await visit(browser, service, as, look)
      own.push(one)
      return one
    },
    sharedVisit: async (as, look = {}) => {
      const key = JSON.stringify([as, look])
      const opening = shared.get(key) ?? visit(browser, service, as, look)
      shared.set(key, opening)
      const one = await opening
      used.push(one)
      // Tests before may have left another size, and announcements.
      await one.page.setViewportSize({ width: look.width ?? 1440, height: 900 })
      await forgetAnnouncements(one.page)
      return one
    },
  }

  // Before the journeys, which change the demo.
  screenTests(running)
  describe('nothing is shown that would be refused', () => refusalTests(running))
  describe('journeys by keyboard: people', () => peopleJourneys(running))
  describe('journeys by keyboard: plans', () => planJourneys(running))
  describe('journeys by keyboard: rules, tasks, connections', () => workJourneys(running))
  describe('hostile content', () => hostileJourneys(running))
})
