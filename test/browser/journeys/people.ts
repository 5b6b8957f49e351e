// What administrators do with people.
import { readFileSync } from 'node:fs'
import type { Download, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '../../../client/src/index.ts'
import { heard } from '../announcements.ts'
import { button, choose, fill, find, goTo, pick, press, tabTo } from '../keyboard.ts'
import type { Running } from '../running.ts'
import { settled } from '../visit.ts'

export const peopleJourneys = ({ visitAs, sharedVisit, service }: Running) => {
  const userPath = '/api/admin/users/v4/users/{user_id}'
  const read = async (id: string) => {
    const { data } = await service()
      .clientOf('admin')
      .GET(userPath, { params: { path: { user_id: id } } })
    return data
  }
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName)
  it('sign in, find a person, and lock them', async () => {
    const { page } = await visitAs(null)
    await press(page, button(page, 'Sign in'))
    await press(page, page.getByRole('button', { name: /Ada Keller/ }))
    await page.locator('#content h1').waitFor()
    await press(page, page.getByRole('link', { name: 'Skip to content' }))
    await goTo(page, 'People')
    expect(await focused(page)).toBe('H1')
    await tabTo(page, page.getByRole('searchbox'))
    await page.keyboard.type('olivia smi', { delay: 20 })
    await page.getByText('1 person', { exact: true }).first().waitFor()
    expect(page.url()).toContain('search=olivia+smi')
    await press(page, page.getByRole('link', { name: 'Olivia Smith' }))
    await press(page, button(page, 'Lock'))
    const dialog = page.getByRole('dialog', { name: 'Lock Olivia Smith?' })
    await press(page, dialog.getByRole('button', { name: 'Lock', exact: true }))
    await heard(page, 'Olivia Smith is locked.')
    await page.getByText('Cannot sign in. Keeps roles').waitFor()
    expect((await read('user-001')).status).toBe('LOCKED')
    // The button that had the focus is gone.
    expect(await focused(page)).toBe('H2')
    await page.goBack()
    await page.getByRole('searchbox').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('olivia smi')
  })

  it('the list says that it is sorted by last name', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/people')
    await page.getByRole('columnheader', { name: /Name.*Last name/ }).waitFor()
  })

  it('a username breaks between its words', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/people?search=antunes')
    await page.setViewportSize({ width: 1200, height: 800 })
    const username = page.getByText(/^goncalo\.antunes/)
    const lines = await username.first().evaluate((one) =>
      [...one.childNodes]
        .filter((node) => node instanceof Text)
        .map((word) => {
          const range = document.createRange()
          range.selectNodeContents(word)
          return range.getClientRects().length
        }),
    )
    expect(lines).toEqual(lines.map(() => 1))
  })

  it('somebody is found by the external id', async () => {
    const { page, go } = await sharedVisit('admin')
    const { external_id, first_name, last_name } = await read('user-004')
    await go(`/people?search=${external_id}`)
    await page.getByText(`External ID ${external_id}:`).waitFor()
    await press(page, page.getByRole('link', { name: `${first_name} ${last_name}` }))
    await page.getByRole('heading', { level: 1, name: `${first_name} ${last_name}` }).waitFor()
  })

  it('a group says what its number counts, and that nobody is directly in it', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/group?id=operations')
    await page.getByText(/^\d+ people, with the groups below$/).waitFor()
    await page.getByText('Nobody is directly in this group. Add somebody, or make a rule.').waitFor()
    const below = page.getByRole('region', { name: 'Groups below' })
    await below.getByRole('link', { name: 'Forklift drivers' }).waitFor()
    expect(await below.getByRole('link', { name: 'Operations', exact: true }).count()).toBe(0)
    await tabTo(page, page.getByRole('searchbox', { name: 'Search members' }))
    await page.keyboard.type('nobody of this name')
    await page.getByText('Nobody, for this choice.').waitFor()
  })

  it('why has she this role', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('')
    await find(page, 'People', 'Olivia Smith')
    const row = page.getByRole('row', { name: /Forklift drivers/ })
    await row.getByText('By the rule Everybody with a forklift licence').waitFor()
    await page
      .getByRole('row', { name: /Shop floor/ })
      .getByText(/Through the group Operations.*with .+ below it/)
      .waitFor()
    await press(page, row.getByRole('link', { name: 'Everybody with a forklift licence' }))
    await page.getByRole('heading', { level: 1, name: 'Everybody with a forklift licence' }).waitFor()
  })

  it('all faults of a form show at once, and each goes when it is corrected', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/person?id=user-004')
    await press(page, button(page, 'Edit profile'))
    await fill(page, 'Last name', ' ')
    await fill(page, 'E-mail', 'nobody')
    await page.keyboard.press('Enter')
    await page.getByText('Please check 2 fields').waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(2)
    await fill(page, 'Last name', 'Again')
    await page.getByText('Please check 1 field', { exact: true }).waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(1)
    await fill(page, 'E-mail', 'somebody@nordwind.example')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await press(page, button(page, 'Cancel'))
  })

  it('what is wrong with people does not show at a channel', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/new-task')
    await press(page, page.getByRole('textbox', { name: 'Title' }))
    await page.getByText('Please check 2 fields').waitFor()
    await pick(page, 'Give it to', 'All')
    await page.getByRole('combobox', { name: 'Channel' }).waitFor()
    await page.getByText('Please check 1 field', { exact: true }).waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(1)
  })

  it('two administrators change one person, and both changes are merged', async () => {
    const { page, go } = await sharedVisit('admin')
    const { first_name, last_name } = await read('user-002')
    await go('')
    await find(page, 'People', `${first_name} ${last_name}`)
    await press(page, button(page, 'Edit profile'))
    await fill(page, 'E-mail', 'mine@nordwind.example')
    await fill(page, 'Last name', 'Mine')
    const params = { path: { user_id: 'user-002' } }
    const body = { email: 'theirs@nordwind.example', attributes: { locker: 'L-7' } }
    await service().clientOf('admin').PATCH(userPath, { params, body })
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    // Only the e-mail was changed by both: the others are decided.
    const group = dialog.getByRole('group', { name: 'E-mail' })
    await press(page, dialog.getByRole('button', { name: 'Save this version' }))
    await dialog.getByText('Please choose a version for each field.').waitFor()
    await group.getByText('Choose a version here.').waitFor()
    expect(
      await group
        .getByRole('radio')
        .first()
        .evaluate((one) => one === document.activeElement),
    ).toBe(true)
    // Who has saved the other version, and when.
    await dialog.getByText(/^Last saved by Ada Keller · \d+ \w+ \d{4}/).waitFor()
    await tabTo(page, group.getByRole('radio').first(), 'Shift+Tab')
    await page.keyboard.press('ArrowDown')
    await press(page, dialog.getByRole('button', { name: 'Save this version' }))
    await page.getByRole('heading', { name: /Mine$/, level: 1 }).waitFor()
    expect(await focused(page)).toBe('H2')
    const after = await read('user-002')
    expect([after.last_name, after.email]).toEqual(['Mine', 'theirs@nordwind.example'])
    expect(after.attributes).toContainEqual({ name: 'locker', value: 'L-7' })
  })

  it('settings that somebody else has changed meanwhile say who it was', async () => {
    const { page, go } = await sharedVisit('admin')
    const path = '/api/admin/organisations/v4/settings'
    const { data: token } = await service()
      .clientOf('admin')
      .POST('/api/admin/organisations/v4/service-tokens', { body: { name: 'Night job', scopes: ['SETTINGS'] } })
    const job = createClient({ baseUrl: service().baseUrl, token: async () => ({ access_token: token.token }) })
    await go('/settings')
    await press(page, page.getByLabel('Deactivating people'), 'Space')
    await job.PATCH(path, { body: { features: { people_directory: false } } })
    await press(page, button(page, 'Save'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Last saved by Token Night job · /).waitFor()
    await press(page, button(dialog, 'Cancel'))
    await job.PATCH(path, { body: { features: { people_directory: true } } })
  })

  it('an action on a record that somebody else has changed meanwhile works the second time', async () => {
    const { page, go } = await sharedVisit('admin')
    const groups = '/api/admin/users/v4/user-groups'
    const title = (text: string) => [{ language: 'en-GB', text }]
    const admin = service().clientOf('admin')
    const { data: group } = await admin.POST(groups, { body: { title: title('Passing'), parent_id: 'all-users' } })
    const params = { path: { group_id: group.id } }
    await go(`/group?id=${group.id}`)
    await press(page, button(page, 'Archive'))
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await admin.PATCH(`${groups}/{group_id}`, { params, body: { title: title('Staying') } })
    await press(page, button(dialog, 'Archive'))
    await dialog.getByText(/^Somebody else has changed this meanwhile\. Look at it/).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Staying', includeHidden: true }).waitFor()
    await press(page, button(dialog, 'Archive'))
    await dialog.waitFor({ state: 'detached' })
    expect((await admin.GET(`${groups}/{group_id}`, { params })).data.status).toBe('ARCHIVED')
  })

  it('what is switched off or on in the settings counts at once for who has saved them', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/settings')
    const tasks = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks', exact: true })
    await tasks.waitFor()
    for (const state of ['detached', 'visible'] as const) {
      await press(page, page.getByRole('checkbox', { name: 'Tasks', exact: true }), 'Space')
      await press(page, button(page, 'Save'))
      await tasks.waitFor({ state })
      await settled(page)
    }
  })

  it('a sign-in that expires in the middle of a form loses nothing', async () => {
    const { page, context } = await visitAs('admin')
    const { first_name, last_name } = await read('user-003')
    await find(page, 'People', `${first_name} ${last_name}`)
    await press(page, button(page, 'Edit profile'))
    await fill(page, 'E-mail', 'kept@nordwind.example')
    let isExpired = true
    const problem = {
      status: 401,
      error_code: 'UNAUTHENTICATED',
      detail: 'expired',
      request_id: 'r',
      title: '',
      type: '',
    }
    await context.route('**/api/**', (route) =>
      isExpired
        ? route.fulfill({ status: 401, json: problem, contentType: 'application/problem+json' })
        : route.continue(),
    )
    await context.route(`${service().issuer}/token`, (route) =>
      route.request().postData()?.includes('grant_type=refresh_token') && isExpired
        ? route.fulfill({
            status: 400,
            json: { error: 'invalid_grant' },
            headers: { 'access-control-allow-origin': service().baseUrl },
          })
        : route.continue(),
    )
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Your sign-in has expired' })
    const signInAgain = async () => {
      const opening = page.waitForEvent('popup')
      await press(page, dialog.getByRole('button', { name: 'Sign in again' }))
      return opening
    }
    const issuerPage = `${service().issuer}/authorize?*`
    await context.route(issuerPage, (route) => route.fulfill({ contentType: 'text/html', body: '<p>Who are you?' }))
    const closed = await signInAgain()
    await closed.getByText('Who are you?').waitFor()
    await closed.close()
    await dialog.getByText('You have not finished signing in.').waitFor()
    await context.unroute(issuerPage)
    await signInAgain()
    // The issuer still knows them, so the window closes by itself.
    isExpired = false
    await heard(page, 'Saved.')
    expect((await read('user-003')).email).toBe('kept@nordwind.example')
  })

  it('what a field cannot take is said in the own language, before anything is sent', async () => {
    const { page, go } = await sharedVisit('admin', { language: 'de-DE', scheme: 'dark' })
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
    await go('/person?id=user-005')
    await press(page, button(page, 'Profil bearbeiten'))
    await fill(page, 'E-Mail', 'nobody')
    await page.keyboard.press('Enter')
    const address = page.locator('input[name=email]')
    await page.getByText('Bitte geben Sie eine E-Mail-Adresse an, etwa name@example.com.').waitFor()
    expect(await address.getAttribute('aria-invalid')).toBe('true')
    // Letters of any language are right.
    await fill(page, 'E-Mail', 'jörg@nordwind.example')
    await page.keyboard.press('Enter')
    await heard(page, 'Gespeichert.')
    expect(sent.length).toBe(1)
    expect((await read('user-005')).email).toBe('jörg@nordwind.example')
  })

  it('what only the service knows to be wrong is said in the own language, too', async () => {
    const { page, go } = await sharedVisit('admin', { language: 'de-DE', scheme: 'dark' })
    await go('/settings?view=calendar')
    await fill(page, 'Zeitzone', 'Mond/Basis')
    await page.keyboard.press('Enter')
    await page.getByText('Geben Sie den Namen einer Zeitzone an, etwa Europe/Berlin.').waitFor()
    expect(await page.getByText(/must be/).isVisible()).toBe(false)
    await press(page, page.getByText('Einzelheiten für den Support'))
    await page.getByText('time_zone must be the IANA name of a time zone, such as Europe/Berlin').waitFor()
    await fill(page, 'Zeitzone', 'Europe/Berlin')
  })

  it('people are saved as a file: those who match, or everybody', async () => {
    const { page, go } = await sharedVisit('admin')
    const leaving = { query: { status: ['PENDING_DELETION' as const], page_limit: 1 } }
    const { data } = await service().clientOf('admin').GET('/api/admin/users/v4/users', { params: leaving })
    const leftOut = data.pagination.total_elements
    expect(leftOut).toBeGreaterThan(0)
    await go('/people?search=olivia')
    const count = Number(/\d+/.exec((await page.locator('.count').textContent()) ?? '')?.[0])
    const save = async () => {
      await press(page, button(page, 'Save as a file …'))
      const dialog = page.getByRole('dialog', { name: 'Save people as a file' })
      const saving = page.waitForEvent('download')
      return { dialog, saving, now: () => press(page, button(dialog, 'Save as CSV')) }
    }
    const linesOf = async (saving: Promise<Download>) =>
      readFileSync(await (await saving).path(), 'utf8')
        .trim()
        .split('\r\n')
    const matching = await save()
    await matching.dialog.getByText(`Those who match (${count} people)`).waitFor({ state: 'attached' })
    await matching.now()
    const day = new Intl.DateTimeFormat('sv-SE').format(new Date())
    expect((await matching.saving).suggestedFilename()).toBe(`People who match - ${day}.csv`)
    await heard(page, `${count} people saved`)
    const [head, ...rows] = await linesOf(matching.saving)
    expect(head).toMatch(/^external_id,id,username,first_name,last_name,.*attribute:department/)
    expect(rows.length).toBe(count)
    expect(rows.every((row) => row.includes('Olivia'))).toBe(true)
    const all = await save()
    await pick(page, 'Who is in it', 'Everybody')
    await all.now()
    await heard(page, new RegExp(`people saved \\(${leftOut} being deleted (is|are) left out\\)`))
    expect((await all.saving).suggestedFilename()).toBe(`People - ${day}.csv`)
    expect((await linesOf(all.saving)).length).toBeGreaterThan(300)
    const german = await save()
    await pick(page, 'Separator', 'Semicolon')
    await german.now()
    expect((await linesOf(german.saving))[0]).toMatch(/^external_id;id;username;/)
  })

  it('languages of the organisation are chosen by their names', async () => {
    const { page, go } = await sharedVisit('admin')
    const path = '/api/admin/organisations/v4/settings'
    const { languages: before, default_language } = (await service().clientOf('admin').GET(path)).data
    await go('/settings')
    const list = page.getByRole('list', { name: 'Languages' })
    await list.getByText('English').first().waitFor()
    await choose(page, 'Add a language', 'Danish')
    await tabTo(page, page.getByRole('combobox', { name: 'Add a language' }))
    await page.keyboard.type('de-AT')
    await page.keyboard.press('Tab')
    await list.getByText('Austrian German', { exact: true }).waitFor()
    // Browsers have no names for rare ones.
    await choose(page, 'Add a language', 'qxq')
    await list.getByText('qxq', { exact: true }).waitFor()
    await press(page, button(page, 'Remove qxq'), 'Space')
    await press(page, button(page, 'Remove Danish'), 'Space')
    await press(page, button(page, 'Save'))
    await page.getByText('Saved. It holds for everybody within seconds.').waitFor()
    expect((await service().clientOf('admin').GET(path)).data).toMatchObject({
      languages: [...before, 'de-AT'],
      default_language,
    })
    await service()
      .clientOf('admin')
      .PATCH(path, { body: { languages: before } })
  })

  it('somebody selects all who match, and makes a plan of it', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/people?search=production')
    await press(page, button(page, /^Select all who match/))
    await press(page, button(page, 'Plan a change …'))
    const dialog = page.getByRole('dialog', { name: 'Plan a change' })
    // Unless another role is chosen, people become members, and nothing more.
    await pick(page, 'What is to be done? (required)', 'Give a role')
    await choose(page, 'Group', 'First aiders')
    const role = dialog.getByRole('combobox', { name: 'Role in the group' })
    await expect.poll(() => role.evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]?.text)).toBe('Member')
    await pick(page, 'What is to be done? (required)', 'Add or')
    await tabTo(page, dialog.getByRole('textbox', { name: 'Tag to add' }))
    await page.keyboard.type('summer-party')
    await press(page, dialog.getByRole('button', { name: 'Make the plan' }))
    await heard(page, 'The plan is being worked out.')
    const { data } = await service().clientOf('admin').GET('/api/admin/organisations/v4/plans')
    expect(data.plans[0]?.request).toMatchObject({
      select: { search_term: 'production' },
      change: { update: { tags: { add: ['summer-party'] } } },
    })
  })

  it('a search asks once for each pause of the keys, and never shows an older answer over a newer one', async () => {
    const { page, context, go } = await sharedVisit('admin')
    await go('/people')
    const asked: string[] = []
    let isHeld = true
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await context.route('**/api/admin/users/v4/users?*', async (route) => {
      const term = new URL(route.request().url()).searchParams.get('search_term')
      if (term) asked.push(term)
      const isFirst = isHeld
      isHeld = false
      // The first answer comes after the second one.
      if (isFirst) await released
      await route.continue().catch(() => {})
    })
    await tabTo(page, page.getByRole('searchbox'))
    await page.keyboard.type('olivia')
    await expect.poll(() => asked).toEqual(['olivia'])
    await page.keyboard.type(' bro')
    await page.getByRole('link', { name: 'Olivia Brown' }).waitFor()
    await page.getByText('1 person', { exact: true }).first().waitFor()
    release()
    await settled(page)
    expect(asked).toEqual(['olivia', 'olivia bro'])
    expect(await page.getByRole('link', { name: 'Olivia Smith' }).count()).toBe(0)
  })

  it('pages of a list: the focus stays, and a search begins anew', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/people')
    const way = (name: string) => button(page.getByRole('navigation', { name: 'Pages' }), name)
    const isOff = async (name: string) => (await way(name).getAttribute('aria-disabled')) === 'true'
    const firstOf = () => page.locator('tbody a').first().textContent()
    const [first, pages] = [await firstOf(), new Set<string>()]
    await tabTo(page, way('Next page'))
    while (!(await isOff('Next page'))) {
      pages.add(page.url())
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => !pages.has(url.href))
      await settled(page)
    }
    expect(pages.size).toBeGreaterThan(2)
    expect(await way('Next page').evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await press(page, way('First page'))
    await page.waitForURL((url) => !url.searchParams.has('page'))
    await settled(page)
    expect([await firstOf(), await isOff('First page'), await isOff('Previous page')]).toEqual([first, true, true])
    await press(page, way('Next page'))
    await page.waitForURL(/page=/)
    await settled(page)
    expect(await isOff('Previous page')).toBe(false)
    await tabTo(page, page.getByRole('searchbox'))
    await page.keyboard.type('a')
    await page.waitForURL((url) => url.searchParams.get('search') === 'a')
    await settled(page)
    expect([await isOff('Previous page'), await isOff('Next page')]).toEqual([true, false])
  })

  it('a filter by an attribute suggests the values that people have, and takes any other', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/people')
    await press(page, page.locator('summary', { hasText: 'Filters' }))
    await pick(page, 'Attribute', 'Department')
    const value = page.getByRole('combobox', { name: 'Value of the attribute' })
    await tabTo(page, value)
    await page.keyboard.type('ware')
    await value.and(page.locator('[aria-busy=false]')).waitFor()
    await page.getByRole('option', { name: 'Warehouse', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/attribute=department&value=Warehouse/)
    await page
      .getByText(/^\d+ people$/)
      .first()
      .waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Nowhere')
    await page.keyboard.press('Tab')
    await page.getByText('Nothing matches.').waitFor()
    expect(page.url()).toContain('value=Nowhere')
  })

  it('the filters lead to the members of a group', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/people')
    await press(page, page.locator('summary', { hasText: 'Filters' }))
    await choose(page, 'Members of a group', 'First aiders')
    await page.getByRole('heading', { level: 1, name: 'First aiders' }).waitFor()
    await settled(page)
  })

  it('a lost answer and a busy service are waited for, and the page says which, in the language of the person', async () => {
    const { page, context, go } = await visitAs('admin')
    await tabTo(page, page.getByRole('combobox', { name: 'Language' }), 'Shift+Tab')
    await page.keyboard.type('Deutsch')
    await page.getByRole('combobox', { name: 'Sprache' }).waitFor()
    let times = 0
    const busy = {
      status: 429,
      error_code: 'TOO_MANY_REQUESTS',
      detail: 'busy',
      request_id: 'r',
      title: '',
      type: '',
      done: false,
    }
    await context.route('**/api/admin/users/v4/users?*', (route) =>
      times++ < 3
        ? route.abort()
        : times === 4
          ? route.fulfill({
              status: 429,
              json: busy,
              contentType: 'application/problem+json',
              headers: { 'retry-after': '1' },
            })
          : route.continue(),
    )
    await go('/people')
    await heard(page, /^Der Dienst antwortet nicht. Neuer Versuch in \d/)
    await heard(page, /^Der Dienst ist beschäftigt. Neuer Versuch in \d/)
    await page.locator('tbody a').first().waitFor()
    expect(times).toBe(5)
  })

  it('somebody who is locked while at work sees a page that says so', async () => {
    const params = { path: { user_id: 'user-004' } }
    const user = await read('user-004')
    const { page } = await visitAs(user.username)
    await service().clientOf('admin').POST('/api/admin/users/v4/users/{user_id}/lock', { params })
    await press(page, page.getByRole('link', { name: 'People', exact: true }))
    await page.getByRole('heading', { level: 1, name: 'You cannot use Rollcall at the moment' }).waitFor()
    await button(page, 'Sign out').waitFor()
  })
}
