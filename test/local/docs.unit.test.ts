import type { RequestListener } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { handler } from '../../local/start/apiPage/page.ts'
import offline, { BUNDLES } from '../../local/start/offlinePlugin.ts'
import { hasBrowser, leftOut, servePages, titleOf } from '../harness/browser.ts'

const ask = (file?: string) =>
  handler({ pathParameters: file ? { file } : undefined } as unknown as APIGatewayProxyEventV2)

describe('the API page', () => {
  test('loads nothing from elsewhere, and only what is served', async () => {
    const { body = '' } = await ask()
    const loaded = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url)
    expect(loaded.length).toBeGreaterThan(2)
    for (const url of loaded) {
      expect(url).toMatch(/^\/docs\//)
      expect((await ask(url.slice('/docs/'.length))).statusCode).toBe(200)
    }
  })

  test.each([
    ['openapi', /^3\.1/],
    ['asyncapi', /^3\./],
  ])('hands out the committed document %s.json', async (name, version) => {
    const { body = '', headers } = await ask(`${name}.json`)
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })
    expect(JSON.parse(body)[name]).toMatch(version)
  })

  test.each(['package.json', '../package.json', 'toString', '__proto__'])('does not hand out %s', async (file) => {
    expect((await ask(file)).statusCode).toBe(404)
  })
})

describe.skipIf(!hasBrowser)(`the API page in a real browser${leftOut}`, () => {
  type Shown = { tags: string[]; operations: string[]; open: string[]; links: string[]; text: string }
  /** What the page shows: from a link to an operation, after each phrase in the box, and after the token's button. */
  let shown: { linked: Shown; found: Record<string, Shown>; authorised: Shown }
  /** What the token endpoint was sent. */
  const forms: string[] = []
  const phrases = ['lockuser', 'calendar-settings', 'patch roles', 'no such thing']

  // Runs in the page, once Swagger UI has drawn it. Its answer is the page's title.
  const visit = `
    const until = async (isDone) => { while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 50)) }
    const all = (selector) => [...document.querySelectorAll(selector)]
    const shown = () => ({
      tags: all('.opblock-tag').map((tag) => tag.dataset.tag),
      operations: all('.opblock').map(({ id }) => id.split('-').at(-1)),
      open: all('.opblock.is-open').map(({ id }) => id.split('-').at(-1)),
      links: all('.opblock-summary-path a').map((link) => link.getAttribute('href')),
      text: all('.info, details:not([open]) > summary, .nothing, .tokens').map(({ innerText }) => innerText).join(),
    })
    await until(() => document.querySelector('.opblock.is-open'))
    const linked = shown()
    const found = {}
    const box = document.querySelector('input.find')
    for (const phrase of ${JSON.stringify(phrases)}) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, phrase)
      box.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise((resolve) => setTimeout(resolve, 500))
      found[phrase] = shown()
    }
    document.querySelector('.local-token').click()
    await until(() => document.querySelector('.authorize.locked'))
    document.title = JSON.stringify({ linked, found, authorised: shown() })`

  const listening = async (listener: RequestListener) => {
    const { address, stop } = await servePages(listener)
    stops.push(stop)
    return address
  }
  const stops: (() => void)[] = []
  afterAll(() => {
    for (const stop of stops) stop()
  })

  beforeAll(async () => {
    const issuer: string = await listening(async (request, response) => {
      for await (const chunk of request) forms.push(`${chunk}`)
      const body = { token_endpoint: `${issuer}/token`, access_token: 'a-local-token' }
      response.setHeader('access-control-allow-origin', '*').end(JSON.stringify(body))
    })
    const page = await listening(async ({ url }, response) => {
      const file = url?.split('/')[2]
      const { statusCode = 404, headers, body = '', isBase64Encoded } = await ask(file)
      response.writeHead(statusCode, headers as Record<string, string>)
      if (isBase64Encoded) response.end(Buffer.from(body, 'base64'))
      else response.end(file ? body : body.replace('</body>', () => `<script type="module">${visit}</script></body>`))
    })
    process.env.TOKEN_ISSUER = issuer
    stops.push(() => {
      delete process.env.TOKEN_ISSUER
    })
    shown = (await titleOf(`${page}/docs#/Roles/getRole`)) as typeof shown
  })

  test('opens the operation that a link names, links to each, and keeps other tags closed', () => {
    const { tags, operations, open, links } = shown.linked
    expect([tags.length > 9, open]).toEqual([true, ['getRole']])
    expect(operations).toEqual(['listRoles', 'createRole', 'getRole', 'updateRole', 'deleteRole'])
    expect(links).toEqual(operations.map((name) => `#/Roles/${name}`))
  })

  test('folds the introduction', () => {
    expect(shown.linked.text).toContain('How the API works')
    expect(shown.linked.text).not.toContain('Send an access token')
  })

  test.each([
    ['lockuser', ['Users'], ['lockUser', 'unlockUser']],
    ['calendar-settings', ['Calendar settings'], ['getCalendarSettings', 'updateCalendarSettings']],
    ['patch roles', ['Roles'], ['updateRole']],
    ['no such thing', [], []],
  ])('finds %s by name, path, method or tag', (phrase, tags, operations) => {
    expect(shown.found[phrase]).toMatchObject({ tags, operations })
    expect(shown.found[phrase]?.text.includes('No operation matches.')).toBe(tags.length === 0)
  })

  test('gets a token of the local service account, and uses it', () => {
    expect(forms).toEqual(['grant_type=client_credentials&client_id=service-account-admin&client_secret=local'])
    expect(shown.authorised.text).toContain('Authorised as service-account-admin')
  })
})

describe('the plugin for local use', () => {
  afterEach(() => {
    delete process.env[BUNDLES]
  })
  const load = (command: string) => {
    const custom = { 'serverless-offline': {} }
    const service = { provider: { environment: {} }, functions: { getUser: {} } as Record<string, object>, custom }
    offline({ processedInput: { commands: [command] }, service })
    return service
  }

  test('adds the pages to serverless offline, and runs the sources', () => {
    const { functions, custom } = load('offline')
    expect(Object.keys(functions)).toEqual(['getUser', 'docs', 'status'])
    expect(custom).toEqual({ 'serverless-offline': { location: '.' } })
  })

  test('runs bundles from a folder where that is wanted', () => {
    process.env[BUNDLES] = '.build/here'
    const { custom } = load('offline')
    expect(custom).toEqual({ 'serverless-offline': { location: '.build/here' } })
  })

  test.each(['package', 'deploy'])('adds nothing to serverless %s', (command) => {
    expect(load(command)).toEqual({
      provider: { environment: {} },
      functions: { getUser: {} },
      custom: { 'serverless-offline': {} },
    })
  })
})
