import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../local/listen.ts'
import { startChild } from '../../local/shared/child.ts'
import { freePort } from '../../local/shared/ports.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

const environmentOf = (port: number) => ({ ...process.env, PORT: String(port), IDENTITY_PORT: String(port) })

/** Runs the command to its end. */
async function run(port: number): Promise<{ status: number; lines: string[] }> {
  const lines: string[] = []
  const env = environmentOf(port)
  const { ended, stop } = startChild({
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

test('npm run listen survives a message that ends in the middle', async () => {
  const answer = '{ "access_token": "any", "id": "hook", "secret": "whsec_c2VjcmV0" }'
  const server = createServer((_request, response) => response.end(answer))
  onTestFinished(() => void server.close())
  await once(server.listen(0, 'localhost'), 'listening')
  const api = `http://localhost:${(server.address() as AddressInfo).port}`
  const [lines, port] = [[] as string[], await freePort()]
  const { stop } = await listen({ api, tokens: api, port, types: [] }, (line) => lines.push(line))
  onTestFinished(async () => void (await stop()))
  const socket = connect(port, '127.0.0.1')
  socket.end('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{ "ty')
  await expect.poll(() => lines).toEqual(['A message without a valid signature'])
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status).toBe(401)
})

test('npm run listen deletes its webhook, also when the signal to end comes twice', async () => {
  const deleted: (string | undefined)[] = []
  let release = () => {}
  const server = createServer(({ method, url }, response) => {
    const answer = () => response.end('{ "access_token": "any", "id": "hook", "secret": "whsec_c2VjcmV0" }')
    if (method !== 'DELETE') return answer()
    deleted.push(url)
    release = answer
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, 'localhost'), 'listening')
  const env = environmentOf((server.address() as AddressInfo).port)
  const listener = spawn(process.execPath, ['local/listen.ts'], { cwd, env })
  onTestFinished(() => void listener.kill('SIGKILL'))
  await once(listener.stdout, 'data')
  listener.kill('SIGINT')
  await expect.poll(() => deleted).toEqual(['/api/admin/organisations/v4/webhooks/hook'])
  listener.kill('SIGINT')
  await expect.poll(() => deleted.length).toBe(1)
  release()
  expect(await once(listener, 'exit')).toEqual([0, null])
})
