import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { routesOf, serviceFunctions } from '../../local/build/yamlFiles.ts'
import { call, type Reply } from './call.ts'

/** What a gateway passes on of the headers that matter here. */
const passedOn = ['authorization', 'content-type', 'content-encoding', 'idempotency-key', 'if-match', 'if-none-match']

const routes = routesOf(serviceFunctions()).map(({ name, method, path }) => ({
  ...{ name, method },
  pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

const decoded = (parts: Record<string, string>) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, decodeURIComponent(part)]))

/** Runs after each answer, before it is sent. */
type After = (name: string, reply: Reply) => unknown

/**
 * The handlers of the active service behind a port of this machine, for what speaks HTTP: the client and the commands. Each answer
 * is checked as `call` checks it; one that breaks its contract is a 500 with the reason.
 */
export async function serveHandlers(after: After = () => undefined) {
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
    for (const { name, method, pattern } of routes) {
      const found = method === request.method && pattern.exec(pathname)
      if (found) return replyOf(name, decoded(found.groups ?? {}), search.slice(1), request)
    }
    throw new Error(`No endpoint has ${request.method} ${pathname}`)
  }
  const replyOf = async (name: string, path: Record<string, string>, query: string, request: IncomingMessage) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const headers = Object.fromEntries(
      passedOn.flatMap((header) => (request.headers[header] ? [[header, String(request.headers[header])]] : [])),
    )
    const reply = await call(name, { path, query, headers, token: null, ...(bytes.length > 0 ? { bytes } : {}) })
    await after(name, reply)
    return reply
  }
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body, headers }) => response.writeHead(status, headers).end(body && JSON.stringify(body)),
      (error: Error) =>
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ detail: error.message })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}
