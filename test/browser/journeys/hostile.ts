// Content that others have chosen never runs, and sends nothing.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { heard } from '../announcements.ts'
import { violations, widthOver } from '../eachScreen.ts'
import { button, fill, press } from '../keyboard.ts'
import { unreached } from '../keys.ts'
import type { Running } from '../running.ts'
import { settled } from '../visit.ts'

const away = 'http://elsewhere.example'
const hostile = [
  `<script>ran = 1</script>`,
  `<img src="${away}/img" onerror="ran = 1">`,
  `<svg onload="ran = 1"><script>ran = 1</script><a href="javascript:ran = 1"><text>x</text></a></svg>`,
  `<math><mtext><style><img src="${away}/math" onerror="ran = 1"></style></mtext></math>`,
  `<iframe srcdoc="<script>parent.ran = 1</script>" src="${away}/frame"></iframe>`,
  `<meta http-equiv="refresh" content="0;url=${away}/refresh">`,
  `<base href="${away}/"><link rel="stylesheet" href="${away}/style">`,
  `<style>@import "${away}/import"; body { display: none }</style><p style="background: url(${away}/css)">x</p>`,
  `<form action="${away}/form"><input name="a" autofocus onfocus="ran = 1"><button>Send</button></form>`,
  `<template><script>ran = 1</script></template><object data="${away}/o"></object><embed src="${away}/e">`,
  `<a href="javascript:ran = 1" onclick="ran = 1">Click</a><a href=" java\nscript:ran = 1">here</a>`,
  `<a href="data:text/html,<script>opener.ran = 1</script>">there</a><details open ontoggle="ran = 1">x</details>`,
]
/** As much as a short field takes. */
const name = '<img src=x onerror=ran=1><script>ran=1</script>'
const texts = [{ language: 'en-GB', text: name }]

/** What stands in the page that only a hostile text can have put there, and whether any of it has run. */
const dangers = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const elements = [...document.querySelectorAll('body *:not(body > script)')]
    const isDanger = (one: Element) =>
      one.matches(
        'script, img, svg, math, iframe, meta, base, link, style, template, object, embed, .formatted form',
      ) ||
      [...one.attributes].some(
        ({ name, value }) => /^on|^style$|^srcdoc$/.test(name) || /^\s*(java|data:)/i.test(value),
      )
    const found = elements.filter(isDanger).map(({ outerHTML }) => outerHTML.slice(0, 200))
    return 'ran' in window ? ['It has run', ...found] : found
  })

