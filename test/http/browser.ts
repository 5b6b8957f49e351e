import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, leftOut, servePages, titleOf } from '../harness/browser.ts'
import type { Running } from './service.ts'

/** What a page does with a token of that source: it uses the typed client. Its title says what it has seen. */
const script = (baseUrl: string, token: string) => `
  import { clientCredentials, createClient } from './client/dist/index.js'
  const client = createClient({ baseUrl: '${baseUrl}', token: ${token}, attempts: 1 })
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
  // A page learns nothing of an answer that it may not read, not even a status.
  const failed = ({ message, status = 'no answer' }) => ({ failed: message, status })
  document.title = JSON.stringify(await work().catch(failed))`

/** A page gets a token from the issuer, or was given one. */
const sources: Record<string, (running: Running) => Promise<string>> = {
  'a token that it gets': async ({ tokenEndpoint }) =>
    `clientCredentials({ tokenEndpoint: '${tokenEndpoint}', clientId: 'service-account-admin', clientSecret: 'any' })`,
  'a token that it was given': async ({ tokenOf }) =>
    `() => ({ access_token: '${await tokenOf('service-account-admin')}' })`,
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Web pages with the typed client, in a real browser. `further`: an origin of CORS_ORIGINS. */
export const browserTests = (running: () => Running, further: string) =>
  describe.skipIf(!hasBrowser)(`a page with the typed client in a real browser${leftOut}`, () => {
    beforeAll(() => running().fill('EMPTY'))

    /** What a page sees. `origin`: http://localhost for a page of any port, or that of a page elsewhere. */
    const visit = async (origin: string, source: string) => {
      const contents = script(running().baseUrl, (await sources[source]?.(running())) ?? '')
      const bundled = await build({
        stdin: { contents, resolveDir: root, loader: 'js' },
        ...({ bundle: true, format: 'esm', write: false, logLevel: 'error' } as const),
      })
      const code = bundled.outputFiles[0]?.text ?? ''
      const { address, stop } = await servePages((_request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(`<!doctype html><title></title><script type="module">${code}</script>`)
      })
      const { host, port } = new URL(address)
      const isHere = origin === 'http://localhost'
      const page = isHere ? titleOf(`${origin}:${port}`) : titleOf(origin, [`${new URL(origin).hostname} ${host}`])
      return page.finally(stop)
    }

    /** Each origin with each source of tokens. */
    const from = (...origins: string[]) =>
      origins.flatMap((origin) => Object.keys(sources).map((source): [string, string] => [origin, source]))

    it.each(from('http://localhost', further))(
      'of %s creates, reads and deletes a role, with %s',
      async (origin, source) => {
        expect(await visit(origin, source)).toEqual({
          title: 'By a page',
          location: true,
          etag: expect.stringMatching(/^"/),
        })
      },
    )

    it.each(from('http://evil.test'))('of %s gets nothing, with %s', async (origin, source) => {
      expect(await visit(origin, source)).toEqual({
        failed: expect.stringMatching(/ (does not answer|got no answer)$/),
        status: 'no answer',
      })
    })
  })
