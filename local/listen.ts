// npm run listen: a webhook of the local service. Verifies its messages and prints events as they come, until Ctrl-C.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { serviceAccountId } from './identity/tokenEndpoint.ts'
import { command, failed, said } from './shared/command.ts'

const help = `Usage: npm run listen -- [TYPE...]

Creates a webhook of the local service for events of these types, such as user.created or 'task.*', or for all events. Verifies
the signatures of its messages, and prints each event as it comes. Once it prints that it is listening, it misses none. Ctrl-C
deletes the webhook and ends.

  PORT           port of the API (3000)
  IDENTITY_PORT  port of the identity provider (8080)
  LISTEN_PORT    port to listen on (any that is free)
`

type Settings = { api: string; tokens: string; port: number; types: string[] }

/** Listens until `stop` is called, which deletes the webhook. `print` gets a line for each message. */
export async function listen({ api, tokens, port, types }: Settings, print: (line: string) => void) {
  const form = { grant_type: 'client_credentials', client_id: serviceAccountId, client_secret: 'any' }
  const webhooks = `${api}/api/admin/organisations/v4/webhooks`
  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const answer = await fetch(tokens, { method: 'POST', body: new URLSearchParams(form) })
    const { access_token } = (await answer.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    return fetch(`${webhooks}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  }
  let secret = ''
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    const line = body && lineOf(body, request.headers as Record<string, string>, secret)
    print(line || 'A message without a valid signature')
    response.writeHead(line ? 204 : 401).end()
  })
  const create = async () => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const wanted = types.length > 0 ? { types } : {}
    const answer = await ask('POST', '', { url, description: 'npm run listen', ...wanted })
    const body = (await answer.json()) as { id: string; secret: string; detail?: string }
    if (!answer.ok) throw new Error(body.detail)
    return body
  }
  // A server that listens would keep the process alive.
  const webhook = await create().catch((error: unknown) => {
    server.close()
    throw error
  })
  secret = webhook.secret
  const stop = () => ask('DELETE', `/${webhook.id}`).finally(() => server.close())
  return { stop }
}

/** The body of a request; undefined if its sender ends in the middle. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  let text = ''
  try {
    for await (const chunk of request.setEncoding('utf8')) text += chunk
  } catch {
    return undefined
  }
  return text
}

type Event = { id: string; actor: { id: string | null; operation: string }; record: { kind: string; id: string } }

/** A message in a line; undefined if its signature is wrong. */
function lineOf(body: string, headers: Record<string, string>, secret: string): string | undefined {
  try {
    const { type, timestamp, data } = new Webhook(secret).verify(body, headers) as {
      type: string
      timestamp: string
      data: Partial<Event>
    }
    const by = data.actor ? `by ${data.actor.id ?? 'the service'} (${data.actor.operation})` : ''
    return [timestamp.slice(11, 19), type.padEnd(24), data.record?.id, by].filter(Boolean).join('  ')
  } catch {
    return undefined
  }
}

/** From so long after its creation on a webhook gets every event. */
const SETTLING_MS = 5000

const run = async (): Promise<number> => {
  const { values, positionals: types } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return said(help)
  const { PORT = '3000', IDENTITY_PORT = '8080', LISTEN_PORT = '0' } = process.env
  const at = (path: string, port: string) => `http://localhost:${port}${path}`
  const settings = { api: at('', PORT), tokens: at('/token', IDENTITY_PORT), port: Number(LISTEN_PORT), types }
  // npm passes on the signal that the terminal has sent to both: the second one must not end the process before the webhook is gone.
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
  })
  const listening = await listen(settings, console.log).catch((error: Error) => error)
  if (listening instanceof Error) return failed(whyNot(listening, settings))
  const isSettled = setTimeout(
    () => console.log(`Listening for ${types.join(', ') || 'all events'}. Ctrl-C ends it.`),
    SETTLING_MS,
  )
  await ended
  clearTimeout(isSettled)
  await listening.stop()
  return 0
}

/** `fetch` throws a TypeError if it gets no answer. */
const whyNot = (error: Error, { api, tokens }: Settings): string =>
  error instanceof TypeError ? `Nothing answers at ${api} and ${tokens}: is npm start running?` : error.message

if (import.meta.main) await command(run)
