import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { handler } from '../../local/docs/page.ts'
import offline from '../../local/offline.ts'

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
  const load = (command: string) => {
    const service = { functions: {} as Record<string, object>, custom: { esbuild: {} as Record<string, unknown> } }
    offline({ processedInput: { commands: [command], options: { httpPort: '3000' } }, service })
    return service
  }

  test('adds the page, and a folder of its own for the bundles, to serverless offline', () => {
    const { functions, custom } = load('offline')
    expect(Object.keys(functions)).toEqual(['docs'])
    expect(custom.esbuild.outputWorkFolder).toBe('.build/offline-3000')
  })

  test.each(['package', 'deploy'])('adds nothing to serverless %s', (command) => {
    expect(load(command)).toEqual({ functions: {}, custom: { esbuild: {} } })
  })
})
