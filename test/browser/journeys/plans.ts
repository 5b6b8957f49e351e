// What administrators and HR people do with plans.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { uploadPlanFile } from '../../../client/src/index.ts'
import { button, choose, fill, giveFile, goTo, pick, press, tabTo } from '../keyboard.ts'
import type { Running } from '../running.ts'
import { hrFile } from '../screens.ts'
import { settled } from '../visit.ts'

export const planJourneys = ({ visitAs, sharedVisit, service }: Running) => {
  const admin = () => service().clientOf('admin')
  /** What people are, without the time of their last change and those who are being deleted. */
  const everybody = async () => {
    const pages = admin().pages('/api/admin/users/v4/users', { params: { query: { page_limit: 100 } } })
    const people = (await Array.fromAsync(pages)).flatMap(({ users }) => users)
    return people
      .filter(({ status }) => status !== 'PENDING_DELETION')
      .map(({ updated_at: _, ...user }) => user)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
  }
  const isReady = (page: Page) => page.getByText('Waits for a decision').first().waitFor()
  /** How many changes the plan that is shown would make. */
  const planned = async (page: Page) => {
    await isReady(page)
    return Number(/\d+/.exec((await page.getByText(/^It would make \d+ change/).textContent()) ?? '')?.[0])
  }
  /** Applies the plan that is shown, and waits until all of it is done. */
  const apply = async (page: Page, count: number) => {
    await press(page, button(page, 'Apply'))
    await press(page, button(page.getByRole('dialog'), 'Apply'))
    await page.getByText(`${count} changes were made, 0 skipped`).waitFor()
  }
  /** The same where the number must be typed in: of many changes, or of deletions. */
  const applyByNumber = async (page: Page, count: number, says?: string) => {
    await press(page, button(page, 'Apply'))
    const dialog = page.getByRole('dialog')
    if (says) await dialog.getByText(says).waitFor()
    await fill(page, `Type the number of changes: ${count}`, '7')
    await page.keyboard.press('Enter')
    await dialog.getByText('This is another number. Read the plan once more.').waitFor()
    await fill(page, `Type the number of changes: ${count}`, String(count))
    await press(page, button(dialog, 'Apply'))
    await page.getByText(`${count} changes were made, 0 skipped`).waitFor()
  }
  const takeBack = async (page: Page, count: number, says?: string) => {
    const title = await page.getByRole('heading', { level: 1 }).textContent()
    await press(page, button(page, 'Take back'))
    await page.getByRole('heading', { level: 1, name: `Takes back: ${title}`, exact: true }).waitFor()
    await page.getByRole('link', { name: 'The plan that is taken back' }).waitFor()
    expect(await planned(page)).toBe(count)
    await applyByNumber(page, count, says)
  }

  it('move more than 300 people by a plan, and take it back', async () => {
    const before = await everybody()
    const { page, go } = await sharedVisit('admin')
    await go('')
    await goTo(page, 'People')
    await press(page, page.locator('summary', { hasText: 'Filters' }))
    await press(page, page.getByLabel('Active', { exact: true }), 'Space')
    await pick(page, 'Role in Rollcall', 'User')
    await page.waitForURL(/status=ACTIVE.*role=USER/)
    await page.keyboard.press('Escape')
    await settled(page)
    await press(page, button(page, /^Select all who match/))
    await press(page, button(page, 'Plan a change …'))
    // Nothing is chosen yet.
    await press(page, button(page.getByRole('dialog'), 'Make the plan'))
    await page.getByRole('dialog').getByText('Please fill this in.').waitFor()
    await pick(page, 'What is to be done? (required)', 'Move')
    await press(page, page.getByText('Narrow by group or tag'))
    // A group that is typed and not chosen never means everybody.
    const inGroup = page.getByRole('combobox', { name: 'Only those who are in the group' })
    await tabTo(page, inGroup)
    await page.keyboard.type('xyzzy')
    await press(page, button(page.getByRole('dialog'), 'Make the plan'))
    await page.getByRole('dialog').getByText('This is not chosen. Choose from the list.').waitFor()
    expect(await inGroup.inputValue()).toBe('xyzzy')
    await tabTo(page, inGroup)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('first AIDERS')
    await page.keyboard.press('Tab')
    await page.getByRole('dialog').getByText('of these only: members of First aiders').waitFor()
    await tabTo(page, inGroup)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await choose(page, 'Only those who have the tag', 'mentor')
    await page.getByRole('dialog').getByText('of these only: with the tag mentor').waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await choose(page, 'Group (required)', 'First aiders')
    await press(page, button(page.getByRole('dialog'), 'Make the plan'))
    const count = await planned(page)
    expect(count).toBeGreaterThan(300)
    // Only some of the changes are shown, and a print says so.
    const onPaper = page.getByText('There is more, which the page had not shown when this was printed.')
    expect(await onPaper.isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    await onPaper.first().waitFor()
    await page.emulateMedia({ media: null })
    await page.getByRole('heading', { level: 1, name: 'Move to First aiders' }).waitFor()
    await page.getByText('People who would change').waitFor()
    await page.getByText('Made by').waitFor()
    await page.getByRole('table', { name: 'Changes' }).getByText('First aiders').first().waitFor()
    await applyByNumber(page, count)
    const moved = (await everybody()).filter(({ primary_user_group: group }) => group?.id === 'first-aiders')
    expect(moved.length).toBeGreaterThanOrEqual(count)
    // What is chosen among the changes is there again after a look at a person.
    await pick(page, 'Result', 'Done')
    const changes = page.getByRole('table', { name: 'Changes' })
    await press(page, changes.getByRole('link').first())
    await page.waitForURL(/person\?id=/)
    await page.goBack()
    await changes.getByRole('row').nth(1).waitFor()
    expect(await page.getByLabel('Result').locator('option:checked').textContent()).toBe('Done')
    await takeBack(page, count)
    expect(await everybody()).toEqual(before)
  })

  it('changes that somebody has opened stay while a plan is applied', async () => {
    const { page, context, go } = await visitAs('admin')
    const api = service().clientOf('admin')
    const body = {
      kind: 'SELECTION' as const,
      select: { all: true as const },
      change: { update: { tags: { add: ['on-page-two'] } } },
    }
    const { data: plan } = await api.POST('/api/admin/organisations/v4/plans', { body })
    let done = 0
    await context.route(`**/v4/plans/${plan.id}`, async (route) => {
      const answer = await route.fetch()
      const json = await answer.json()
      if (json.state === 'CHECKING') return route.fulfill({ response: answer })
      return route.fulfill({
        response: answer,
        json: { ...json, state: 'APPLYING', counts: { ...json.counts, done: ++done } },
      })
    })
    await go(`/plan?id=${plan.id}`)
    const rows = page.getByRole('table', { name: 'Changes' }).getByRole('row')
    await expect.poll(() => done, { timeout: 30_000 }).toBeGreaterThan(0)
    await rows.nth(25).waitFor()
    await press(page, button(page, 'Show more changes'))
    await rows.nth(50).waitFor()
    // The focus goes on where the list has grown.
    const rowInFocus = () => page.evaluate(() => document.activeElement?.closest('tr')?.rowIndex)
    await expect.poll(rowInFocus).toBe(26)
    // So it does when the first try has failed.
    const fails = { status: 500, json: { error_code: 'INTERNAL_ERROR', request_id: 'r', detail: 'failed' } }
    await context.route(`**/v4/plans/${plan.id}/changes?*`, (route) => route.fulfill(fails), { times: 1 })
    await press(page, button(page, 'Show more changes'))
    await page.getByRole('alert').getByText('Details for support').waitFor()
    await press(page, button(page, 'Show more changes'))
    await rows.nth(75).waitFor()
    await expect.poll(rowInFocus).toBe(51)
    const seen = done
    await expect.poll(() => done, { timeout: 20_000 }).toBeGreaterThan(seen + 1)
    await settled(page)
    expect(await rows.count()).toBe(76)
    await context.unroute(`**/v4/plans/${plan.id}`)
    await api.POST('/api/admin/organisations/v4/plans/{plan_id}/cancel', { params: { path: { plan_id: plan.id } } })
  })

  it('a file as Excel writes it in German', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/new-plan')
    const rows = ['Personal-Nr.;Vorname;Nachname;Benutzername;Eintrittsdatum;Schuhe']
    rows.push(
      'HR-90001;Jörg;Weiß;joerg.weiss.90001;25.01.2006;46',
      'HR-90002;Änne;Groß;aenne.gross.90002;2006-01-25;38',
    )
    const give = (name: string, buffer: Buffer) =>
      giveFile(page, page.getByLabel('File (required)'), { name, mimeType: 'text/csv', buffer })
    const refused = (text: RegExp) => page.locator('.drop .fault').getByText(text).waitFor()
    await give('Personal.xlsx', Buffer.from([0x50, 0x4b, 3, 4]))
    await refused(/^This is an Excel file/)
    await press(page, button(page, 'Work out the changes'))
    expect(await page.locator('.field .fault').count()).toBe(1)
    await give('Personal.csv', Buffer.from(`${rows[0]}\r\n`))
    await refused(/^There is no row below the headers/)
    await give('Personal.csv', Buffer.from(rows.join('\r\n'), 'latin1'))
    await refused(/^Some letters of this file cannot be read\. Save it in Excel as “CSV UTF-8”/)
    await press(page, button(page, 'Work out the changes'))
    await give('Personal.csv', Buffer.from(`\uFEFF${rows.join('\r\n')}`))
    await page.getByText('What the 6 columns are · 4 suggested · 1 not recognised').waitFor()
    const column = (name: string) => page.getByRole('combobox', { name, exact: true }).locator('option:checked')
    // Nobody needs to open them.
    await column('Personal-Nr.').and(page.getByText('External ID')).waitFor({ state: 'attached' })
    expect(await column('Vorname').textContent()).toBe('First name (suggested)')
    expect(await column('Eintrittsdatum').textContent()).toBe('Date of joining (recognised)')
    expect(await column('Schuhe').textContent()).toBe('Not recognised')
    expect(await page.getByRole('combobox', { name: 'Vorname' }).isVisible()).toBe(true)
    await page.getByText('Dates must be written as 2026-12-31: Eintrittsdatum').waitFor()
    // Two columns are one field.
    await pick(page, 'Schuhe', 'First name')
    await press(page, button(page, 'Work out the changes'))
    await page.getByText('Another column is the same. Leave one of them out.').waitFor()
    await pick(page, 'Schuhe', 'Leave')
    // Somebody ends the sending: the plan is cancelled, and the form is as it was.
    const latest = async () => (await admin().GET('/api/admin/organisations/v4/plans')).data.plans[0]
    await page.context().route('**/parts/1', async () => {
      // Never answered.
    })
    await press(page, button(page, 'Work out the changes'))
    await page.getByRole('combobox', { name: 'Who a row is about' }).and(page.locator(':disabled')).waitFor()
    await press(page, button(page, 'Cancel'))
    await page.getByText('The file was not sent. Nothing has been changed.').waitFor()
    await expect.poll(async () => (await latest())?.state).toBe('CANCELLED')
    await page.getByRole('combobox', { name: 'Who a row is about' }).and(page.locator(':enabled')).waitFor()
    await page.context().unroute('**/parts/1')
    await press(page, button(page, 'Work out the changes'))
    expect(await planned(page)).toBe(1)
    await page
      .getByRole('row', {
        name: /^Row 2 · Eintrittsdatum ?HR-90001 · Jörg Weiß Write the date as 2006-01-25.*In the file: 25\.01\.2006/,
      })
      .waitFor()
    await press(page, button(page, 'Cancel the plan'))
    await press(page, button(page.getByRole('dialog'), 'Cancel the plan'))
    await page.getByText('The plan was cancelled.').first().waitFor()
  })

  it('who leaves the form while a file is sent ends that; another language asks before it drops the form', async () => {
    const { page, go } = await sharedVisit('admin')
    const text = 'External ID;First name\r\nHR-1;Ida\r\n'
    // What the columns are is not known before the attributes are.
    const { promise: release, resolve } = Promise.withResolvers<void>()
    await page.context().route('**/user-attribute-definitions*', async (route) => {
      await release
      await route.continue()
    })
    await go('/plans')
    await go('/new-plan')
    await giveFile(page, page.getByLabel('File (required)'), {
      ...{ name: 'left.csv', mimeType: 'text/csv' },
      buffer: Buffer.from(text),
    })
    await press(page, button(page, 'Work out the changes'))
    await page.getByRole('status').getByText('The file is being read …').waitFor()
    resolve()
    await page.getByText('What the 2 columns are').waitFor()
    // Somebody says no.
    await page.evaluate(() => Object.assign(window, { confirm: () => false }))
    await tabTo(page, page.getByRole('combobox', { name: 'Language' }))
    await page.keyboard.type('Deutsch')
    await page.getByText('left.csv').waitFor({ timeout: 5_000 })
    expect(await page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('en')
    await page.context().route('**/parts/1', async () => {
      // Never answered.
    })
    await press(page, button(page, 'Work out the changes'))
    await button(page, 'Cancel').waitFor()
    await page.evaluate(() => Object.assign(window, { confirm: () => true }))
    await press(page, page.getByRole('link', { name: 'All plans' }))
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    const latest = async () => (await admin().GET('/api/admin/organisations/v4/plans')).data.plans[0]
    await expect.poll(async () => (await latest())?.state).toBe('CANCELLED')
    expect((await latest())?.title).toBe('left.csv')
    expect(new URL(page.url()).pathname).toMatch(/plans$/)
  })

  it('a file that is refused is tried again with other choices', async () => {
    const { page, go } = await sharedVisit('admin')
    await go('/new-plan')
    const text = 'External ID;First name;Last name;Username\r\nHR-66001;Zoë;Maß;zoe.mass.66001\r\n'
    const file = { name: 'hr.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await giveFile(page, page.getByLabel('File (required)'), file)
    await page.getByText('What the 4 columns are').waitFor()
    await pick(page, 'People who are not in the file', 'Are deactivated')
    await fill(page, 'How many people the file has (required)', '7')
    await press(page, button(page, 'Work out the changes'))
    await page.getByText('The file has 1 row, and you said 7. Is it cut off?').first().waitFor()
    await page.getByRole('region', { name: 'Choices' }).getByText('Are deactivated').waitFor()
    await press(page, button(page, 'Try again with other choices'))
    await page.getByText('These are the file and the choices of the plan that was refused.').waitFor()
    await page.getByRole('status').getByText('hr.csv').waitFor()
    // A press before the file is read only says so.
    await page.getByText('What the 4 columns are').waitFor()
    const absent = page.getByLabel('People who are not in the file')
    expect(await absent.locator('option:checked').textContent()).toBe('Are deactivated')
    await pick(page, 'People who are not in the file', 'Stay as they are')
    await press(page, button(page, 'Work out the changes'))
    expect(await planned(page)).toBe(1)
    await press(page, button(page, 'Cancel the plan'))
    await press(page, button(page.getByRole('dialog'), 'Cancel the plan'))
    await page.getByText('The plan was cancelled. Nothing was changed.').waitFor()
  })

  it('a plan that is applied while somebody is about to cancel it says so', async () => {
    const path = '/api/admin/organisations/v4/plans'
    const body = {
      kind: 'SELECTION' as const,
      select: { user_ids: ['user-001'] },
      change: { update: { tags: { add: ['meanwhile'] } } },
    }
    const { data: made } = await admin().POST(path, { body })
    const { page, go } = await sharedVisit('admin')
    await go(`/plan?id=${made.id}`)
    expect(await planned(page)).toBe(1)
    await press(page, button(page, 'Cancel the plan'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing has been changed, and nothing will be.').waitFor()
    await admin().POST(`${path}/{plan_id}/apply`, { params: { path: { plan_id: made.id } }, body: { planned: 1 } })
    await dialog.getByText('It is already applied: 1 change.').waitFor()
    await press(page, dialog.getByRole('button', { name: 'Close' }).last())
    await press(page, button(page, 'Take back'))
    const takenBack = page.getByRole('link', { name: 'The plan that is taken back' })
    await takenBack.waitFor()
    expect(await planned(page)).toBe(1)
    // Somebody who has decided otherwise can take it back all the same, later.
    await press(page, button(page, 'Cancel the plan'))
    await button(page.getByRole('dialog'), 'Keep it').waitFor()
    await press(page, button(page.getByRole('dialog'), 'Cancel the plan'))
    await page.getByText('The plan was cancelled. Nothing was changed.').waitFor()
    await press(page, takenBack)
    await page.getByRole('heading', { level: 1, name: 'Add the tag meanwhile', exact: true }).waitFor()
    await press(page, button(page, 'Take back'))
    await takenBack.waitFor()
    expect(await planned(page)).toBe(1)
    await press(page, button(page, 'Apply'))
    await press(page, button(page.getByRole('dialog'), 'Apply'))
    await page.getByText('1 change was made, 0 skipped').waitFor()
  })

  it('a plan that is applied after another one says that it waits', async () => {
    const path = '/api/admin/organisations/v4/plans'
    const body = {
      kind: 'SELECTION' as const,
      select: { user_ids: ['user-001'] },
      change: { update: { tags: { add: ['later'] } } },
    }
    const { data: made } = await admin().POST(path, { body })
    const { page, go } = await sharedVisit('admin')
    const first = { ...made, id: 'first', state: 'APPLYING', applied_at: '2026-01-01T00:00:00.000Z' }
    const shown = { ...made, state: 'APPLYING', applied_at: made.created_at, progress: { done: 0, total: 1 } }
    const pagination = { limit: 25, next_cursor: null }
    await page.context().route(`**/plans/${made.id}`, (route) => route.fulfill({ json: shown }))
    await page
      .context()
      .route(/plans\?state=APPLYING/, (route) => route.fulfill({ json: { plans: [first], pagination } }))
    await go(`/plan?id=${made.id}`)
    await page.getByText('Waits until another plan is applied.').waitFor()
    await admin().POST(`${path}/{plan_id}/cancel`, { params: { path: { plan_id: made.id } } })
    await go('/plans')
  })

  it('the file of a plan is chosen once more, to see what it has where the faults are', async () => {
    const rows = [1, 2, 3, 4, 5].map((n) => `HR-7700${n};Zoë;Maß;on leave\r\n`)
    const text = `External ID;First name;Last name;Status\r\n${rows.join('')}`
    const path = '/api/admin/organisations/v4/plans'
    const { data: made } = await admin().POST(path, { body: { kind: 'FILE' as const, title: 'Once more' } })
    const body = await uploadPlanFile(admin(), made.id, new Blob([text]))
    const params = { path: { plan_id: made.id } }
    await admin().POST(`${path}/{plan_id}/check`, { params, body })
    const { page, go } = await sharedVisit('admin')
    await go(`/plan?id=${made.id}`)
    const faults = page.getByRole('table', { name: 'Faults' })
    await faults.getByRole('row', { name: /^Row 2 · Status ?Write ACTIVE/ }).waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: /^5 rows: Status: Write ACTIVE, LOCKED or DEACTIVATED\. The first is row 2\.$/ })
      .waitFor()
    const file = page.getByLabel('Choose the file once more')
    const give = (content: string) =>
      giveFile(page, file, { name: 'hr.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
    await give(text.replace('on leave', 'ACTIVE'))
    await page.getByText('This is another file, not the one of this plan.').waitFor()
    await give(text)
    await faults
      .getByRole('row', { name: /^Row 2 · Status ?HR-77001 · Zoë Maß Write.*In the file: on leave/ })
      .waitFor()
    expect(await file.isVisible()).toBe(false)
    await admin().POST(`${path}/{plan_id}/cancel`, { params })
  })

  it('the nightly file of HR, with three faults, is applied and taken back', async () => {
    const before = await everybody()
    const { page, go } = await sharedVisit('admin')
    await go('')
    await goTo(page, 'Plans')
    await press(page, page.getByRole('link', { name: 'From a file' }))
    await page.getByRole('heading', { level: 1, name: 'Plan from a file' }).waitFor()
    await settled(page)
    await giveFile(page, page.getByLabel('File (required)'), hrFile)
    // As long as it is being read it cannot be sent.
    await page.getByText('What the 13 columns are · 1 not recognised').waitFor()
    // What is wrong has the focus: the file has no ids.
    await pick(page, 'Who a row is about', 'By ID')
    await press(page, button(page, 'Work out the changes'))
    await page.getByText('No column says this.').waitFor()
    await page.locator('select[name=match_by]:focus').waitFor()
    await page.keyboard.type('By external')
    // All columns but one are known by their headers.
    await press(page, page.getByText('What the 13 columns are · 1 not recognised'))
    const column = (name: string) => page.getByRole('combobox', { name, exact: true }).locator('option:checked')
    expect(await column('Primary user group').textContent()).toBe('Primary group (recognised)')
    expect(await column('Date of joining').textContent()).toBe('Date of joining (recognised)')
    expect(await column('Shift').textContent()).toBe('Not recognised')
    await pick(page, 'Shift', 'Leave')
    await pick(page, 'People who are not in the file', 'Are deactivated')
    await pick(page, 'Among whom', 'People with this Department')
    await choose(page, 'Value', 'Warehouse')
    await press(page, button(page, 'Work out the changes'))
    await page.locator('input[name=rows]:focus').waitFor()
    await page.keyboard.type('46')
    // Also in what is folded up.
    await press(page, page.getByText('More choices'))
    await tabTo(page, page.getByLabel('People changed, at most (%)'))
    await page.keyboard.type('500')
    await tabTo(page, page.getByText('More choices'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await press(page, button(page, 'Work out the changes'))
    await page.getByText('Please give a whole number from 0 to 100.').waitFor()
    await page.locator('input:focus').and(page.getByLabel('People changed, at most (%)')).waitFor()
    await page.keyboard.press('Backspace')
    await press(page, button(page, 'Work out the changes'))

    const count = await planned(page)
    expect(count).toBe(9)
    await page.getByRole('heading', { level: 1, name: 'hr.csv' }).waitFor()
    const changes = page.getByRole('table', { name: 'Changes' })
    await changes.getByRole('row', { name: /Hülya Türkmen.*Row 32.*Türkmen.*Aydın/ }).waitFor()
    await changes
      .getByRole('row', {
        name: /Noor de Vries.*Create.*Status ?Active.*Date of joining ?1 Dec 2026.*Job title ?Shift lead/,
      })
      .waitFor()
    const faults = page.getByRole('table', { name: 'Faults' })
    await faults.getByRole('row', { name: /^Row 26 · Date of joining ?HR-.* Write the date as 2006-01-25/ }).waitFor()
    await faults.getByRole('row', { name: /^Row 39 · Username/ }).waitFor()
    await faults.getByRole('row', { name: /^Row 46 · Status ?HR-.* Write ACTIVE, LOCKED or DEACTIVATED/ }).waitFor()
    expect(await faults.getByRole('row').count()).toBe(1 + 3)
    const saving = page.waitForEvent('download')
    await press(page, button(page, 'Save as CSV'))
    const download = await saving
    expect(download.suggestedFilename()).toBe('Faults - hr.csv')
    const saved = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(saved[0]).toBe('Row,Key or ID,Name,Column,Value in the file,Fault,Code,Details for support')
    const inFile = readFileSync(hrFile, 'utf8').split(/\r?\n/)
    const cells = (row: number, ...columns: number[]) => columns.map((column) => inFile[row - 1]?.split(',')[column])
    for (const [n, row] of [26, 39, 46].entries()) {
      const [key, first, last] = cells(row, 0, 2, 3)
      expect(saved[n + 1]?.split(',').slice(0, 3)).toEqual([String(row), key, `${first} ${last}`])
    }
    expect(saved[1]?.split(',').slice(3, 5)).toEqual(['Date of joining', ...cells(26, 10)])
    expect(saved[3]?.split(',').slice(3, 5)).toEqual(['Status', ...cells(46, 5)])
    expect(await everybody(), 'nothing is changed before it is applied').toEqual(before)

    await apply(page, count)
    const names = (people: typeof before) => people.map(({ first_name, last_name }) => `${first_name} ${last_name}`)
    expect(names(await everybody())).toEqual(expect.arrayContaining(['Hülya Aydın', 'Noor de Vries', 'Zofia Żak']))
    await takeBack(page, count, 'The people whom the plan had created are deleted.')
    expect(await everybody()).toEqual(before)
  })
}
