// `npm start` with the demo, for the tests of the console.
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../client/src/index.ts'
import { startChild } from '../../local/shared/child.ts'
import { freePort } from '../../local/shared/ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type Service = {
  baseUrl: string
  issuer: string
  /** Our client as that user. */
  clientOf: (username: string) => ReturnType<typeof createClient>
  stop: () => Promise<void>
}

/** Starts the service. With CONSOLE_URL and CONSOLE_ISSUER the running one that they name is used. */
export async function startConsole(): Promise<Service> {
  const { CONSOLE_URL: given, CONSOLE_ISSUER: issuer = '' } = process.env
  return given ? serviceAt(given, issuer, async () => {}) : start()
}

async function start(): Promise<Service> {
  const [PORT, DYNAMODB_PORT, IDENTITY_PORT] = [await freePort(), await freePort(), await freePort()]
  const ports = { PORT, DYNAMODB_PORT, IDENTITY_PORT, DATA_DIR: '', DIRECTORY_FILE: '', TABLE_NAME: randomUUID() }
  const env = {
    ...process.env,
    ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
  }
  const lines: string[] = []
  const running = await new Promise<ReturnType<typeof startChild>>((resolve, reject) => {
    const onLine = (line: string) => {
      lines.push(line)
      if (line.includes('Requests are listed below')) resolve(command)
    }
    const command = startChild({ command: 'npm', args: ['start', '--silent'], cwd: root, env, onLine })
    void command.ended.then(() => reject(new Error(lines.join('\n'))))
  })
  return serviceAt(`http://localhost:${PORT}`, `http://localhost:${IDENTITY_PORT}`, running.stop)
}

const serviceAt = (baseUrl: string, issuer: string, stop: () => Promise<void>): Service => ({
  baseUrl,
  issuer,
  clientOf: (username) => createClient({ baseUrl, token: () => tokenOf(issuer, username) }),
  stop,
})

async function tokenOf(issuer: string, username: string) {
  const body = new URLSearchParams({ grant_type: 'password', username, password: 'password' })
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
  return (await answer.json()) as { access_token: string; expires_in: number }
}
