import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startGuarded } from '../../local/guarded.ts'
import { freePort } from '../../local/ports.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the command to its end. */
async function run(port: number): Promise<{ status: number; lines: string[] }> {
  const lines: string[] = []
  const env = { ...process.env, PORT: String(port), IDENTITY_PORT: String(port) }
  const { ended, stop } = startGuarded({
    command: process.execPath,
    args: ['local/listen.ts'],
    cwd,
    env,
    onLine: (line) => lines.push(line),
  })
  onTestFinished(stop)
  return { status: await ended, lines }
}

test('npm run listen ends if nothing answers', async () => {
  const port = await freePort()
  const at = `http://localhost:${port}`
  expect(await run(port)).toEqual({
    status: 1,
    lines: [`Nothing answers at ${at} and ${at}/token: is npm start running?`],
  })
})

test('npm run listen ends if it gets no webhook, and says why', async () => {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/token' ? 200 : 409).end('{ "access_token": "any", "detail": "There are enough" }')
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, 'localhost'), 'listening')
  expect(await run((server.address() as AddressInfo).port)).toEqual({ status: 1, lines: ['There are enough'] })
})
