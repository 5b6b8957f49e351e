import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterEach, describe, expect, test } from 'vitest'
import { handler } from '../../local/docs/page.ts'
import offline, { BUNDLES } from '../../local/offline.ts'

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

  test('shows the committed OpenAPI document', async () => {
    const { body = '', headers } = await ask('openapi.json')
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })
    expect(JSON.parse(body).openapi).toMatch(/^3\.1/)
  })

  test.each(['package.json', '../package.json', 'toString', '__proto__'])('does not hand out %s', async (file) => {
    expect((await ask(file)).statusCode).toBe(404)
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
