import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createClient, uploadPlanFile } from '../../client/src/index.ts'

const MiB = 1024 * 1024

/** A server that keeps the parts that it gets. It answers the first requests with these statuses, and all others with 204. */
async function keeping(...statuses: number[]) {
  const parts = new Map<string, Buffer>()
  let requests = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const status = statuses[requests++] ?? 204
    const { 'content-type': type, 'content-encoding': encoding } = request.headers
    if (status === 204) {
      const body = Buffer.concat(chunks)
      expect([body.length <= 4 * MiB, type, encoding]).toEqual([true, 'application/octet-stream', 'gzip'])
      parts.set(`${request.method} ${request.url}`, gunzipSync(body))
    }
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(status === 204 ? undefined : '{"done":false}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ baseUrl, token: () => ({ access_token: 't' }) })
  return { client, parts, requests: () => requests }
}

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
async function* pieces(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
const file = Uint8Array.from(randomBytes(9 * MiB + 17))

test.each([
  ['a blob', () => new Blob([file])],
  ['a stream', () => new Blob([file]).stream()],
  ['pieces smaller than a part', () => pieces(file, 65_537)],
  ['pieces larger than a part', () => pieces(file, 5 * MiB)],
])('sends %s in parts, and says what the check asks for', async (_what, source) => {
  const { client, parts } = await keeping()
  const steps: number[] = []
  const sent = await uploadPlanFile(client, 'p', source(), { onProgress: (bytes) => steps.push(bytes) })
  expect(sent).toEqual({ parts: 3, bytes: file.length, sha256: sumOf(file) })
  const path = 'PUT /api/admin/organisations/v4/plans/p/parts/'
  expect([...parts.keys()]).toEqual([1, 2, 3].map((n) => path + n))
  expect(sumOf(Buffer.concat([...parts.values()]))).toBe(sent.sha256)
  expect(steps).toEqual([4092 * 1024, 8184 * 1024, file.length])
})

test('sends a part again that was not taken', async () => {
  const { client, parts, requests } = await keeping(503, 204, 429)
  await uploadPlanFile(client, 'p', new Blob([file]))
  expect([requests(), sumOf(Buffer.concat([...parts.values()]))]).toEqual([5, sumOf(file)])
})

test('ends at the first refusal, and leaves its stream', async () => {
  const { client, requests } = await keeping(204, 404)
  let isLeft = false
  const source = async function* () {
    try {
      yield* pieces(file, MiB)
    } finally {
      isLeft = true
    }
  }
  await expect(uploadPlanFile(client, 'p', source())).rejects.toMatchObject({ status: 404 })
  expect([requests(), isLeft]).toEqual([2, true])
})

test('an empty file is refused', async () => {
  const { client, requests } = await keeping()
  const refusal = { message: 'The file is empty', done: false }
  await expect(uploadPlanFile(client, 'p', new Blob([]))).rejects.toMatchObject(refusal)
  expect(requests()).toBe(0)
})

test('ends when its signal says so', async () => {
  const { client, requests } = await keeping()
  const ending = new AbortController()
  const options = { signal: ending.signal, onProgress: () => ending.abort(new Error('enough')) }
  await expect(uploadPlanFile(client, 'p', new Blob([file]), options)).rejects.toThrow('enough')
  expect(requests()).toBe(1)
})
