import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { hostOfService } from '../../domain/base/aws.ts'
import { s3File, UnreadableFile } from '../../domain/import/s3File.ts'
import { type Bucket, startBucket } from './bucket.ts'

// Not by vi.mock: what another test file of this process has loaded keeps the real one.
const waits: number[] = []
const wait = vi.spyOn(timers, 'setTimeout')
beforeEach(() => {
  waits.length = 0
  wait.mockImplementation(async (ms = 0) => void waits.push(ms))
  syncBuiltinESMExports()
})
afterAll(() => {
  wait.mockRestore()
  syncBuiltinESMExports()
})

async function bytes(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += Buffer.from(chunk).toString()
  return text
}

describe('a file', () => {
  let bucket: Bucket
  const name = "files/imports/all of 'us', ünd (more)*!.jsonl"
  beforeAll(async () => {
    bucket = await startBucket()
    bucket.files.set(name, Buffer.from('0123456789'))
  })
  afterAll(() => bucket.stop())
  beforeEach(() => {
    bucket.breaksAfter = undefined
    bucket.ranges.length = 0
  })

  it('is known by its size and version, and read from any byte on', async () => {
    const file = await s3File(name, undefined, bucket.env)
    expect([file.size, file.etag]).toEqual([10, expect.stringMatching(/^"\w{32}"$/)])
    expect([await bytes(file.read(0)), await bytes(file.read(7)), await bytes(file.read(10))]).toEqual([
      '0123456789',
      '789',
      '',
    ])
    expect([bucket.ranges, waits]).toEqual([['bytes=0-', 'bytes=0-', 'bytes=7-'], []])
    expect(await s3File(name, file.etag, bucket.env)).toMatchObject({ size: 10, etag: file.etag })
    await expect(s3File(name, '"other"', bucket.env)).rejects.toThrow(/412, it has changed/)
  })

  it('is read on behind the last byte where the connection breaks', async () => {
    const file = await s3File(name, undefined, bucket.env)
    bucket.breaksAfter = 2
    expect(await bytes(file.read(0))).toBe('0123456789')
    expect(bucket.ranges.slice(1)).toEqual([0, 2, 4, 6, 8].map((at) => `bytes=${at}-`))
    // Each of them has brought something: the waits do not grow.
    expect(waits).toEqual([500, 500, 500, 500])
  })

  it('is not read on when it has changed', async () => {
    const file = await s3File(name, undefined, bucket.env)
    bucket.files.set(name, Buffer.from('another'))
    await expect(bytes(file.read(0))).rejects.toThrow(`${name} cannot be read: S3 answers 412`)
    expect(waits).toEqual([])
    bucket.files.set(name, Buffer.from('0123456789'))
  })
})

