import { AppError } from '../../base/errors.ts'
import { inParallel, retry } from '../../base/flow.ts'
import { type S3Request, s3Request } from '../../base/s3.ts'
import type { PlanFiles, StoredFile } from './storedFiles.ts'

/** Attempts of a request that fails for a reason that may pass. */
const ATTEMPTS = 4
/** Requests at once where many files are removed. */
const AT_ONCE = 16

/** The files of a plan in a bucket, below the id of the plan. */
export function bucketFiles(bucket: string, plan: string, env: NodeJS.ProcessEnv): PlanFiles {
  const nameOf = (name: string) => `${bucket}/${plan}/${name}`
  const send = (request: S3Request) => sent(request, env)
  const list = async (prefix: string) =>
    (await all((query) => send({ name: bucket, query }), `${plan}/`, prefix)).sort(byName)
  const remove = async (name: string) => void (await drained(await send({ method: 'DELETE', name: nameOf(name) })))
  return {
    put: async (name, body) => void (await drained(await send({ method: 'PUT', name: nameOf(name), body }))),
    get: async (name, part) => {
      const range = part && { range: `bytes=${part.from}-${part.to === undefined ? '' : part.to - 1}` }
      const answer = await send({ name: nameOf(name), ...(range ? { headers: range } : {}) })
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
      await drained(answer)
      // A range that begins behind the end has no bytes.
      return answer.status === 416 ? new Uint8Array() : undefined
    },
    list,
    remove,
    removeAll: async () => inParallel(AT_ONCE, await list(''), ({ name }) => remove(name)),
  }
}

const byName = (one: StoredFile, other: StoredFile): number => (one.name < other.name ? -1 : 1)

/** The answer to a request; 404 and 416 are answers, too. Throws SERVICE_UNAVAILABLE if S3 is not to be had. */
async function sent(request: S3Request, env: NodeJS.ProcessEnv): Promise<Response> {
  return retry(() => once(request, env), { attempts: ATTEMPTS, again: (error) => error instanceof AppError })
}

async function once(request: S3Request, env: NodeJS.ProcessEnv): Promise<Response> {
  const answer = await s3Request(request, env).catch((error: Error) => {
    throw unavailable(error.name)
  })
  if (answer.ok || answer.status === 404 || answer.status === 416) return answer
  await drained(answer)
  if (answer.status >= 500 || answer.status === 429) throw unavailable(`S3 answers ${answer.status}`)
  throw new Error(`S3 answers ${answer.status} to ${request.method ?? 'GET'}`)
}

const unavailable = (cause: string) =>
  new AppError('SERVICE_UNAVAILABLE', { cause, failedRequest: { dependency: 'S3', attempts: ATTEMPTS } })

const drained = (answer: Response): Promise<void> | undefined => answer.body?.cancel()

type List = (query: Record<string, string>) => Promise<Response>

/** The files below a folder whose names begin so, page by page. */
async function all(list: List, folder: string, prefix: string): Promise<StoredFile[]> {
  const found: StoredFile[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Record<string, string> = {
      'list-type': '2',
      prefix: folder + prefix,
      ...(token ? { 'continuation-token': token } : {}),
    }
    const answer = await list(page)
    const text: string = await answer.text()
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
