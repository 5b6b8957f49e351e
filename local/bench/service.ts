import { serviceAccountId } from '../identity/tokenEndpoint.ts'
import { startChild } from '../shared/child.ts'
import { freePort } from '../shared/ports.ts'
import { root } from '../shared/root.ts'
import { untilAnswering } from '../shared/untilAnswering.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every endpoint
type Any = any

/** The service as `npm start` runs it, on a table that is filled already. */
export type Service = {
  baseUrl: string
  /** Where people sign in. */
  issuer: string
  /** A request as the administrator of this machine; throws where it is refused. */
  ask: (method: string, path: string, body?: object) => Promise<Any>
  stop: () => Promise<void>
}

const SECONDS_TO_START = 300

/** Starts the service and waits until it answers. */
export async function startService({ endpoint, tableName }: World): Promise<Service> {
  const [port, identityPort] = [await freePort(), await freePort()]
  const lines: string[] = []
  const { stop, ended } = startChild({
    command: process.execPath,
    args: ['local/start.ts'],
    cwd: root,
    env: {
      ...process.env,
      DYNAMODB_ENDPOINT: endpoint,
      TABLE_NAME: tableName,
      PORT: String(port),
      IDENTITY_PORT: String(identityPort),
    },
    onLine: (line) => void lines.push(line),
  })
  const baseUrl = `http://localhost:${port}`
  const issuer = `http://localhost:${identityPort}`
  if (!(await untilAnswering({ url: `${baseUrl}/docs`, ended, seconds: SECONDS_TO_START }))) {
    await stop()
    throw new Error(`The service did not start:\n${lines.slice(-50).join('\n')}`)
  }
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: serviceAccountId,
    client_secret: 'any',
  })
  const token: Any = await (await fetch(`${issuer}/token`, { method: 'POST', body })).json()
  const headers = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  return { baseUrl, issuer, ask, stop }
}