describe('a request', () => {
  type Sent = { url: string; headers: Record<string, string> }
  let sent: Sent[] = []
  let cancelled = 0
  afterEach(() => vi.unstubAllGlobals())
  /** S3 answers each request with the next of these, and then with the last. */
  function answering(...answers: { status: number; headers?: Record<string, string>; text?: string | null }[]) {
    sent = []
    cancelled = 0
    vi.stubGlobal('fetch', async (url: URL, { headers }: { headers: Sent['headers'] }) => {
      const { status, text, ...more } = answers[
        Math.min(sent.push({ url: url.href, headers }), answers.length) - 1
      ] ?? { status: 0 }
      if (status === 0) throw new TypeError('fetch failed')
      const answer = new Response(text === undefined ? '<Error/>' : text, { status, ...more })
      if (answer.body)
        vi.spyOn(answer.body as ReadableStream, 'cancel').mockImplementation(async () => void cancelled++)
      return answer
    })
  }
  const whole = { status: 206, headers: { 'content-range': 'bytes 0-3/4', etag: '"e"' }, text: 'abcd' }
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }

  it('goes to S3 of the region, signed by the keys of the function', async () => {
    answering(whole)
    await s3File('bucket/a b/ü*.jsonl', undefined, { ...keys, AWS_REGION: 'eu-north-1', AWS_SESSION_TOKEN: 'token' })
    await s3File('bucket/x', '"v"', {})
    const [first, second] = sent
    expect(first?.url).toBe('https://s3.eu-north-1.amazonaws.com/bucket/a%20b/%C3%BC%2A.jsonl')
    expect(first?.headers).toMatchObject({
      host: 's3.eu-north-1.amazonaws.com',
      range: 'bytes=0-',
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      'x-amz-security-token': 'token',
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-north-1\/s3\/aws4_request, /),
    })
    expect(first?.headers).not.toHaveProperty('if-match')
    expect(second?.url).toBe('https://s3.eu-central-1.amazonaws.com/bucket/x')
    expect(second?.headers).toMatchObject({
      'if-match': '"v"',
      authorization: expect.stringMatching(/Credential=\/\d{8}\/eu-central-1\/s3/),
    })
    expect(second?.headers).not.toHaveProperty('x-amz-security-token')
    expect(cancelled).toBe(2)
  })

  it('of a function without keys is signed as with empty ones', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    answering(whole)
    for (const env of [{}, { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }]) await s3File('bucket/x', '"v"', env)
    vi.useRealTimers()
    expect(sent[0]?.headers).toEqual(sent[1]?.headers)
  })

  it('that brings nothing is followed by another one', async () => {
    const nothing = { status: 204, text: null }
    answering(nothing)
    expect(await bytes((await s3File('bucket/x', undefined, keys)).read(0))).toBe('')
    answering(whole, nothing, whole)
    expect(await bytes((await s3File('bucket/x', undefined, keys)).read(0))).toBe('abcd')
    expect(sent).toHaveLength(3)
    answering(whole, nothing)
    await expect(bytes((await s3File('bucket/x', undefined, keys)).read(0))).rejects.toThrow('S3 sends nothing')
    expect([sent.length, waits]).toEqual([6, [500, 500, 1000, 1500, 2000]])
    answering({ status: 304, text: null })
    await expect(s3File('bucket/x', undefined, keys)).rejects.toBeInstanceOf(UnreadableFile)
  })

  it('tells the size of the file that it answers whole', async () => {
    answering({ status: 200, headers: { 'content-length': '4' }, text: 'abcd' })
    const file = await s3File('bucket/x', undefined, keys)
    expect([file.size, file.etag, await bytes(file.read(0))]).toEqual([4, '', 'abcd'])
    expect(sent[1]?.headers).not.toHaveProperty('if-match')
  })

  it.each<[number, string]>([
    [301, 'its bucket is in another region'],
    [403, 'the parameter importBucket does not name its bucket, or there is no such file'],
    [404, 'there is no such file'],
    [412, 'it has changed since its import began'],
    [416, 'it is empty'],
    [499, 'see its log'],
  ])('that S3 answers with %i says why, and is not repeated', async (status, reason) => {
    answering(whole, { status })
    const { read } = await s3File('bucket/x', undefined, keys)
    const reading = bytes(read(0))
    await expect(reading).rejects.toBeInstanceOf(UnreadableFile)
    await expect(reading).rejects.toMatchObject({
      name: 'UnreadableFile',
      message: `bucket/x cannot be read: S3 answers ${status}, ${reason}`,
    })
    expect([sent.length, cancelled, waits]).toEqual([2, 2, []])
  })

  it('that fails is repeated, later and later, and given up after five in a row', async () => {
    answering(
      whole,
      { status: 500 },
      { status: 0 },
      { status: 503 },
      { status: 0 },
      { ...whole, text: 'ab' },
      { status: 500 },
    )
    const { read } = await s3File('bucket/x', undefined, keys)
    const seen: string[] = []
    const reading = (async () => {
      for await (const chunk of read(0)) seen.push(Buffer.from(chunk).toString())
    })()
    await expect(reading).rejects.toThrow('S3 answers 500')
    expect([seen, sent.length]).toEqual([['ab'], 11])
    expect(sent.map(({ headers }) => headers['range'])).toEqual([
      ...Array(6).fill('bytes=0-'),
      ...Array(5).fill('bytes=2-'),
    ])
    expect(waits).toEqual([500, 1000, 1500, 2000, 500, 1000, 1500, 2000])
  })
})

it.each([
  ['eu-central-1', 's3.eu-central-1.amazonaws.com'],
  ['us-gov-west-1', 's3.us-gov-west-1.amazonaws.com'],
  ['cn-north-1', 's3.cn-north-1.amazonaws.com.cn'],
])('in %s, S3 is at %s', (region, host) => {
  expect(hostOfService('s3', region)).toBe(host)
})
