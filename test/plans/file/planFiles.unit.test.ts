import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bucketFiles } from '../../../domain/plans/file/bucketFiles.ts'
import { folderFiles } from '../../../domain/plans/file/folderFiles.ts'
import type { PlanFiles } from '../../../domain/plans/file/storedFiles.ts'

// Files of plans in a folder, and in a bucket: a small S3 over HTTP, with the faults that a real one has.

const BUCKET = 'bucket-of-plans'
const PAGE = 2
/** What happens to the next requests, in their order. */
type Fault = 'BUSY' | 'SLOW DOWN' | 'RESET' | 'CUT' | 'DENIED' | 'NONE'
let faults: Fault[] = []
let asked: { method: string; url: string; authorization: string }[] = []
const stored = new Map<string, Buffer>()

const server = createServer((request, response) => void answer(request, response))
let env: NodeJS.ProcessEnv
const folder = mkdtempSync(join(tmpdir(), 'rollcall-plan-files-'))
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  env = {
    S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
  }
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  ;[faults, asked] = [[], []]
  stored.clear()
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request
  asked.push({ method, url, authorization: String(headers.authorization) })
  const body = Buffer.concat(await request.toArray())
  const fault = faults.shift() ?? 'NONE'
  if (fault === 'RESET') return void request.socket.destroy()
  if (fault === 'BUSY') return void response.writeHead(503).end('<Error><Code>ServiceUnavailable</Code></Error>')
  if (fault === 'SLOW DOWN') return void response.writeHead(429).end()
  if (fault === 'DENIED') return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
  const { pathname, searchParams } = new URL(url, env['S3_ENDPOINT'])
  const [, bucket, ...rest] = pathname.split('/')
  if (bucket !== BUCKET) return void response.writeHead(404).end()
  const name = decodeURIComponent(rest.join('/'))
  if (method === 'PUT') stored.set(name, body)
  if (method === 'DELETE') stored.delete(name)
  if (method !== 'GET') return void response.writeHead(method === 'PUT' ? 200 : 204).end()
  const [status, bytes] = searchParams.has('list-type') ? [200, listed(searchParams)] : read(name, headers.range)
  if (fault !== 'CUT') return void response.writeHead(status).end(bytes)
  response.writeHead(status, { 'content-length': bytes.length })
  response.write(bytes.subarray(0, 1), () => response.destroy())
}

function read(name: string, range: string | undefined): [status: number, bytes: Buffer] {
  const bytes = stored.get(name)
  if (!bytes) return [404, Buffer.from('<Error><Code>NoSuchKey</Code></Error>')]
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (from === undefined) return [200, bytes]
  if (Number(from) >= bytes.length) return [416, Buffer.from('<Error><Code>InvalidRange</Code></Error>')]
  return [206, bytes.subarray(Number(from), to ? Number(to) + 1 : undefined)]
}

function listed(query: URLSearchParams): Buffer {
  const names = [...stored.keys()].filter((name) => name.startsWith(query.get('prefix') ?? '')).sort()
  const from = Number(query.get('continuation-token')?.slice('token+/='.length) ?? 0)
  const page = names.slice(from, from + PAGE)
  const more = from + PAGE < names.length ? `<NextContinuationToken>token+/=${from + PAGE}</NextContinuationToken>` : ''
  const contents = page.map(
    (name) =>
      `<Contents><Key>${name}</Key><Size>${stored.get(name)?.length}</Size><ETag>&quot;tag of ${name}&quot;</ETag></Contents>`,
  )
  return Buffer.from(`<ListBucketResult>${contents.join('\n')}${more}</ListBucketResult>`)
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text)
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

