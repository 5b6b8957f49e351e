import { AppError } from '../../base/errors.ts'
import { inParallel } from '../../base/parallel.ts'
import { retry } from '../../base/retry.ts'
import { type S3Request, s3Request } from '../../base/s3.ts'
import type { PlanFiles, StoredFile } from './storedFiles.ts'

/** Attempts of a request that fails for a reason that may pass. */
const ATTEMPTS = 4
/** Requests at once where many files are removed. */
const AT_ONCE = 16

/** The files of a plan in a bucket, below the id of the plan. */
export function bucketFiles(bucket: string, plan: string, env: NodeJS.ProcessEnv): PlanFiles {
  const nameOf = (name: string) => `${bucket}/${plan}/${name}`
  const send = <T>(request: S3Request, read: Read<T>) => sent(request, env, read)
  const pageOf: PageOf = (query) => send({ name: bucket, query }, (answer) => answer.text())
  const list = async (prefix: string) => (await all(pageOf, `${plan}/`, prefix)).sort(byName)
  const remove = (name: string) => send({ method: 'DELETE', name: nameOf(name) }, drained)
  return {
    put: (name, body) => send({ method: 'PUT', name: nameOf(name), body }, drained),
    get: (name, part) => {
      const range = part && { range: `bytes=${part.from}-${part.to === undefined ? '' : part.to - 1}` }
      return send({ name: nameOf(name), ...(range ? { headers: range } : {}) }, bytesIn)
    },
    list,
    remove,
    removeAll: async () => inParallel(AT_ONCE, await list(''), ({ name }) => remove(name)),
  }
}

/** The bytes of a file; undefined if there is none. */
async function bytesIn(answer: Response): Promise<Uint8Array | undefined> {
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
  await drained(answer)
  // A range that begins behind the end has no bytes.
  return answer.status === 416 ? new Uint8Array() : undefined
}

const byName = (one: StoredFile, other: StoredFile): number => (one.name < other.name ? -1 : 1)

type Read<T> = (answer: Response) => Promise<T>

/**
 * What is read of the answer to a request; 404 and 416 are answers, too. Throws SERVICE_UNAVAILABLE if S3 is not to be had, or
 * its answer ends too early.
 */
const sent = <T>(request: S3Request, env: NodeJS.ProcessEnv, read: Read<T>): Promise<T> =>
  retry(async () => read(await once(request, env)).catch(notAvailable), {
    attempts: ATTEMPTS,
    again: (error) => error instanceof AppError,
  })

async function once(request: S3Request, env: NodeJS.ProcessEnv): Promise<Response> {
  const answer = await s3Request(request, env).catch(notAvailable)
  if (answer.ok || answer.status === 404 || answer.status === 416) return answer
  await drained(answer)
  if (answer.status >= 500 || answer.status === 429) throw unavailable(`S3 answers ${answer.status}`)
  throw new Error(`S3 answers ${answer.status} to ${request.method ?? 'GET'}`)
}

const notAvailable = (error: Error): never => {
  throw unavailable(error.name)
}

const unavailable = (cause: string) =>
  new AppError('SERVICE_UNAVAILABLE', { cause, failedRequest: { dependency: 'S3', attempts: ATTEMPTS } })

const drained = async (answer: Response): Promise<void> => answer.body?.cancel()

/** The text of a page of a list. */
type PageOf = (query: Record<string, string>) => Promise<string>

/** The files below a folder whose names begin so, page by page. */
async function all(pageOf: PageOf, folder: string, prefix: string): Promise<StoredFile[]> {
  const found: StoredFile[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Record<string, string> = {
      'list-type': '2',
      prefix: folder + prefix,
      ...(token ? { 'continuation-token': token } : {}),
    }
    const text: string = await pageOf(page)
    for (const [, one = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs))
      found.push({
        name: valueIn(one, 'Key').slice(folder.length),
        bytes: Number(valueIn(one, 'Size')),
        version: valueIn(one, 'ETag'),
      })
    token = valueIn(text, 'NextContinuationToken') || undefined
  }
  return found
}

/** The text of an element. Names that we write need no escapes, nor do the tokens and tags of S3 but for quotes. */
const valueIn = (text: string, element: string): string =>
  (new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(text)?.[1] ?? '').replaceAll(/&quot;|"/g, '')
