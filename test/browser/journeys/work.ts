// What administrators, authors and recipients do with rules, tasks and connections.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { heard } from '../announcements.ts'
import { button, choose, fill, find, goTo, pick, press, tabTo } from '../keyboard.ts'
import type { Running } from '../running.ts'
import { settled } from '../visit.ts'

export const workJourneys = ({ visitAs, sharedVisit, service }: Running) => {
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  const admin = () => service().clientOf('admin')
  /** Comes to the first screen from elsewhere, so that it is read anew. */
  const home = async (go: (path: string) => Promise<void>) => {
    await go('/settings')
    await go('')
  }

  it('a rule, from the idea to its members', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('')
    await find(page, 'Groups', 'First aiders')
    await press(page, page.getByRole('link', { name: 'New rule' }))
    await heading(page, 'New rule')
    await settled(page)
    await fill(page, 'Name', 'Everybody in IT')
    // What people have is suggested.
    await choose(page, 'Values', 'IT')
    await page.getByRole('list', { name: 'Values: Condition 1' }).getByText('IT', { exact: true }).waitFor()
    await press(page, button(page, 'Show who matches'))
    const shown = await page.getByText(/people match\./).textContent()
    const matching = Number(/\d+/.exec(shown ?? '')?.[0])
    expect(matching).toBeGreaterThan(3)
    // Somebody is left out, and does not count any more.
    const people = page.getByRole('region', { name: 'Show who matches' }).locator('p[dir=auto]')
    const [leftOut = ''] = ((await people.textContent()) ?? '').split(', ')
    await choose(page, 'Leave somebody out', leftOut)
    await press(page, button(page, 'Show who matches'))
    await page.getByText(`${matching - 1} people match.`).waitFor()
    await press(page, button(page, 'Make the rule'))
    await heading(page, 'Everybody in IT')
    await page.getByRole('list', { name: 'Except these people' }).getByText(leftOut).waitFor()
    // The first rules of a table, those of the demo, wait for 50 seconds, and this one is applied with them.
    await page.getByText('In effect', { exact: true }).waitFor()
    await press(page, page.locator('.back').getByRole('link', { name: 'First aiders' }))
    await page.getByText('By a rule').first().waitFor()
    await press(page, page.getByRole('link', { name: 'New rule' }))
    await heading(page, 'New rule')
    await settled(page)
    // More than there may be are not taken, and that is said.
    const values = page.getByRole('combobox', { name: 'Values' })
    await values.evaluate(
      (field, text) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', text)
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      },
      Array.from({ length: 150 }, (_, n) => `Department ${n}`).join('\n'),
    )
    await page.getByText('At most 100 can be chosen: 50 were left out.').waitFor()
  })

  it('a form that is open stays while the page is read again', async () => {
    const { page, context, go } = await visitAs('admin')
    const back = () => page.evaluate(() => dispatchEvent(new Event('focus')))
    const title = () => page.getByRole('textbox', { name: /^(Title|Name)/ }).first()

    // A task, read again when somebody comes back to the window: without an answer at first.
    const { data: task } = await admin().POST('/api/tasks/v4/tasks', {
      body: { title: 'Water the plants', recipients: [{ id: 'user-003', type: 'USER' }] },
    })
    await go(`/task?id=${task.id}`)
    await press(page, button(page, 'Edit'))
    await fill(page, 'Title', 'Water all plants')
    const readsTask = `**/api/tasks/v4/tasks/${task.id}?*`
    await context.route(readsTask, (route) => route.abort())
    await back()
    await page.getByText('This could not be read again and may be out of date').waitFor()
    expect(await title().inputValue()).toBe('Water all plants')
    await context.unroute(readsTask)
    await back()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await press(page, button(page, 'Save'))
    await heading(page, 'Water all plants')

    // A rule, while it is applied: its tag changes with each step.
    const { data: rules } = await admin().GET('/api/admin/users/v4/user-group-rules', { params: { query: {} } })
    const [rule] = rules.rules
    let done = 0
    const readsRule = `**/api/admin/users/v4/user-group-rules/${rule?.id}`
    await context.route(readsRule, async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      const answer = await route.fetch()
      const json = { ...(await answer.json()), state: 'APPLYING', progress: { done: ++done, total: 1_000 } }
      const [record] = (answer.headers()['etag'] ?? '').split('.')
      return route.fulfill({ response: answer, json, headers: { ...answer.headers(), etag: `${record}.${done}"` } })
    })
    await go(`/rule?id=${rule?.id}`)
    await fill(page, 'Name', 'While it is applied')
    const seen = done
    await expect.poll(() => done, { timeout: 20_000 }).toBeGreaterThan(seen + 2)
    expect(await title().inputValue()).toBe('While it is applied')
    await press(page, button(page, 'Save'))
    await heading(page, 'While it is applied')
    await context.unroute(readsRule)
    await page.getByText('In effect', { exact: true }).waitFor()
    await fill(page, 'Name', rule?.title ?? '')
    await press(page, button(page, 'Save'))
    await heading(page, rule?.title ?? '')

    // A group, of which the number of people changes.
    await find(page, 'Groups', 'Forklift drivers')
    await press(page, button(page, 'Edit'))
    await fill(page, 'Name', 'Drivers of all')
    await tabTo(page, page.getByRole('searchbox'))
    await page.keyboard.type('a')
    await tabTo(page, button(page, 'Add somebody'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await choose(page, 'Person', 'Ada')
    await press(page, page.getByRole('dialog').locator('button[type=submit]'))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await settled(page)
    expect(await title().inputValue()).toBe('Drivers of all')
    expect(await page.getByRole('searchbox').inputValue()).toBe('a')
    await press(page, button(page, 'Cancel'))
  })

  it('a first screen on which nothing waits says so, and where to go', async () => {
    const { page, context, go } = await sharedVisit('admin')
    const nothing = { plans: [], rules: [], webhooks: [], service_tokens: [], assignments: [], tasks: [] }
    await context.route(
      /\/api\/(admin\/(organisations|users)\/v4\/(plans|user-group-rules|webhooks|service-tokens)|tasks\/v4\/tasks)/,
      (route) => route.fulfill({ json: { ...nothing, pagination: { next_cursor: null } } }),
    )
    await home(go)
    const next = page.getByRole('region', { name: 'Nothing waits for you. Well done.' })
    await next.getByText('no plan waits for a decision').waitFor()
    await heard(page, 'Nothing waits for you.')
    expect(await page.getByText('No open tasks.').isVisible()).toBe(false)
    await press(page, next.getByRole('link', { name: 'Load a file of people' }))
    await heading(page, 'Plan from a file')
    // Something waits: the cards are there.
    await context.unrouteAll()
    await home(go)
    await page.getByRole('region', { name: 'What you can do' }).waitFor()
    await page.getByRole('region', { name: 'Your tasks' }).waitFor()
  })

  it('a webhook that fails is on the first screen: since when, how, and what was not delivered', async () => {
    const { page, context, go } = await sharedVisit('admin')
    const { data } = await admin().POST('/api/admin/organisations/v4/webhooks', {
      body: { url: 'http://localhost:59999/broken', description: 'Payroll' },
    })
    const params = { path: { webhook_id: data.id } }
    await admin().POST('/api/admin/organisations/v4/webhooks/{webhook_id}/test', { params })
    // Five failures in a row take hours.
    await context.route('**/organisations/v4/webhooks?*', async (route) => {
      const answer = await route.fetch()
      const { webhooks, ...rest } = await answer.json()
      const failing = { ...data, state: 'FAILING', failing_since: '2026-03-01T10:00:00.000Z' }
      await route.fulfill({ json: { ...rest, webhooks: [failing] } })
    })
    await expect
      .poll(async () => {
        const list = '/api/admin/organisations/v4/webhooks/{webhook_id}/deliveries'
        return (await admin().GET(list, { params })).data.deliveries.flatMap(({ attempts }) => attempts).length
      })
      .toBeGreaterThan(0)
    await home(go)
    const line = page.getByRole('region', { name: 'Failing webhooks' }).getByRole('listitem')
    await line.getByText(/^failing since 1 Mar 2026/).waitFor()
    await line.getByText('Last attempt: no answer').waitFor()
    await press(page, line.getByRole('link', { name: 'What was not delivered' }))
    await page.getByRole('heading', { level: 2, name: 'What was sent' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('deliveries')
    expect(await page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('UNDELIVERED')
    await page.getByRole('row', { name: /^Test/ }).waitFor()
    // The page must not ask for what is gone.
    await go('/settings')
    await admin().DELETE('/api/admin/organisations/v4/webhooks/{webhook_id}', { params })
  })

  it('plans to decide are told apart on the first screen, by what they do and how much', async () => {
    const { page, context, go } = await sharedVisit('admin')
    const path = '/api/admin/organisations/v4/plans'
    const made = []
    for (const tag of ['night-shift', 'day-shift']) {
      const body = {
        kind: 'SELECTION' as const,
        select: { search_term: 'smith' },
        change: { update: { tags: { add: [tag] } } },
      }
      const { data } = await admin().POST(path, { body })
      made.push(data.id)
      const params = { path: { plan_id: data.id } }
      await expect.poll(async () => (await admin().GET(`${path}/{plan_id}`, { params })).data.state).toBe('READY')
    }
    // Nothing is to be decided about a plan that would change nothing.
    const nothing = await admin().POST(path, {
      body: {
        kind: 'SELECTION' as const,
        title: 'Nothing-shift',
        select: { search_term: 'nobody-has-this' },
        change: { action: 'LOCK' as const },
      },
    })
    made.push(nothing.data.id)
    await go(`/plan?id=${nothing.data.id}`)
    await page.getByText('Nothing to do', { exact: true }).waitFor()
    await home(go)
    const card = page.getByRole('region', { name: 'Plans to decide' })
    const lines = card.getByRole('listitem').filter({ hasText: '-shift' })
    await lines.nth(1).waitFor()
    expect(await lines.getByRole('link').allTextContents()).toEqual([
      'Add the tag day-shift',
      'Add the tag night-shift',
    ])
    await lines
      .first()
      .getByText(/^People who match · \d+ changes?$/)
      .waitFor()
    await lines
      .first()
      .getByText(/^Ada Keller · /)
      .waitFor()
    // When work on a plan ends while the page is open, it waits for somebody.
    const params = { path: { plan_id: made[0] ?? '' } }
    const plan = (await admin().GET(`${path}/{plan_id}`, { params })).data
    let state = 'CHECKING'
    await context.route(/\/v4\/plans\?/, async (route) => {
      const plans = route.request().url().includes(state) ? [{ ...plan, state }] : []
      await route.fulfill({ json: { plans, pagination: { next_cursor: null } } })
    })
    await home(go)
    await page.getByRole('region', { name: 'Work under way' }).getByText('Add the tag night-shift').waitFor()
    expect(await lines.count()).toBe(0)
    state = 'READY'
    await lines.getByText('Add the tag night-shift').waitFor()
    for (const plan_id of made) await admin().POST(`${path}/{plan_id}/cancel`, { params: { path: { plan_id } } })
  })

  it('the history calls groups, roles and people by their names, and reads each once', async () => {
    const { page, go } = await sharedVisit('admin')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await go('/history?kind=user_group_assignment')
    await page
      .getByText(/^First aiders · [A-Z]/)
      .first()
      .waitFor()
    const titles = asked.filter((path) => /\/(user-groups|roles)\/[^/]+$/.test(path))
    expect(titles).toEqual([...new Set(titles)])
  })

  it('the history calls tasks by their titles, as links where they are still there, and opens none', async () => {
    const { page, go } = await sharedVisit('admin')
    const query = { status: ['ACTIVE' as const], role: ['USER' as const], page_limit: 1 }
    const { users } = (await admin().GET('/api/admin/users/v4/users', { params: { query } })).data
    const [user = expect.fail('There is nobody')] = users
    const give = async (title: string) => {
      const recipients = [{ id: user.id, type: 'USER' as const }]
      return (await admin().POST('/api/tasks/v4/tasks', { body: { title, recipients } })).data.id
    }
    const kept = await give('Count the ladders')
    const gone = await give('Count the chairs')
    await admin().DELETE('/api/tasks/v4/tasks/{task_id}', { params: { path: { task_id: gone } } })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await go('/history?kind=task')
    await page.getByText('Count the chairs', { exact: true }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Count the chairs' }).count()).toBe(0)
    expect(asked).not.toContain(`/api/tasks/v4/tasks/${kept}`)
    // Their events tell the titles.
    expect(asked.filter((path) => path.endsWith('/organisations/v4/events')).length).toBe(1)
    await press(page, page.getByRole('link', { name: 'Count the ladders' }).first())
    await heading(page, 'Count the ladders')
    await press(page, page.getByRole('main').getByRole('link', { name: 'History' }))
    await page.getByText('Only the history of “Count the ladders” is shown.').waitFor()
    expect(await page.locator('.events > li').count()).toBe(1)
    await press(page, button(page, 'Show all'))
    await page.getByText(/^Changes from /).waitFor()
    await page.locator('.events > li').nth(1).waitFor()
    // It is in the history of the person who has read it, too.
    const params = { path: { task_id: kept } }
    await service().clientOf(user.username).GET('/api/tasks/v4/tasks/{task_id}', { params })
    await go(`/person?id=${user.id}`)
    await page
      .getByRole('region', { name: 'History' })
      .getByRole('listitem')
      .filter({ hasText: 'Task opened' })
      .getByRole('link', { name: 'Count the ladders' })
      .waitFor()
    await admin().DELETE('/api/tasks/v4/tasks/{task_id}', { params })
  })

  it('the history is found by who changed something: somebody who has left, and a token', async () => {
    const { page, go } = await sharedVisit('admin')
    const query = { status: ['DEACTIVATED' as const], page_limit: 1 }
    const { users } = (await admin().GET('/api/admin/users/v4/users', { params: { query } })).data
    const [user = expect.fail('Nobody has left')] = users
    const body = { name: 'Payroll', scopes: ['READ' as const] }
    const token = (await admin().POST('/api/admin/organisations/v4/service-tokens', { body })).data
    await go('/history')
    for (const [name, id] of [
      [`${user.first_name} ${user.last_name}`, user.id],
      ['Token Payroll', token.id],
    ] as const) {
      await tabTo(page, page.getByRole('combobox', { name: 'By whom' }))
      await page.keyboard.press('ControlOrMeta+a')
      await choose(page, 'By whom', name)
      await page.waitForURL((url) => url.searchParams.get('actor') === id)
      await settled(page)
      await expect.poll(() => page.getByRole('combobox', { name: 'By whom' }).inputValue()).toBe(name)
    }
    await go('/connections')
    await press(page, page.getByRole('link', { name: 'History Payroll' }))
    await page.getByText('Only the history of “Payroll” is shown.').waitFor()
    await page.getByText('Token created').waitFor()
    const params = { path: { token_id: token.id } }
    await admin().DELETE('/api/admin/organisations/v4/service-tokens/{token_id}', { params })
  })

  it('a task to a channel, finished by three people, with the right progress', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('')
    await goTo(page, 'Tasks')
    await press(page, page.getByRole('link', { name: 'New task' }))
    await heading(page, 'New task')
    await fill(page, 'Title', 'Sign the new rules')
    await pick(page, 'Give it to', 'All members')
    await choose(page, 'Channel', 'Health & safety')
    const before = await page.getByText(/^At most \d+ people get it/).textContent()
    const most = Number(/\d+/.exec(before ?? '')?.[0])
    await press(page, button(page, 'Give this task'))
    const said = await heard(page, /^“Sign the new rules” was given to \d+ people\.$/)
    const given = Number(/\d+/.exec(said)?.[0])
    await heading(page, 'Sign the new rules')
    const id = new URL(page.url()).searchParams.get('id') ?? ''
    const params = { path: { task_id: id } }
    const task = async () => (await admin().GET('/api/tasks/v4/tasks/{task_id}', { params })).data
    await expect.poll(async () => (await task()).distribution.state).toBe('DONE')
    const { total } = (await task()).distribution
    expect(total).toBeGreaterThan(20)
    expect(given).toBe(total)
    expect(most).toBeGreaterThanOrEqual(total)
    await page.getByText(`0 of ${total}`, { exact: true }).waitFor()
    await page.getByText(`Not read: ${total}`).waitFor()

    const { data } = await admin().GET('/api/tasks/v4/tasks/{task_id}/assignments', { params })
    const finish = async (username: string) => {
      const recipient = await visitAs(username)
      await goTo(recipient.page, 'Tasks')
      await press(recipient.page, recipient.page.getByRole('link', { name: 'Sign the new rules' }))
      await recipient.page.getByText('Open', { exact: true }).waitFor()
      await press(recipient.page, button(recipient.page, 'Finish'))
      await button(recipient.page, 'Open again').waitFor()
    }
    for (const [n, { id: assignment_id, user_id }] of data.assignments.slice(0, 3).entries()) {
      const user = (await admin().GET('/api/admin/users/v4/users/{user_id}', { params: { path: { user_id } } })).data
      const path = '/api/tasks/v4/tasks/assignments/{assignment_id}/finish'
      if (n === 0) await finish(user.username)
      else
        await service()
          .clientOf(user.username)
          .POST(path, { params: { path: { assignment_id } } })
      await goTo(page, 'Home')
      await goTo(page, 'Tasks')
      await press(page, page.getByRole('link', { name: 'Given by me' }))
      await page
        .getByRole('row', { name: /Sign the new rules/ })
        .getByText(`${n + 1} of ${total}`)
        .waitFor()
    }
    await press(page, page.getByRole('link', { name: 'Sign the new rules' }))
    await page.getByText(`3 of ${total}`, { exact: true }).waitFor()
    await page.getByText(`Not read: ${total - 3}`).waitFor()
    // Coming back to the page reads it anew.
    const reading = page.waitForRequest((request) => request.url().includes(`/tasks/v4/tasks/${id}?`))
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await reading
    // One more person, who then reads it.
    await press(page, button(page, 'Give it to more people'))
    await choose(page, 'Add a person', 'Ava Johnson')
    await press(page, button(page.getByRole('dialog'), 'Add'))
    await page.getByText(`3 of ${total + 1}`, { exact: true }).waitFor()
  })

  it('somebody who owns no channel reads whom to ask', async () => {
    const { page, go } = await sharedVisit('user')
    await go('/new-task')
    await pick(page, 'Give it to', 'All members')
    await page.getByText('You own no channel; ask its owner.').waitFor()
  })

  it('SCIM: a token is made, and somebody whom a directory sends appears', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('')
    await goTo(page, 'Connections')
    await press(page, button(page, 'Make a token for the directory'))
    expect(await page.getByLabel('Provision people and groups (SCIM)').isChecked()).toBe(true)
    await fill(page, 'Name', 'Entra')
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Make the token' }))
    const secret = page.getByRole('dialog').locator('code')
    await secret.waitFor()
    const token = (await secret.textContent()) ?? ''
    // The page behind the dialog is inert: what is said there is not heard.
    const [says, copy] = [page.getByRole('dialog').getByRole('status'), button(page.getByRole('dialog'), /^Copy/)]
    await press(page, copy)
    await says.getByText('Your browser does not allow copying.').waitFor()
    await page.context().grantPermissions(['clipboard-write'])
    await press(page, copy)
    await says.getByText('Copied.').waitFor()
    await press(page, button(page, 'I have copied it'))
    const body = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      externalId: 'entra-1',
      userName: 'nina.novak@example.com',
      active: true,
      name: { givenName: 'Nina', familyName: 'Novak' },
      emails: [{ type: 'work', primary: true, value: 'nina.novak@example.com' }],
    }
    const answer = await fetch(`${service().baseUrl}/scim/v2/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(201)
    await goTo(page, 'People')
    await tabTo(page, page.getByRole('searchbox'))
    await page.keyboard.type('novak')
    await page.getByRole('link', { name: 'Nina Novak' }).waitFor()
    expect(await page.content()).not.toContain(token)
  })

  it('a webhook that failed is sent again', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('')
    await goTo(page, 'Connections')
    await press(page, button(page, 'New webhook'))
    await page.getByText('It begins with https, or is one of this machine.').waitFor()
    await fill(page, 'Address', 'http://localhost:59999/nobody')
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Make the webhook' }))
    await press(page, button(page, 'I have copied it'))
    await press(page, page.getByRole('link', { name: 'http://localhost:59999/nobody' }))
    await heading(page, 'http://localhost:59999/nobody')
    const state = page.getByRole('region', { name: 'State' })
    // What journeys before this one have changed may be on its way already.
    await state.getByText(/Not tried yet|The last attempt failed/).waitFor()
    await press(page, button(page, 'Send a test'))
    const row = page.getByRole('row', { name: /^Test/ })
    await row.getByText('1 attempt', { exact: true }).waitFor()
    await state.getByText('The last attempt failed').waitFor()
    await state.getByText(/no answer · Next attempt/).waitFor()
    await press(page, row.getByRole('button', { name: /^Send again/ }))
    await heard(page, 'It is being sent again.')
    await row.getByText('2 attempts').waitFor()
  })
}