export const hostileJourneys = ({ visitAs, sharedVisit, service }: Running) => {
  const admin = () => service().clientOf('admin')
  /** Answers webhooks. */
  const receiver = createServer((_, response) => {
    response.writeHead(500, name.replaceAll(/[^ -~]/g, ''), { 'content-type': 'text/html' })
    response.end(hostile.join(''))
  })
  beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, 'localhost', resolve)))
  afterAll(() => new Promise<unknown>((resolve) => receiver.close(resolve)))

  it('a visit notices what must not be', async () => {
    const { page, faults, refused, pointed } = await visitAs('user')
    const asked = page.waitForRequest('**/api/**')
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    const token = (await (await asked).headerValue('authorization'))?.replace('Bearer ', '') ?? ''
    expect(token.length).toBeGreaterThan(100)
    await page.evaluate(async (secret) => {
      document.body.append(Object.assign(document.createElement('script'), { text: 'ran = 1' }))
      sessionStorage.setItem('kept', secret)
      console.error('Something')
      await fetch('http://elsewhere.example/').catch(() => {})
      await fetch('/api/nowhere').catch(() => {})
    }, token)
    expect(pointed()).toContainEqual(expect.stringMatching(/^pointerdown: <a/))
    await page.evaluate(() => {
      const noKey = Object.assign(document.createElement('p'), { id: 'no-key', textContent: 'No key' })
      noKey.addEventListener('click', () => {})
      const noStop = Object.assign(document.createElement('button'), {
        id: 'no-stop',
        tabIndex: -1,
        textContent: 'No stop',
      })
      document.querySelector('main')?.append(noKey, noStop)
    })
    expect(await unreached(page)).toEqual([expect.stringContaining('no-key'), expect.stringContaining('no-stop')])
    await page.getByRole('link', { name: 'Tasks', exact: true }).focus()
    expect(pointed()).toContainEqual(expect.stringMatching(/^focus: <a/))
    await page.keyboard.press('Shift')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    const found = await faults()
    expect(refused()).toEqual(['404 /api/nowhere'])
    for (const fault of [
      /^policy: script-src/,
      /^policy: connect-src/,
      /^no operation: GET/,
      /Something/,
      /in: storages/,
      /^focus lost after Shift: <a/,
    ])
      expect(found).toContainEqual(expect.stringMatching(fault))
    await page.evaluate(() => sessionStorage.clear())
    await page.locator('main').focus()
  })

  it('names, titles, tags and values', async () => {
    const values = [{ name: 'department', value: name }]
    const { data: user } = await admin().POST('/api/admin/users/v4/users', {
      body: {
        ...{ username: name, first_name: name, last_name: name, role: 'USER', status: 'ACTIVE' },
        ...{ tags: [{ name }], attributes: values },
      },
    })
    const { data: group } = await admin().POST('/api/admin/users/v4/user-groups', {
      body: { title: texts, description: texts, parent_id: 'all-users' },
    })
    const { data: channel } = await admin().POST('/api/admin/channels/v4/channels', { body: { title: texts } })
    await admin().POST('/api/admin/users/v4/roles', { body: { title: texts, scope: 'USER_GROUPS' } })
    const condition = { field: 'TAG', operator: 'EQUALS' as const, values: [name] }
    const { data: rule } = await admin().POST('/api/admin/users/v4/user-group-rules', {
      body: { title: name, user_group_id: group.id, role_id: 'group-member', conditions: [condition] },
    })
    await admin().POST('/api/admin/users/v4/user-attribute-definitions', {
      body: { technical_name: 'hostile', title: texts, attribute_type: 'TEXT' },
    })
    await admin().POST('/api/admin/organisations/v4/service-tokens', { body: { name, scopes: ['READ'] } })
    const { page, go } = await sharedVisit('admin')
    const screens = [
      ...['', '/people?search=onerror', `/person?id=${user.id}`, '/groups?search=onerror', `/group?id=${group.id}`],
      ...['/channels', `/channel?id=${channel.id}`, `/rule?id=${rule.id}`, '/settings?view=roles', '/connections'],
      ...['/settings?view=attributes', '/history', `/people?search=${encodeURIComponent(hostile.join(''))}`],
    ]
    let shown = 0
    for (const screen of screens) {
      await go(screen)
      shown += await page.getByText('onerror').count()
      expect(await dangers(page), screen).toEqual([])
    }
    expect(shown).toBeGreaterThan(screens.length)
  })

  it.each(['html', 'delta', 'plain'] as const)(
    'the text of a task as %s, also where cleaning has failed',
    async (form) => {
      const text =
        form === 'delta'
          ? JSON.stringify({ ops: hostile.map((insert) => ({ insert, attributes: { link: insert } })) })
          : hostile.join('')
      const body = { title: name, body: { [form]: text }, recipients: [{ id: 'demo-admin', type: 'USER' as const }] }
      const { data } = await admin().POST('/api/tasks/v4/tasks', { body })
      const { page, go, context, faults } = await sharedVisit('admin')
      await go(`/task?id=${data.id}`)
      await page.getByRole('heading', { level: 1, name }).waitFor()
      expect(await dangers(page)).toEqual([])
      expect(await faults()).toEqual([])
      await context.route(`**/api/tasks/v4/tasks/${data.id}?*`, (route) =>
        route.fulfill({ json: { ...data, body: form === 'plain' ? { plain: text } : { html: hostile.join('') } } }),
      )
      await go('/tasks')
      await go(`/task?id=${data.id}`)
      await page.getByText('Click').first().waitFor()
      expect(await dangers(page)).toEqual([])
      for (const link of await page.locator('.formatted a').all()) await link.click()
      expect(await dangers(page)).toEqual([])
      // The policy also reports styles and a base in a document that is only parsed.
      const others = (await faults()).filter((fault) => !/style-src|inline style|base URI|base-uri/.test(fault))
      expect(others).toEqual([])
    },
  )

  it('a file: its name, headers and cells', async () => {
    const cell = `"${hostile.join('').replaceAll('"', '""')}"`
    const rows = [
      `External ID,Username,Status,First name,${cell}`,
      `${cell},a,${cell},${cell},x`,
      `X-1,,ACTIVE,${cell},x`,
    ]
    const { page, go } = await sharedVisit('admin')
    await go('/new-plan')
    const file = { name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) }
    await page.getByLabel('File (required)').setInputFiles(file)
    await press(page, page.getByText(/^What the 5 columns are/))
    expect(await dangers(page)).toEqual([])
    await press(page, button(page, 'Work out the changes'))
    await page.getByRole('table', { name: 'Faults' }).waitFor()
    await page.getByText('These columns were not used:').waitFor()
    await settled(page)
    expect(await dangers(page)).toEqual([])
  })

  it('the answers of a webhook', async () => {
    const url = `http://localhost:${(receiver.address() as AddressInfo).port}/${encodeURIComponent(name)}`
    const { data } = await admin().POST('/api/admin/organisations/v4/webhooks', { body: { url, description: name } })
    const { page, go } = await sharedVisit('admin')
    await go(`/webhook?id=${data.id}`)
    await press(page, button(page, 'Send a test'))
    const row = page.getByRole('row', { name: /^Test/ })
    await press(page, row.getByText('1 attempt', { exact: true }))
    await row.getByText(/500 · \d+ ms/).waitFor()
    expect(await dangers(page)).toEqual([])
  })

  // The last test of all, as forms stay so long.
  it('50 attributes, long texts, names from right to left and emoji, at 320 pixels', async () => {
    const client = admin()
    const path = '/api/admin/users/v4/user-attribute-definitions'
    const { attribute_definitions: before } = (await client.GET(path)).data
    const made = Array.from({ length: 50 - before.length }, (_, n) => `extra_${n}`)
    for (const technical_name of made)
      await client.POST(path, {
        body: {
          technical_name,
          attribute_type: 'TEXT',
          user_permission: 'VIEW',
          title: [{ language: 'en-GB', text: `${technical_name} ${'VeryLongTitle'.repeat(9)}` }],
        },
      })
    const body = {
      id: 'long-texts',
      first_name: '👩🏽‍🚒 مريم',
      last_name: `${'אברהם-'.repeat(9)}יצחק`,
      username: 'm'.repeat(255),
      role: 'USER' as const,
      status: 'ACTIVE' as const,
      attributes: made.map((name, n) => ({ name, value: n % 2 ? 'x'.repeat(255) : 'القيمة 🎉 '.repeat(25).trim() })),
    }
    await client.POST('/api/admin/users/v4/users', { body })
    const { page, go } = await visitAs('admin', { width: 320 })
    await go('/person?id=long-texts')
    const title = page.getByRole('heading', { level: 1, name: `${body.first_name} ${body.last_name}` })
    await title.waitFor()
    expect(await title.evaluate((one) => getComputedStyle(one).direction)).toBe('rtl')
    await page.getByText('extra_0 VeryLongTitle').waitFor()
    expect(await widthOver(page)).toEqual([])
    await press(page, button(page, 'Edit profile'))
    expect(await page.locator('input[name^="attribute:"]').count()).toBe(50)
    expect(await widthOver(page)).toEqual([])
    expect(await violations(page)).toEqual([])
    await fill(page, 'First name', '👩🏽‍🚒 Miryam')
    await page.keyboard.press('Enter')
    await heard(page, 'Saved.')
    await go('/people?search=miryam')
    await page.getByRole('link', { name: /^👩🏽‍🚒 Miryam/ }).waitFor()
    expect(await widthOver(page)).toEqual([])
  })
}