const kinds: [string, (plan: string) => PlanFiles][] = [
  ['a bucket', (plan) => bucketFiles(BUCKET, plan, env)],
  ['a folder', (plan) => folderFiles(folder, plan)],
]
describe.each(kinds)('in %s', (_, filesOf) => {
  it('a file is what was written last, as a whole and in parts', async () => {
    const files = filesOf('plan-1')
    await files.put('parts/0001/a b+c', bytesOf('first'))
    await files.put('parts/0001/a b+c', bytesOf('0123456789'))
    const get = async (from: number, to?: number) =>
      textOf(await files.get('parts/0001/a b+c', to === undefined ? { from } : { from, to }))
    expect(textOf(await files.get('parts/0001/a b+c'))).toBe('0123456789')
    expect([await get(0, 3), await get(3, 7), await get(8), await get(8, 20)]).toEqual(['012', '3456', '89', '89'])
    expect(await get(10, 12)).toBe('')
  })

  it('a file that is not there is undefined, and removing it does nothing', async () => {
    const files = filesOf('plan-2')
    expect([await files.get('work/none'), await files.get('work/none', { from: 3, to: 5 })]).toEqual([
      undefined,
      undefined,
    ])
    await files.remove('work/none')
    await files.removeAll()
    expect(await files.list('')).toEqual([])
  })

  it('all files of a plan are listed in order, and removed with nothing of another plan', async () => {
    const [files, others] = [filesOf('plan-3'), filesOf('plan-33')]
    await others.put('work/kept', bytesOf('kept'))
    const names = ['work/b', 'parts/0002/x', 'work/a', 'parts/0001/y', 'work/c']
    for (const name of names) await files.put(name, bytesOf(name))
    expect((await files.list('')).map(({ name, bytes }) => [name, bytes])).toEqual(
      names.toSorted().map((name) => [name, name.length]),
    )
    expect((await files.list('work/')).map(({ name }) => name)).toEqual(['work/a', 'work/b', 'work/c'])
    await files.remove('work/b')
    expect(await files.get('work/b')).toBeUndefined()
    await files.removeAll()
    await files.removeAll()
    expect(await files.list('')).toEqual([])
    expect(textOf(await others.get('work/kept'))).toBe('kept')
  })
})

describe('in a bucket', () => {
  const files = (plan = 'plan-1') => bucketFiles(BUCKET, plan, env)
  const passing: Fault[] = ['BUSY', 'SLOW DOWN', 'RESET', 'CUT']

  it('each request is signed for S3', async () => {
    await files().put('work/a', bytesOf('a'))
    await files().list('')
    for (const { authorization } of asked)
      expect(authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-central-1\/s3\/aws4_request, .*Signature=/,
      )
  })

  it.each(passing)('%s three times in a row is tried again: reading', async (fault) => {
    await files().put('work/a', bytesOf('whole text'))
    faults = [fault, fault, fault]
    expect(textOf(await files().get('work/a', { from: 2, to: 8 }))).toBe('ole te')
    expect([faults, asked.length]).toEqual([[], 5])
    faults = [fault]
    expect((await files().list('')).map(({ name, bytes, version }) => [name, bytes, version])).toEqual([
      ['work/a', 10, 'tag of plan-1/work/a'],
    ])
  })

  it.each<Fault>(['BUSY', 'RESET'])('%s three times in a row is tried again: writing and removing', async (fault) => {
    faults = [fault, fault, fault]
    await files().put('work/a', bytesOf('text'))
    expect(stored.get('plan-1/work/a')?.toString()).toBe('text')
    faults = [fault, fault, fault]
    await files().remove('work/a')
    expect(stored.size).toBe(0)
  })

  it.each(passing)('%s again and again says that the service is not available', async (fault) => {
    stored.set('plan-1/work/a', Buffer.from('text'))
    faults = Array(4).fill(fault)
    await expect(files().get('work/a')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      failedRequest: { dependency: 'S3', attempts: 4 },
    })
    expect(asked).toHaveLength(4)
  })

  it('what S3 refuses is an error at once, without what S3 has answered', async () => {
    faults = ['DENIED']
    await expect(files().put('work/a', bytesOf('text'))).rejects.toThrow('S3 answers 403 to PUT')
    expect(asked).toHaveLength(1)
  })
})
