import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A stand-in for S3 that knows one call, GetObject by ranges, and holds it to the rules: signature, range, version. */
export type Bucket = {
  env: NodeJS.ProcessEnv
  files: Map<string, Buffer>
  /** The ranges that were asked for. */
  ranges: string[]
  /** The connection of each request breaks after so many bytes; undefined for none. */
  breaksAfter: number | undefined
  stop: () => Promise<unknown>
}

const secret = 'the-secret'
const region = 'eu-north-1'

export async function startBucket(): Promise<Bucket> {
  const server = createServer((request, response) => answer(bucket, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bucket: Bucket = {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: 'the-key',
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: 'the-session',
    },
    files: new Map(),
    ranges: [],
    breaksAfter: undefined,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
  return bucket
}

const etagOf = (file: Buffer): string => `"${createHash('md5').update(file).digest('hex')}"`

function answer(bucket: Bucket, request: IncomingMessage, response: ServerResponse): void {
  const { headers, url = '' } = request
  const end = (status: number) => response.writeHead(status).end('<Error/>')
  if (signatureOf(request) !== /Signature=(\w+)$/.exec(headers.authorization ?? '')?.[1]) return void end(403)
  const file = bucket.files.get(decodeURIComponent(url.slice(1)))
  if (!file) return void end(404)
  if (headers['if-match'] && headers['if-match'] !== etagOf(file)) return void end(412)
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1])
  if (from >= file.length) return void end(416)
  bucket.ranges.push(String(headers.range))
  const rest = file.subarray(from)
  response.writeHead(206, {
    etag: etagOf(file),
    'content-length': rest.length,
    'content-range': `bytes ${from}-${file.length - 1}/${file.length}`,
  })
  if (bucket.breaksAfter === undefined || rest.length <= bucket.breaksAfter) response.end(rest)
  else response.write(rest.subarray(0, bucket.breaksAfter), () => response.destroy())
}

/** The signature that a request must have, by the rules of AWS (Signature Version 4). */
function signatureOf({ method, headers, url = '' }: IncomingMessage): string {
  const names = /SignedHeaders=([\w;-]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  const time = String(headers['x-amz-date'])
  const canonical = [
    method,
    url,
    '',
    ...names.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = scope.split('/').reduce((sum: Buffer | string, part) => hmac(sum, part), `AWS4${secret}`)
  return hmac(key, text).toString('hex')
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
