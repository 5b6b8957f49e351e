import { setTimeout } from 'node:timers/promises'
import { s3Request } from '../base/s3.ts'

/** A file in S3. All reads are of the version that was found first. */
type S3File = { size: number; etag: string; read: (from: number) => AsyncIterable<Uint8Array> }

/** A file that cannot be read, however often it is tried: S3 refuses it, it is missing or empty, or it has changed. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

/** After this many failed requests in a row, reading a file is given up. */
const ATTEMPTS = 5

/**
 * A file in S3, read as a stream: GetObject by ranges is the only call. With `etag`, the file must still be this version.
 */
export async function s3File(name: string, etag?: string, env: NodeJS.ProcessEnv = process.env): Promise<S3File> {
  const first = await get(name, 0, etag, env)
  await first.body?.cancel()
  const whole = first.headers.get('content-range')?.split('/')[1] ?? first.headers.get('content-length')
  const version = first.headers.get('etag') ?? ''
  return {
    size: Number(whole),
    etag: version,
    read: (from) => read({ name, etag: version, size: Number(whole), env }, from),
  }
}

type Whole = { name: string; etag: string; size: number; env: NodeJS.ProcessEnv }

/** The bytes from an offset on. If a connection breaks, another one continues after the last byte. */
async function* read({ name, etag, size, env }: Whole, from: number): AsyncGenerator<Uint8Array> {
  let [at, attempt] = [from, 0]
  while (at < size) {
    try {
      for await (const chunk of bodyChunks(await get(name, at, etag, env))) {
        yield chunk
        at += chunk.length
        attempt = 0
      }
    } catch (error) {
      if (error instanceof UnreadableFile || ++attempt === ATTEMPTS) throw error
      await setTimeout(attempt * 500)
    }
  }
}

/** The chunks of an answer. An empty answer is a failure: else its request would be repeated for ever. */
async function* bodyChunks({ body }: Response): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const chunk of body ?? []) {
    yield chunk
    isEmpty = false
  }
  if (isEmpty) throw new Error('S3 sends nothing')
}

async function get(name: string, from: number, etag: string | undefined, env: NodeJS.ProcessEnv): Promise<Response> {
  const headers = { range: `bytes=${from}-`, ...(etag ? { 'if-match': etag } : {}) }
  const answer = await s3Request({ name, headers }, env)
  if (answer.ok) return answer
  await answer.body?.cancel()
  if (answer.status >= 500) throw new Error(`S3 answers ${answer.status}`)
  throw new UnreadableFile(
    `${name} cannot be read: S3 answers ${answer.status}, ${reasons[answer.status] ?? 'see its log'}`,
  )
}

const reasons: Record<number, string> = {
  301: 'its bucket is in another region',
  403: 'the parameter importBucket does not name its bucket, or there is no such file',
  404: 'there is no such file',
  412: 'it has changed since its import began',
  416: 'it is empty',
}
