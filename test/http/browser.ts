import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { chromium, leftOut, servePages, titleOf } from '../harness/browser.ts'
import type { Running } from './service.ts'

/** What a page does: gets a token, and uses the typed client. Its title says what it has seen. */
const script = (baseUrl: string, tokenEndpoint: string) => `
  import { clientCredentials, createClient } from './client/dist/index.js'
  const token = clientCredentials({
    tokenEndpoint: '${tokenEndpoint}',
    clientId: 'service-account-admin',
    clientSecret: 'any',
  })
  const client = createClient({ baseUrl: '${baseUrl}', token, attempts: 1 })
  const work = async () => {
    const title = [{ language: 'en-GB', text: 'By a page' }]
    const body = { title, scope: 'USER_GROUPS', permissions: ['READ'] }
    const { data, response } = await client.POST('/api/admin/users/v4/roles', { body })
    const params = { path: { role_id: data.id } }
    const read = await client.GET('/api/admin/users/v4/roles/{role_id}', { params })
    const header = { 'if-match': read.response.headers.get('etag') }
    await client.DELETE('/api/admin/users/v4/roles/{role_id}', { params: { ...params, header } })
    return { title: data.title[0].text, location: response.headers.get('location').endsWith(data.id), etag: header['if-match'] }
  }
  document.title = JSON.stringify(await work().catch((error) => ({ failed: error.name })))`

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Web pages with the typed client, in a real browser. */
export const browserTests = (running: () => Running) =>
  describe.skipIf(!chromium)(`a page with the typed client in a real browser${leftOut}`, () => {
    const visit = async (host: string) => {
      const contents = script(running().baseUrl, running().tokenEndpoint)
      const bundled = await build({
        stdin: { contents, resolveDir: root, loader: 'js' },
        ...({ bundle: true, format: 'esm', write: false, logLevel: 'error' } as const),
      })
      const code = bundled.outputFiles[0]?.text ?? ''
      const { address, stop } = await servePages((_request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(`<!doctype html><title></title><script type="module">${code}</script>`)
      })
      return titleOf(address.replace('127.0.0.1', host), [host]).finally(stop)
    }

    it('creates, reads and deletes a role from another port', async () => {
      expect(await visit('localhost')).toEqual({
        title: 'By a page',
        location: true,
        etag: expect.stringMatching(/^"/),
      })
    })

    it('gets nothing from another origin', async () => {
      expect(await visit('evil.test')).toEqual({ failed: expect.any(String) })
    })
  })
